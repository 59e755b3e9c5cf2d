//! `cargo xtask`: the commands that developers and CI run. One file per command.

#![forbid(unsafe_code)]

mod against;
mod attack;
mod bench;
mod cells;
mod check_cuda;
mod checks;
mod cuda;
mod cuda_stubs;
mod fuzz;
mod growth;
mod minimise;
mod package;
mod reproduce;
mod scaling;
mod shell;
mod slurm;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The project's own commands.
#[derive(Parser)]
#[command(name = "cargo xtask", max_term_width = 100)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Test(test::Args),
    /// Check paths in ARCHITECTURE.md, links in Markdown, cycles between modules, and the width of source
    /// lines.
    Check,
    Package(package::Args),
    Bench(bench::Args),
    Reproduce(reproduce::Args),
    Fuzz(fuzz::Args),
    Attack(attack::Args),
    CheckCuda(check_cuda::Args),
}

fn main() -> ExitCode {
    let result = match Args::parse().command {
        Command::Test(args) => test::run(&args),
        Command::Check => checks::run(),
        Command::Package(args) => package::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Fuzz(args) => fuzz::run(&args),
        Command::Attack(args) => attack::run(&args),
        Command::CheckCuda(args) => check_cuda::run_check(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

//! The `logicvae` command. Flags are parsed in `args`, each command is a file under `commands`, and only this crate
//! (of the layers) prints or touches paths.

mod args;
mod commands;
mod failure;
mod figure;
mod input;
mod measure;
mod output;
mod progress;
mod run;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Args;

fn main() -> ExitCode {
    let args = Args::parse();
    match commands::run(args) {
        Ok(code) => code,
        Err(error) => failure::report(&error),
    }
}

//! The program behind `cargo xtask reproduce`.

#![forbid(unsafe_code)]

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use logicvae_suite::{Args, run};

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            writeln!(std::io::stderr(), "reproduce: {error:#}").ok();
            ExitCode::FAILURE
        }
    }
}

//! The `logicvae` command.
//!
//! `args` parses the command line, `commands` has one file per command, and `figure` draws. Apart from the
//! project's own tools, this is the only crate that prints.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod domain;
mod failure;
mod figure;
mod input;
mod interrupt;
mod limit;
mod matrix;
mod message;
mod output;
mod place;
mod plain;
mod progress;
mod table;
mod trained;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Args;

fn main() -> ExitCode {
    logicvae_compute::limit_candle_threads();
    let args = Args::parse();
    match commands::run(args) {
        Ok(code) => code,
        Err(error) => failure::report(&error),
    }
}

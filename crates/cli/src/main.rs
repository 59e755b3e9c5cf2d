//! The `logicvae` command.
//!
//! `args` parses the command line, `commands` has one file per command, and `figure` draws. Apart from the
//! project's own tools, this is the only crate that prints.

mod args;
mod commands;
mod domain;
mod failure;
mod figure;
mod input;
mod output;
mod progress;
mod run;

/// The former path of [`input::read_formulae`].
mod measure {
    pub use crate::input::read_formulae as formulae;
}

use std::process::ExitCode;

use clap::Parser;

use crate::args::Args;

fn main() -> ExitCode {
    // The tensor library's own threads wait by spinning, which takes a fifth of a training step from ours.
    if std::env::var_os("CANDLE_NUM_THREADS").is_none() {
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("CANDLE_NUM_THREADS", "1") };
    }
    let args = Args::parse();
    match commands::run(args) {
        Ok(code) => code,
        Err(error) => failure::report(&error),
    }
}

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

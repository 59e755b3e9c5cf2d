//! `logicvae completions`: shell completion scripts.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::CommandFactory;

use crate::args::{Args, CompletionsArgs};
use crate::output::Output;

pub fn run(args: &CompletionsArgs, output: Output) -> Result<ExitCode> {
    if output.json {
        bail!("a completion script cannot be printed as JSON: remove --json");
    }
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "logicvae", &mut script);
    io::stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

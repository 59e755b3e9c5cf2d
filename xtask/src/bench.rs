//! `cargo xtask bench`: speed against named peers.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::shell::{self, cargo, root, target};
use crate::{growth, scaling};

/// Measure speed as a ratio against a named peer, both sides in one run.
#[derive(clap::Args)]
pub struct Args {
    /// What to measure: logic, kernel, gnn, train [default: all four]; or scaling, the growth of embeddings, into
    /// results/scaling.md; or growth, that of the encoders' training step, into results/growth.md.
    suites: Vec<String>,
    /// Print a JSON list of name, ours, peer, ratio.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<()> {
    if args.suites == ["scaling"] {
        return scaling::run(args.json);
    }
    if args.suites == ["growth"] {
        return growth::run(args.json);
    }
    let python = python()?;
    let mut command = cargo();
    command.args(["run", "--release", "--quiet", "--package", "logicvae-bench", "--"]);
    command.args(&args.suites).arg("--python").arg(python);
    if args.json {
        command.arg("--json");
    }
    shell::run(&mut command)
}

/// A Python of our own with the peers' packages, made once and again when the list changes.
fn python() -> Result<PathBuf> {
    let requirements = root().join("benches/python/requirements.txt");
    let wanted = std::fs::read_to_string(&requirements).context("the list of Python packages")?;
    let folder = target().join("bench-venv");
    let python = folder.join("bin/python");
    let installed = folder.join("installed.txt");
    if std::fs::read_to_string(&installed).is_ok_and(|list| list == wanted) {
        return Ok(python);
    }
    eprintln!("Preparing Python packages in {} ...", folder.display());
    shell::run(shell::command("python3").args(["-m", "venv", "--clear"]).arg(&folder))
        .context("python3 with venv is needed for the peers")?;
    shell::run(
        shell::command(&python).args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(&requirements),
    )?;
    std::fs::write(installed, wanted)?;
    Ok(python)
}

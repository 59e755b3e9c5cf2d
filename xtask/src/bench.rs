//! `cargo xtask bench`: compares the speed with that of named peers.

use std::env::consts::EXE_SUFFIX;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::shell::{self, cargo, print_to_stderr, root, target};
use crate::{against, growth, minimise, scaling};

/// Measure how many times faster our crates are than named peers. Both sides run alternately.
#[derive(clap::Args)]
pub struct Args {
    /// What to measure: logic, kernel, gnn, train, embedding [default: all five]. Or one of four tables:
    /// time and memory of embeddings (scaling, written to results/scaling.md) and of training steps of
    /// encoders (growth, written to results/growth.md), minimisation compared with ABC (minimise, written
    /// to results/minimise.md), or mining compared with other tools (mine, written to results/mining.md).
    suites: Vec<String>,
    /// With `mine`: the folder with public tables (.tsv.gz files of PMLB). Without it, only generated tables
    /// are used.
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// With `mine`: the sections to run [default: all]: complete, public, noise, few, synthetic,
    /// ablation, scale, speed.
    #[arg(long, value_name = "LIST")]
    sections: Option<String>,
    /// With `mine`: the number of seeds.
    #[arg(long, value_name = "N", default_value_t = 5)]
    seeds: u32,
    /// Compare with another build of `logicvae-bench`, such as that of an earlier commit, instead of with
    /// the peers: both run in turn.
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["json", "data", "sections"])]
    against: Option<PathBuf>,
    /// With `--against`: how often each build runs.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
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
    if args.suites == ["minimise"] {
        return minimise::run(args.json);
    }
    if args.suites == ["mine"] {
        let python = python("mine-requirements.txt", "mine-venv")?;
        let mut command = cargo();
        command.args(["run", "--release", "--package", "logicvae-bench", "--", "--mine"]);
        command.arg(args.sections.as_deref().unwrap_or("all"));
        command.args(["--seeds", &args.seeds.to_string()]).arg("--python").arg(python);
        if let Some(data) = &args.data {
            command.arg("--data").arg(data);
        }
        return shell::run(&mut command);
    }
    let python = python("requirements.txt", "bench-venv")?;
    if let Some(other) = &args.against {
        shell::run(cargo().args(["build", "--release", "--package", "logicvae-bench"]))?;
        let this = target().join("release").join(format!("logicvae-bench{EXE_SUFFIX}"));
        let mut arguments = args.suites.clone();
        arguments.extend(["--python".into(), python.display().to_string()]);
        return against::run(&root().join(this), other, &arguments, args.rounds.into());
    }
    let mut command = cargo();
    command.args(["run", "--release", "--package", "logicvae-bench", "--"]);
    command.args(&args.suites).arg("--python").arg(python);
    if args.json {
        command.arg("--json");
    }
    shell::run(&mut command)
}

/// A Python environment with the packages of the peers. It is created once, and again when their list
/// changes.
fn python(list: &str, folder: &str) -> Result<PathBuf> {
    let requirements = root().join("benches/python").join(list);
    let wanted = std::fs::read_to_string(&requirements).context("cannot read the list of Python packages")?;
    let folder = target().join(folder);
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let installed = folder.join("installed.txt");
    if std::fs::read_to_string(&installed).is_ok_and(|list| list == wanted) {
        return Ok(python);
    }
    eprintln!("Preparing Python packages in {} ...", folder.display());
    let system = if cfg!(windows) { "python" } else { "python3" };
    shell::run(shell::command(system).args(["-m", "venv", "--clear"]).arg(&folder))
        .context("the peers need Python with venv")?;
    let mut pip = shell::command(&python);
    pip.args(["-m", "pip", "install", "--requirement"]).arg(&requirements);
    shell::run(print_to_stderr(&mut pip))?;
    std::fs::write(installed, wanted)?;
    Ok(python)
}

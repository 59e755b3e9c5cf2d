//! `cargo xtask test --slurm`: a part of the quick suite on a real Slurm with two nodes, one of which fails.

mod cluster;
mod compare;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::shell::{self, cargo, output, step, target};
use cluster::{Cluster, pause};
use compare::compare;

/// What is run: two trainings, another evaluation of each, and a data set.
const ONLY: [&str; 4] =
    ["data-3", "gru-3-written-seen", "published-gcn-3-measures", "published-gcn-3-unseen"];

/// The node that fails.
const FAILING: &str = "logicvae-2";

/// The longest time to wait for anything.
const PATIENCE: Duration = Duration::from_secs(1800);

pub fn run() -> Result<()> {
    step("Slurm and munge", cluster::install)?;
    // Of the whole workspace, so that what its tests have built is used.
    let build = ["build", "--workspace", "--bin", "logicvae", "--bin", "logicvae-suite"];
    shell::run_step("building logicvae and logicvae-suite", cargo().args(build))?;
    let scratch = target().join("slurm");
    if scratch.exists() {
        fs::remove_dir_all(&scratch).with_context(|| format!("cannot remove {}", scratch.display()))?;
    }
    fs::create_dir_all(&scratch).with_context(|| format!("cannot create {}", scratch.display()))?;
    let scratch = scratch.canonicalize()?;
    let local = Folders::new(&scratch, "local");
    let shared = Folders::new(&scratch, "cluster");
    step("the same experiments without Slurm", || shell::run(local.suite().args(["--jobs", "1"])))?;
    let mut cluster = Cluster::start(&scratch)?;
    step("dry run", || dry_run(&shared, &cluster))?;
    step("two nodes, one of which fails", || fail_midway(&shared, &mut cluster))?;
    step("a submission with nothing left to do", || {
        let printed = submit(&shared, &cluster)?;
        ensure!(printed.is_empty(), "something was submitted again: {printed}");
        Ok(())
    })?;
    step("comparison", || compare(&local.root, &shared.root))?;
    cluster.stop();
    eprintln!("The results of the cluster are those of this machine.");
    Ok(())
}

/// The folders of one reproduction.
struct Folders {
    root: PathBuf,
}

impl Folders {
    fn new(scratch: &Path, name: &str) -> Self {
        Self { root: scratch.join(name) }
    }

    fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    /// The suite on these folders.
    fn suite(&self) -> Command {
        let mut command = shell::command(target().join("debug/logicvae-suite"));
        command.arg("--out").arg(self.root.join("out")).arg("--runs").arg(self.runs());
        ONLY.iter().for_each(|name| {
            command.args(["--only", name]);
        });
        command
    }
}

/// Submits what is missing, and gives the lines about submitted jobs.
fn submit(folders: &Folders, cluster: &Cluster) -> Result<String> {
    output(cluster.with(folders.suite().args(["--slurm", "--partition", "test", "--time", "30"])))
}

fn dry_run(folders: &Folders, cluster: &Cluster) -> Result<()> {
    let printed = output(cluster.with(folders.suite().args(["--slurm", "--dry-run"])))?;
    for part in ["#SBATCH --array=0-2", "--dependency=aftercorr:JOB0", "--dependency=afterany:", "--report"] {
        ensure!(printed.contains(part), "the scripts do not contain `{part}`:\n{printed}");
    }
    ensure!(!folders.root.exists() && cluster.queue()?.is_empty(), "a dry run changes nothing");
    Ok(())
}

/// Submits everything, lets a node fail in the middle of a training, and waits for the end.
fn fail_midway(folders: &Folders, cluster: &mut Cluster) -> Result<()> {
    let printed = submit(folders, cluster)?;
    eprint!("{printed}");
    let victim = wait(|| {
        let task = cluster.queue()?.into_iter().find(|task| task.node == FAILING);
        let Some(name) = task.and_then(|task| experiment(&folders.runs(), &task.id)) else { return Ok(None) };
        // Some epochs, so that there is something to resume.
        let metrics =
            fs::read_to_string(folders.runs().join(&name).join("metrics.jsonl")).unwrap_or_default();
        Ok((metrics.lines().count() >= 6).then_some((name, metrics.lines().count())))
    });
    let (victim, epochs) = victim.context("no training ran on the node that should fail")?;
    let again = submit(folders, cluster)?;
    ensure!(again.is_empty(), "what is queued was submitted again: {again}");
    cluster.fail(FAILING)?;
    eprintln!("{FAILING} failed after epoch {epochs} of {victim}");
    wait(|| Ok(cluster.queue()?.is_empty().then_some(()))).context("the jobs did not end")?;
    let log = fs::read_to_string(folders.runs().join(format!("{victim}.log"))).unwrap_or_default();
    ensure!(log.contains("--resume"), "{victim} was not resumed:\n{log}");
    ensure!(folders.root.join("out/REPORT.md").is_file(), "the last job wrote no report");
    Ok(())
}

/// The experiment of an array task, such as `3_1`.
fn experiment(runs: &Path, id: &str) -> Option<String> {
    let (job, index) = id.split_once('_')?;
    let text = fs::read_to_string(runs.join(format!("slurm/{job}.json"))).ok()?;
    let tasks: BTreeMap<String, String> = serde_json::from_str(&text).ok()?;
    tasks.get(index).cloned()
}

/// Asks every half second until there is an answer.
fn wait<T>(mut ask: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(answer) = ask()? {
            return Ok(answer);
        }
        pause(500);
    }
    bail!("nothing happened for {} minutes", PATIENCE.as_secs() / 60)
}

//! What Slurm knows of earlier submissions.
//!
//! Each submission leaves a file `slurm/JOB.json` beside the runs that says which experiment each task of the
//! array is. `squeue` says which of these tasks are still waiting or running.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::groups::Queued;
use crate::layout::write_file;

/// The folder of scripts, logs and submissions.
pub fn folder(runs: &Path) -> PathBuf {
    runs.join("slurm")
}

/// Remembers the experiments of an array.
pub fn remember(runs: &Path, job: u64, tasks: &BTreeMap<usize, String>) -> Result<()> {
    write_file(&folder(runs).join(format!("{job}.json")), serde_json::to_string(tasks)?.as_bytes())
}

/// The experiments that are waiting or running.
pub fn queued(runs: &Path) -> Result<BTreeMap<String, Queued>> {
    let mut submitted: BTreeMap<u64, BTreeMap<usize, String>> = BTreeMap::new();
    let Ok(entries) = fs::read_dir(folder(runs)) else { return Ok(BTreeMap::new()) };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let job = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".json")?.parse().ok());
        let tasks = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if let (Some(job), Some(tasks)) = (job, tasks) {
            submitted.insert(job, tasks);
        }
    }
    if submitted.is_empty() {
        return Ok(BTreeMap::new());
    }
    // All jobs of the user: asking for jobs that Slurm has forgotten would be an error.
    let listed =
        output(Command::new("squeue").args(["--me", "--array", "--noheader", "--format=%F %K"]), "")?;
    let mut found = BTreeMap::new();
    for at in listed.lines().filter_map(parse_task) {
        if let Some(name) = submitted.get(&at.job).and_then(|tasks| tasks.get(&at.index)) {
            found.insert(name.clone(), at);
        }
    }
    Ok(found)
}

/// A line of `squeue`: the id of the array and the index of the task. Other jobs have no index.
fn parse_task(line: &str) -> Option<Queued> {
    let (job, index) = line.trim().split_once(' ')?;
    Some(Queued { job: job.parse().ok()?, index: index.trim().parse().ok()? })
}

/// Submits a script and gives the id of the job.
pub fn submit(script: &str, arguments: &[String]) -> Result<u64> {
    let mut command = Command::new("sbatch");
    let printed = output(command.arg("--parsable").args(arguments), script)?;
    // On clusters with several controllers: `id;cluster`.
    let id = printed.trim().split(';').next().unwrap_or_default();
    id.parse().with_context(|| format!("sbatch printed `{}` instead of the id of a job", printed.trim()))
}

/// Runs a program of Slurm with this input, and gives what it prints.
fn output(command: &mut Command, input: &str) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {name}: is Slurm installed on this machine?"))?;
    let mut pipe = child.stdin.take().context("no standard input")?;
    // The program may end without reading everything; then its own message says why.
    pipe.write_all(input.as_bytes()).ok();
    drop(pipe);
    let output = child.wait_with_output().with_context(|| format!("cannot wait for {name}"))?;
    if !output.status.success() {
        bail!("{name} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_read_from_squeue() {
        assert_eq!(parse_task("17 4"), Some(Queued { job: 17, index: 4 }));
        assert_eq!(parse_task("18 N/A"), None, "a job that is no array");
    }

    #[test]
    fn nothing_is_asked_before_the_first_submission() {
        let folder = tempfile::tempdir().unwrap();
        // This machine need not have Slurm.
        assert!(queued(folder.path()).unwrap().is_empty());
    }
}

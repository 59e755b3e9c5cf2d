//! Submitting the suite to Slurm, with programs that stand in for `sbatch`, `squeue` and `scontrol`.
//! `cargo xtask test --slurm` uses the real ones.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

const SUITE: &str = r#"
code_version = 1
[quick]
[cost]
gru = 1.0
gcn = 1.0
gat = 1.0
leaves = 1.0
[[experiment]]
name = "one"
family = "test"
title = "One"
task = "draw"
formula = "x1 & x2"
[[experiment]]
name = "two"
family = "test"
title = "Two"
task = "train"
preset = "tiny"
[[experiment]]
name = "three"
family = "test"
title = "Three"
task = "evaluate"
model = "two"
flags = ["--seen"]
[[exhibit]]
id = "ours:all"
title = "All of them"
rows = ["one", "two", "three"]
"#;

/// Prints JSON as `logicvae draw` does, and fails for everything else.
const LOGICVAE: &str = r#"case "$*" in
  *draw*) echo '{"formula": "x1 & x2", "nodes": 3, "depth": 1}' ;;
  *) echo "logicvae: not here" >&2; exit 2 ;;
esac"#;

/// Counts jobs from 1, and keeps their scripts and arguments.
const SBATCH: &str = r#"cd "$FAKE"
count=$(($(cat count 2>/dev/null || echo 0) + 1))
echo $count > count
cat > script-$count
echo "$@" > arguments-$count
echo "$count;cluster""#;

struct Fake {
    folder: tempfile::TempDir,
}

impl Fake {
    fn new() -> Self {
        let fake = Self { folder: tempfile::tempdir().unwrap() };
        fs::write(fake.path().join("suite.toml"), SUITE).unwrap();
        fs::write(fake.path().join("queue"), "").unwrap();
        fake.script("sbatch", SBATCH);
        fake.script("squeue", "cat \"$FAKE/queue\"");
        fake.script("scontrol", "echo \"$@\" >> \"$FAKE/requeued\"");
        fake.script("logicvae", LOGICVAE);
        fake
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn script(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::write(&path, format!("#!/bin/bash\n{text}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("FAKE", self.path()).env("PATH", format!("{}:{path}", self.path().display()));
        command
    }

    fn suite(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(env!("CARGO_BIN_EXE_logicvae-suite"));
        let at = |name: &str| self.path().join(name);
        command.arg("--suite").arg(at("suite.toml")).arg("--program").arg(at("logicvae"));
        command.arg("--out").arg(at("out")).arg("--runs").arg(at("runs")).args(arguments);
        command.output().unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_default()
    }
}

fn text(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn arrays_are_submitted_once_and_run_their_experiments() {
    let fake = Fake::new();
    let output = fake.suite(&["--slurm", "--partition", "long", "--cpus", "3"]);
    let (out, err) = text(&output);
    assert!(output.status.success(), "{err}");
    assert_eq!(out, "job 1: 2 experiments (0-1)\njob 2: 1 experiments (1)\njob 3: the report\n");
    assert!(fake.read("arguments-1").trim() == "--parsable", "{}", fake.read("arguments-1"));
    assert!(fake.read("arguments-2").contains("--dependency=aftercorr:1 --kill-on-invalid-dep=yes"));
    assert!(fake.read("arguments-3").contains("--dependency=afterany:1:2"));
    let script = fake.read("script-1");
    assert!(script.contains("#SBATCH --partition=long\n") && script.contains("#SBATCH --cpus-per-task=3\n"));

    // Task 0 of the first array draws the formula, as Slurm would run it.
    let run = |script: &str, index: &str| {
        let mut bash = fake.command("bash");
        bash.arg(fake.path().join(script)).env("SLURM_ARRAY_JOB_ID", "1").env("SLURM_ARRAY_TASK_ID", index);
        bash.output().unwrap()
    };
    let output = run("script-1", "0");
    assert!(output.status.success(), "{:?}", text(&output));
    assert!(fake.read("out/test/one.json").contains("x1 & x2"));
    assert!(!fake.path().join("out/REPORT.md").exists(), "only the last job writes the report");
    // An experiment without its dependency, and a task that does not exist, are errors.
    let output = run("script-2", "1");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).1.contains("`three` depends on `two`, which has not been run"));
    assert_eq!(run("script-1", "7").status.code(), Some(2));
    assert!(!fake.path().join("requeued").exists(), "a failure is not tried again");

    // One is done, two is running, three is waiting: nothing is submitted.
    fs::write(fake.path().join("queue"), "1 1\n2 1\n3 N/A\n").unwrap();
    let (out, err) = text(&fake.suite(&["--slurm"]));
    assert_eq!(out, "", "{err}");
    assert!(err.contains("1 of 3 experiments are done, 2 are queued, 0 are submitted"), "{err}");
    // If the waiting one was cancelled, it waits for the task that is still running.
    fs::write(fake.path().join("queue"), "1 1\n").unwrap();
    let (out, _) = text(&fake.suite(&["--slurm"]));
    assert_eq!(out, "job 4: 1 experiments (0)\njob 5: the report\n");
    assert!(fake.read("arguments-4").contains("--dependency=afterok:1_1"), "{}", fake.read("arguments-4"));
    assert!(fake.read("arguments-5").contains("--dependency=afterany:1:4"));
    // The last job writes it.
    let output = run("script-3", "");
    assert!(output.status.success() && fake.path().join("out/REPORT.md").exists(), "{:?}", text(&output));
}

#[test]
fn a_task_at_its_time_limit_goes_back_to_the_queue_and_a_cancelled_one_does_not() {
    assert_eq!(requeued_after("-USR1"), "requeue 1_1\n");
    assert_eq!(requeued_after("-TERM"), "");
}

/// What `scontrol` is asked for when a running task receives a signal.
fn requeued_after(signal: &str) -> String {
    let fake = Fake::new();
    // A training that ends when it is told to, as `logicvae train --stop-with-input` does.
    fake.script("logicvae", "touch \"$FAKE/started\"; cat > /dev/null; exit 1");
    assert!(fake.suite(&["--slurm"]).status.success());
    let mut bash = fake.command("bash");
    bash.arg(fake.path().join("script-1")).env("SLURM_ARRAY_JOB_ID", "1").env("SLURM_ARRAY_TASK_ID", "1");
    let mut child = bash.spawn().unwrap();
    while !fake.path().join("started").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        std::thread::yield_now();
    }
    // Slurm signals the script, which passes the signal on.
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(75));
    fake.read("requeued")
}

#[test]
fn a_dry_run_prints_scripts_and_changes_nothing() {
    let fake = Fake::new();
    let output = fake.suite(&["--slurm", "--dry-run", "--gpus", "1", "--time", "1:00:00"]);
    let (out, err) = text(&output);
    assert!(output.status.success(), "{err}");
    for part in
        ["--dependency=aftercorr:JOB0", "--gpus=1", "--time=1:00:00", "afterany:JOB0:JOB1", "--report"]
    {
        assert!(out.contains(part), "no `{part}` in {out}");
    }
    assert!(!fake.path().join("count").exists() && !fake.path().join("runs").exists());
    // Options of Slurm without it are a mistake.
    assert_eq!(fake.suite(&["--partition", "long"]).status.code(), Some(2));
    // A failing sbatch is reported with its own words.
    fake.script("sbatch", "echo 'invalid partition' >&2; exit 1");
    let output = fake.suite(&["--slurm"]);
    assert!(!output.status.success() && text(&output).1.contains("invalid partition"), "{:?}", text(&output));
}

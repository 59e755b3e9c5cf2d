//! Runs the program on a small suite of real trainings. Completed experiments are not repeated, interrupted
//! ones are resumed, and a failure does not stop the others.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

const SUITE_PROGRAM: &str = env!("CARGO_BIN_EXE_logicvae-suite");

const SUITE: &str = r#"
code_version = 1
[quick]
about = "Small."
set = ["training.validate_every=50"]
[cost]
gru = 1.0
gcn = 1.0
gat = 1.0
leaves = 1.0
[metric.accuracy]
title = "accuracy"
key = "accuracy"
list = "by_formula.accuracy"
percent = true
[[experiment]]
name = "first"
family = "trainings"
title = "First"
task = "train"
preset = "tiny"
seed = 1
set = ["training.epochs=EPOCHS", "training.checkpoint_every=5"]
[[experiment]]
name = "step"
family = "exports"
title = "Step"
task = "export"
model = "first"
intermediate = true
[[experiment]]
name = "broken"
family = "others"
title = "Broken"
task = "evaluate"
model = "step"
flags = ["--no-such-flag"]
[[experiment]]
name = "second"
family = "trainings"
title = "Second"
task = "train"
preset = "tiny"
seed = 2
set = ["training.epochs=EPOCHS", "training.checkpoint_every=5"]
[[experiment]]
name = "export"
family = "exports"
title = "Exported"
task = "export"
model = "second"
[[experiment]]
name = "walk"
family = "others"
title = "Walk"
task = "walk"
model = "export"
formulae = 2
steps = 5
[[experiment]]
name = "third"
family = "trainings"
title = "Third"
task = "train"
preset = "tiny"
seed = 3
from = "export"
set = ["training.epochs=5", "training.learning_rate=1e-4"]
[[exhibit]]
id = "ours:all"
title = "All of them"
rows = ["first", "step", "broken", "second", "export", "third"]
columns = ["accuracy"]
"#;

/// All experiments with their families.
const EXPERIMENTS: [(&str, &str); 7] = [
    ("trainings", "first"),
    ("exports", "step"),
    ("others", "broken"),
    ("trainings", "second"),
    ("others", "walk"),
    ("exports", "export"),
    ("trainings", "third"),
];

/// The `logicvae` program. It is built here unless the tests of its own crate have built it.
fn logicvae() -> PathBuf {
    let path = Path::new(SUITE_PROGRAM).with_file_name(format!("logicvae{}", std::env::consts::EXE_SUFFIX));
    if !path.exists() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let built = Command::new(env!("CARGO"))
            .args(["build", "--package", "logicvae-cli"])
            .current_dir(root)
            .status()
            .unwrap();
        assert!(built.success());
    }
    path
}

/// A folder with a suite whose trainings have this number of epochs. If `working`, no experiment fails.
fn folder(epochs: usize, working: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut suite = SUITE.replace("EPOCHS", &epochs.to_string());
    if working {
        suite = suite.replace("\"--no-such-flag\"", "\"--budget\", \"true\"");
    }
    fs::write(folder.path().join("suite.toml"), suite).unwrap();
    folder
}

fn reproduce(folder: &Path) -> Command {
    let mut command = Command::new(SUITE_PROGRAM);
    command.arg("--suite").arg(folder.join("suite.toml")).arg("--program").arg(logicvae());
    command.arg("--out").arg(folder.join("out")).arg("--runs").arg(folder.join("runs")).args(["--jobs", "2"]);
    command.stdin(Stdio::null());
    command
}

fn finish(folder: &Path) -> Output {
    reproduce(folder).output().unwrap()
}

fn messages(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The measured values by experiment.
fn values(folder: &Path) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for (family, name) in EXPERIMENTS {
        let Ok(text) = fs::read(folder.join(format!("out/{family}/{name}.json"))) else { continue };
        let mut found: Value = serde_json::from_slice(&text).unwrap();
        all.insert(name.to_owned(), found["values"].take());
    }
    all
}

/// How often a training was started from its initial weights, according to its log.
fn begun(folder: &Path, name: &str) -> usize {
    let log = fs::read_to_string(folder.join(format!("runs/{name}.log"))).unwrap_or_default();
    log.lines()
        .filter(|line| line.starts_with("$ ") && line.contains("\"train\"") && !line.contains("--resume"))
        .count()
}

/// Waits until the training `name` has completed this number of epochs.
#[allow(clippy::disallowed_methods)] // Another process is observed, through its files only.
fn wait_for(folder: &Path, name: &str, epochs: usize, child: &mut Child) {
    let metrics = folder.join(format!("runs/{name}/metrics.jsonl"));
    let start = Instant::now();
    while fs::read_to_string(&metrics).map_or(0, |text| text.lines().count()) < epochs {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be stopped");
        assert!(start.elapsed() < Duration::from_secs(120), "no epochs");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn killed_and_interrupted_runs_continue_to_the_same_results() {
    let whole = folder(120, true);
    let output = finish(whole.path());
    assert!(output.status.success(), "{}", messages(&output));
    let wanted = values(whole.path());
    assert_eq!(wanted.len(), 7);
    let step = whole.path().join("runs/steps/first");
    assert!(
        step.join("model.safetensors").is_file() && !step.join("README.md").exists(),
        "an intermediate export is not among the models"
    );
    assert!(!whole.path().join("out/models/first").exists());

    let broken = folder(120, true);
    // Killed: the program cannot clean up. Its trainings notice, save their state and exit.
    for epochs in [3, 40] {
        let mut child = reproduce(broken.path()).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        wait_for(broken.path(), "second", epochs, &mut child);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // Ctrl-C: it says how to continue. Windows cannot send it to a single process.
    #[cfg(unix)]
    {
        let mut child =
            reproduce(broken.path()).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        wait_for(broken.path(), "second", 60, &mut child);
        let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(interrupted.success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", messages(&output));
        assert!(messages(&output).contains("run the same command again"), "{}", messages(&output));
    }

    let output = finish(broken.path());
    assert!(output.status.success(), "{}", messages(&output));
    assert_eq!(values(broken.path()), wanted);
    assert_eq!(
        (begun(broken.path(), "first"), begun(broken.path(), "second")),
        (1, 1),
        "nothing is trained twice"
    );

    // Once more: nothing is left to do.
    let before = fs::metadata(broken.path().join("out/trainings/first.json")).unwrap().modified().unwrap();
    let output = finish(broken.path());
    assert!(
        output.status.success() && messages(&output).contains("7 of 7 done already"),
        "{}",
        messages(&output)
    );
    assert_eq!(
        fs::metadata(broken.path().join("out/trainings/first.json")).unwrap().modified().unwrap(),
        before
    );
    // A training that starts from an exported model needs the model but no run. Without the model, everything
    // that leads to it is repeated.
    let (third, runs, models) = (
        broken.path().join("out/trainings/third.json"),
        broken.path().join("runs"),
        broken.path().join("out/models"),
    );
    let planned = || {
        let output = reproduce(broken.path()).args(["--dry-run", "--only", "third"]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_owned()
    };
    fs::remove_file(third).unwrap();
    fs::remove_dir_all(&runs).unwrap();
    assert!(planned().starts_with("1 of 3 to run"), "{}", planned());
    let card = fs::read_to_string(broken.path().join("out/models/second/README.md")).unwrap();
    assert!(
        card.contains("network alone") && card.contains("CRC-32") && card.contains("[training]"),
        "{card}"
    );
    let about = models.join("second/run.json");
    let text = fs::read_to_string(&about).unwrap();
    let weights =
        serde_json::from_str::<Value>(&text).unwrap()["export"]["weights"].as_str().unwrap().to_owned();
    fs::write(&about, text.replace(&weights, "00000000")).unwrap();
    assert!(planned().starts_with("3 of 3 to run"), "weights that differ from the result's: {}", planned());
    fs::write(&about, text).unwrap();
    assert!(planned().starts_with("1 of 3 to run"), "{}", planned());
    // A damaged model is made again.
    for file in ["model.safetensors", "config.toml", "test.txt"] {
        let path = models.join("second").join(file);
        let whole = fs::read(&path).unwrap();
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 1;
        fs::write(&path, damaged).unwrap();
        assert!(planned().starts_with("3 of 3 to run"), "{file}: {}", planned());
        fs::write(&path, whole).unwrap();
    }
    assert!(planned().starts_with("1 of 3 to run"), "{}", planned());
    // Also if a part of it is missing.
    fs::remove_file(models.join("second/config.toml")).unwrap();
    assert!(planned().starts_with("3 of 3 to run"), "{}", planned());
    let output = reproduce(broken.path()).args(["--only", "third"]).output().unwrap();
    assert!(output.status.success(), "{}", messages(&output));
    assert!(planned().starts_with("0 of 3 to run"), "{}", planned());
    fs::remove_file(broken.path().join("out/trainings/third.json")).unwrap();
    fs::remove_dir_all(runs).unwrap();
    fs::remove_dir_all(models).unwrap();
    assert!(planned().starts_with("3 of 3 to run"), "{}", planned());
}

#[test]
fn failures_do_not_stop_other_experiments() {
    let folder = folder(5, false);
    let output = finish(folder.path());
    assert_eq!(output.status.code(), Some(1));
    let text = messages(&output);
    assert!(text.contains("failed: broken") && text.contains("--no-such-flag"), "{text}");
    assert_eq!(
        values(folder.path()).keys().collect::<Vec<_>>(),
        ["export", "first", "second", "step", "third", "walk"]
    );
    let report = fs::read_to_string(folder.path().join("out/REPORT.md")).unwrap();
    assert!(report.lines().any(|line| line.contains("Broken") && line.contains("not run")), "{report}");
    let html = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert!(
        html.contains("id=\"ours:all\"") && !html.contains("src=\"http"),
        "a single file without external resources"
    );

    // After a correction, only what failed or changed is run.
    let path = folder.path().join("suite.toml");
    let suite = fs::read_to_string(&path).unwrap().replace("\"--no-such-flag\"", "\"--budget\", \"true\"");
    let changed = suite.replacen("seed = 2\nset = [", "seed = 2\nset = [\"training.clip=5.0\", ", 1);
    assert_ne!(changed, suite);
    fs::write(&path, changed).unwrap();
    let output = finish(folder.path());
    assert!(output.status.success(), "{}", messages(&output));
    assert!(messages(&output).contains("2 of 7 done already"), "{}", messages(&output));
    // The third training starts from the weights of the second, so it is started again too.
    assert_eq!(["first", "second", "third"].map(|name| begun(folder.path(), name)), [1, 2, 2]);

    // A result that was edited does not count as done.
    let planned = || {
        let output = reproduce(folder.path()).args(["--dry-run", "--only", "first"]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_owned()
    };
    assert!(planned().starts_with("0 of 1 to run"), "{}", planned());
    let path = folder.path().join("out/trainings/first.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("\"accuracy\":", "\"accuracy\":1", 1)).unwrap();
    assert!(planned().starts_with("1 of 1 to run"), "{}", planned());
    fs::write(&path, text).unwrap();

    // Two reproductions do not write to the same results, even with different runs.
    let lock = fs::File::create(folder.path().join("out/.lock")).unwrap();
    lock.lock().unwrap();
    let output = reproduce(folder.path()).arg("--report").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(messages(&output).contains("another reproduction is running in"), "{}", messages(&output));
}

#[test]
fn plans_and_lists_run_nothing() {
    let folder = folder(5, true);
    let output = reproduce(folder.path()).arg("--dry-run").args(["--only", "walk"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success()
            && text.contains("walk")
            && text.contains("second")
            && !text.contains("first"),
        "{text}"
    );
    assert!(text.contains("3 of 3 to run"), "{text}");
    assert!(!folder.path().join("out").exists());
    let output = reproduce(folder.path()).args(["--only", "nothing"]).output().unwrap();
    assert!(!output.status.success() && messages(&output).contains("there is no experiment `nothing`"));
    let output = reproduce(folder.path()).arg("--list").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 7);
}

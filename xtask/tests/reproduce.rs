//! The reproduction's runner on a small suite of real trainings: what is done stays done, what was stopped goes on, what fails
//! does not stop the rest.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

const SUITE: &str = r#"
code_version = 1
quick_about = "Small."
quick = ["training.validate_every=50"]
[quick_if]
[cost]
gru = 1.0
[measure.accuracy]
title = "accuracy"
key = "accuracy"
list = "by_formula.accuracy"
percent = true
[[experiment]]
name = "first"
title = "First"
task = "train"
preset = "tiny"
seed = 1
set = ["training.epochs=EPOCHS", "training.checkpoint_every=5"]
[[experiment]]
name = "step"
title = "Step"
task = "ship"
of = "first"
step = true
[[experiment]]
name = "broken"
title = "Broken"
task = "measure"
of = "step"
flags = ["--no-such-flag"]
[[experiment]]
name = "second"
title = "Second"
task = "train"
preset = "tiny"
seed = 2
set = ["training.epochs=EPOCHS", "training.checkpoint_every=5"]
[[experiment]]
name = "ship"
title = "Shipped"
task = "ship"
of = "second"
[[experiment]]
name = "walk"
title = "Walk"
task = "walk"
of = "ship"
formulae = 2
steps = 5
[[experiment]]
name = "third"
title = "Third"
task = "train"
preset = "tiny"
seed = 3
from = "ship"
set = ["training.epochs=5", "training.learning_rate=1e-4"]
[[exhibit]]
id = "ours:all"
title = "All of them"
rows = ["first", "step", "broken", "second", "ship", "third"]
columns = ["accuracy"]
"#;

/// The program, built by the tests of its own crate or now.
fn program() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_xtask"))
        .with_file_name(format!("logicvae{}", std::env::consts::EXE_SUFFIX));
    if !path.exists() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let built = Command::new(env!("CARGO"))
            .args(["build", "--package", "logicvae-cli"])
            .current_dir(root)
            .status()
            .unwrap();
        assert!(built.success());
    }
    path
}

/// A folder with a suite whose trainings have so many epochs.
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
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("reproduce").arg("--suite").arg(folder.join("suite.toml")).arg("--program").arg(program());
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

/// What was measured, by experiment.
fn values(folder: &Path) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for name in ["first", "step", "broken", "second", "walk", "ship", "third"] {
        let Ok(text) = fs::read(folder.join(format!("out/{name}.json"))) else { continue };
        let mut found: Value = serde_json::from_slice(&text).unwrap();
        all.insert(name.to_owned(), found["values"].take());
    }
    all
}

/// How often a training was begun anew, by its log.
fn begun(folder: &Path, name: &str) -> usize {
    let log = fs::read_to_string(folder.join(format!("runs/{name}.log"))).unwrap_or_default();
    log.lines()
        .filter(|line| line.starts_with("$ ") && line.contains("\"train\"") && !line.contains("--resume"))
        .count()
}

/// Waits until the training of `name` has written so many epochs.
#[allow(clippy::disallowed_methods)] // Another process is watched, and tells nothing but by its files.
fn wait_for(folder: &Path, name: &str, epochs: usize, child: &mut Child) {
    let metrics = folder.join(format!("runs/{name}/metrics.jsonl"));
    let start = Instant::now();
    while fs::read_to_string(&metrics).map_or(0, |text| text.lines().count()) < epochs {
        assert!(child.try_wait().unwrap().is_none(), "ended before it could be stopped");
        assert!(start.elapsed() < Duration::from_secs(120), "no epochs");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn killed_and_interrupted_it_goes_on_to_the_same_results() {
    let whole = folder(120, true);
    let output = finish(whole.path());
    assert!(output.status.success(), "{}", messages(&output));
    let wanted = values(whole.path());
    assert_eq!(wanted.len(), 7);
    let step = whole.path().join("runs/steps/first");
    assert!(
        step.join("model.safetensors").is_file() && !step.join("README.md").exists(),
        "a step is not among the models"
    );
    assert!(!whole.path().join("out/models/first").exists());

    let broken = folder(120, true);
    // Killed: nobody can clean up. The trainings see their supervisor go, save and leave.
    for epochs in [3, 40] {
        let mut child = reproduce(broken.path()).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        wait_for(broken.path(), "second", epochs, &mut child);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // Ctrl-C: it says how to go on.
    let mut child = reproduce(broken.path()).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    wait_for(broken.path(), "second", 60, &mut child);
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", messages(&output));
    assert!(messages(&output).contains("the same command goes on"), "{}", messages(&output));

    let output = finish(broken.path());
    assert!(output.status.success(), "{}", messages(&output));
    assert_eq!(values(broken.path()), wanted);
    assert_eq!(
        (begun(broken.path(), "first"), begun(broken.path(), "second")),
        (1, 1),
        "nothing is trained twice"
    );

    // Once more: there is nothing left to do.
    let before = fs::metadata(broken.path().join("out/first.json")).unwrap().modified().unwrap();
    let output = finish(broken.path());
    assert!(
        output.status.success() && messages(&output).contains("7 of 7 done already"),
        "{}",
        messages(&output)
    );
    assert_eq!(fs::metadata(broken.path().join("out/first.json")).unwrap().modified().unwrap(), before);
    // What begins with a model needs no run but the model; without that, all that leads to it is made again.
    let (third, runs, models) =
        (broken.path().join("out/third.json"), broken.path().join("runs"), broken.path().join("out/models"));
    let planned = || {
        let output = reproduce(broken.path()).args(["--dry-run", "--only", "third"]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_owned()
    };
    fs::remove_file(third).unwrap();
    fs::remove_dir_all(runs).unwrap();
    assert!(planned().starts_with("1 of 3 to run"), "{}", planned());
    let card = fs::read_to_string(broken.path().join("out/models/second/README.md")).unwrap();
    assert!(
        card.contains("| accuracy |") && card.contains("CRC-32") && card.contains("[training]"),
        "{card}"
    );
    let about = models.join("second/run.json");
    let text = fs::read_to_string(&about).unwrap();
    let weights =
        serde_json::from_str::<Value>(&text).unwrap()["export"]["weights"].as_str().unwrap().to_owned();
    fs::write(&about, text.replace(&weights, "00000000")).unwrap();
    assert!(planned().starts_with("3 of 3 to run"), "other weights than the result's: {}", planned());
    fs::write(&about, text).unwrap();
    assert!(planned().starts_with("1 of 3 to run"), "{}", planned());
    fs::remove_dir_all(models).unwrap();
    assert!(planned().starts_with("3 of 3 to run"), "{}", planned());
}

#[test]
fn what_fails_does_not_stop_the_rest() {
    let folder = folder(5, false);
    let output = finish(folder.path());
    assert_eq!(output.status.code(), Some(1));
    let text = messages(&output);
    assert!(text.contains("failed: broken") && text.contains("--no-such-flag"), "{text}");
    assert_eq!(
        values(folder.path()).keys().collect::<Vec<_>>(),
        ["first", "second", "ship", "step", "third", "walk"]
    );
    let report = fs::read_to_string(folder.path().join("out/REPORT.md")).unwrap();
    assert!(report.lines().any(|line| line.contains("Broken") && line.contains("not run")), "{report}");
    let html = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert!(
        html.contains("id=\"ours:all\"") && !html.contains("src=\"http"),
        "one file that needs nothing else"
    );

    // Put right, only what failed and what changed is run.
    let path = folder.path().join("suite.toml");
    let suite = fs::read_to_string(&path).unwrap().replace("\"--no-such-flag\"", "\"--budget\", \"true\"");
    let changed = suite.replacen("seed = 2\nset = [", "seed = 2\nset = [\"training.clip=5.0\", ", 1);
    assert_ne!(changed, suite);
    fs::write(&path, changed).unwrap();
    let output = finish(folder.path());
    assert!(output.status.success(), "{}", messages(&output));
    assert!(messages(&output).contains("2 of 7 done already"), "{}", messages(&output));
    // The third begins with the second's weights, so that it begins anew too.
    assert_eq!(["first", "second", "third"].map(|name| begun(folder.path(), name)), [1, 2, 2]);
}

#[test]
fn plans_and_lists_do_nothing() {
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

//! Training models and using them.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{Folder, SMALL, done, logicvae};

/// A short training of the tiny preset, which takes half a second.
const SHORT: [&str; 6] = [
    "train",
    "--preset",
    "tiny",
    "--set=training.epochs=30",
    "--set=training.checkpoint_every=1",
    "--set=training.validate_every=5",
];

fn train(out: &str, more: &[&str]) -> crate::support::Run {
    let mut args = SHORT.to_vec();
    args.extend(["--out", out]);
    args.extend(more);
    logicvae(&args)
}

/// Names and contents of all weight and state files of a run.
fn weights(run: &str) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<(String, Vec<u8>)> = std::fs::read_dir(run)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "safetensors" || e == "state"))
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap()))
        .collect();
    found.sort();
    found
}

#[test]
fn a_model_is_trained_evaluated_and_used() {
    let folder = Folder::new();
    let run = folder.path("run");
    let trained = train(&run, &["--json"]);
    assert_eq!(trained.code, 0, "{}", trained.err);
    let outcome = trained.json();
    assert_eq!((outcome["epochs"].as_u64(), outcome["stop_reason"].as_str()), (Some(30), Some("epochs")));
    assert!(outcome["best"]["validation"]["nll"].as_f64().unwrap() > 0.0);
    for file in [
        "config.toml",
        "run.json",
        "metrics.jsonl",
        "loss.svg",
        "best.safetensors",
        "last.state",
        "train.txt",
        "test.txt",
    ] {
        assert!(Path::new(&run).join(file).is_file(), "{file}");
    }
    let lines = String::from_utf8(folder.read("run/metrics.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 30);

    let measured = done(&["evaluate", &run, "--quick", "--refine", "--json"]).json();
    for key in [
        "nll",
        "accuracy",
        "ordered_accuracy",
        "mode_accuracy",
        "validity",
        "uniqueness",
        "novelty",
        "refined",
    ] {
        assert!(measured[key].as_f64().is_some(), "{key} in {measured}");
    }
    assert_eq!(measured["validity"].as_f64(), Some(1.0));
    done(&["evaluate", &run, "--quick", "--weights", "best", "--data", &format!("{run}/valid.txt")]);
    let seen = done(&["evaluate", &run, "--quick", "--seen", "--json"]).json();
    assert_eq!((seen["formulae"].as_u64(), seen["reordered"].as_u64()), (Some(20), Some(20)));
    assert!(
        seen["nll"].as_f64() < measured["nll"].as_f64(),
        "training formulae have a lower loss than test formulae"
    );

    // Encode and decode.
    let z = folder.path("z.npy");
    let encoded =
        done(&["encode", "--model", &run, &format!("{run}/train.txt"), "--out", &z, "--json"]).json();
    assert_eq!(encoded["rows"].as_u64(), Some(100));
    let exact = encoded["exact"].as_u64().unwrap();
    let decoded = done(&["decode", "--model", &run, "--z", &z, "--json"]).json();
    let formulae = decoded["formulae"].as_array().unwrap();
    let text = String::from_utf8(folder.read("run/train.txt")).unwrap();
    let same =
        text.lines().zip(formulae).filter(|(line, found)| Some(*line) == found["formula"].as_str()).count();
    assert_eq!((formulae.len(), same as u64), (100, exact));
    assert!(exact > 50, "{exact} of 100 were refined successfully");
    assert!(formulae.iter().all(|f| f["log_probability"].as_f64().unwrap() <= 0.0));
    assert_eq!(
        done(&["encode", "--model", &run, "x1 & x2", "--json"]).json()["vectors"][0]
            .as_array()
            .unwrap()
            .len(),
        25
    );

    let scored =
        done(&["decode", "--model", &run, "--z", &z, "--of", &format!("{run}/train.txt"), "--json"]).json();
    for (scored, found) in scored["formulae"].as_array().unwrap().iter().zip(formulae) {
        if scored["formula"] == found["formula"] {
            let (a, b) =
                (scored["log_probability"].as_f64().unwrap(), found["log_probability"].as_f64().unwrap());
            assert!((a - b).abs() < 1e-4 * b.abs().max(1.0), "{a} and {b}");
        }
    }
    let beam = done(&["decode", "--model", &run, "--z", &z, "--beam", "3", "--json"]).json();
    assert_eq!(beam["formulae"].as_array().unwrap().len(), 300);
    let args = ["decode", "--model", &run, "--draws", "4", "--samples", "10", "--seed", "5", "--json"];
    let drawn = done(&args);
    assert_eq!(drawn.out, done(&args).out, "the same seed gives the same formulae");
    let counts = drawn.json()["formulae"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["count"].as_u64().unwrap())
        .sum::<u64>();
    assert_eq!(counts, 40);

    let svg = folder.path("path.svg");
    let path =
        done(&["interpolate", "--model", &run, "x1 & x2", "--steps", "12", "--out", &svg, "--json"]).json();
    assert_eq!(path["steps"].as_array().unwrap().len(), 12);
    assert!(folder.read("path.svg").starts_with(b"<svg"));
    let refused = logicvae(&["interpolate", "--model", &run, "x1 & x2", "x3", "--out", &svg]);
    assert_eq!(refused.code, 2, "existing files are not overwritten");
    assert!(
        done(&["interpolate", "--model", &run, "x1 & x2", "!x3", "--steps", "5", "--linear"])
            .out
            .contains("nodes change")
    );
    let near = done(&[
        "neighbours",
        "--model",
        &run,
        "x1 & x2",
        "--in",
        &format!("{run}/train.txt"),
        "-k",
        "3",
        "--json",
    ])
    .json();
    assert_eq!(near["neighbours"].as_array().unwrap().len(), 3);
    done(&["map", "--model", &run, "--out", &folder.path("map.svg")]);
    assert!(folder.read("map.svg").starts_with(b"<svg"));
}

#[test]
fn a_conditional_model_decodes_for_a_meaning() {
    let folder = Folder::new();
    let run = folder.path("run");
    done(&[&["train", "--preset", "cvae-best-3", "--out", &run], &SMALL[..]].concat());
    let decoded =
        done(&["decode", "--model", &run, "--context", "x1 -> x2", "--draws", "3", "--json"]).json();
    assert_eq!(decoded["formulae"].as_array().unwrap().len(), 3);
    let measured = done(&["evaluate", &run, "--quick", "--json"]).json();
    for key in ["semantic_distance", "kernel", "gaussian_kernel", "accuracy"] {
        assert!(measured[key].as_f64().is_some(), "{key} in {measured}");
    }
    let narrow = done(&["evaluate", &run, "--quick", "--prior-noise", "0.01", "--json"]).json();
    assert_eq!(narrow["protocol"]["prior_noise"], 0.01);
    assert_ne!(narrow["semantic_distance"], measured["semantic_distance"]);
    assert_eq!(
        narrow["accuracy"], measured["accuracy"],
        "the noise of encodings does not depend on --prior-noise"
    );
    let missing = logicvae(&["decode", "--model", &run, "--draws", "3"]);
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("conditional"), "{}", missing.err);
}

#[test]
fn an_existing_run_is_not_overwritten() {
    let folder = Folder::new();
    let run = folder.path("run");
    assert_eq!(train(&run, &["--epochs=2"]).code, 0);
    let before = weights(&run);
    let again = train(&run, &["--epochs=2"]);
    assert_eq!(again.code, 2);
    assert!(again.err.contains("--resume") && again.err.contains("--force"), "{}", again.err);
    assert_eq!(weights(&run), before);
    // Continue the run with more epochs, then replace it with a new run.
    let longer = done(&["train", "--resume", "--out", &run, "--epochs", "3", "--json"]).json();
    assert_eq!(longer["epochs"].as_u64(), Some(3));
    assert_eq!(train(&run, &["--epochs=2", "--force"]).code, 0);
    assert_eq!(weights(&run), before);
    // A folder with other files is never used.
    folder.write("notes.txt", "mine");
    assert_eq!(train(&folder.path("."), &["--force"]).code, 2);
    assert_eq!(folder.read("notes.txt"), b"mine");
    // Not even if the files have the names of a run's files.
    let theirs = Folder::new();
    theirs.write("train.txt", "x1 & x2\n");
    theirs.write("config.toml", "theme = 'dark'");
    for more in [&[][..], &["--force"]] {
        assert_eq!(train(&theirs.path("."), more).code, 2);
        assert_eq!(theirs.names(), ["config.toml", "train.txt"]);
    }
}

#[test]
fn a_rejected_command_does_not_change_the_run() {
    let folder = Folder::new();
    let run = folder.path("run");
    assert_eq!(train(&run, &["--epochs=1"]).code, 0);
    let (before, config) = (weights(&run), folder.read("run/config.toml"));
    let constant = folder
        .write("constant.txt", "x1 | 1\nx1\nx2\nx3\n!x1\n!x2\n!x3\nx1 & x2\nx1 & x3\nx2 & x3\nx1 | x2\n");
    let refused = train(&run, &["--data", &constant, "--force"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("constant"), "{}", refused.err);
    assert_eq!(weights(&run), before);
    // Resuming with other settings.
    let refused = logicvae(&["train", "--resume", "--preset", "gcn-3", "--epochs", "9", "--out", &run]);
    assert_eq!(refused.code, 2);
    assert_eq!(folder.read("run/config.toml"), config);
}

#[test]
fn bad_settings_are_errors_before_anything_is_written() {
    let folder = Folder::new();
    let run = folder.path("run");
    for (args, wanted) in [
        (vec!["--preset", "gat-9"], "no preset"),
        (vec!["--preset", "gcn-3", "--set=model.encoder.heads=[3,3]"], "only GAT has heads"),
        (vec!["--preset", "gat-5", "--set=model.variables=3"], "the model only knows x1 to x3"),
        (vec!["--preset", "cvae-gat-3", "--set=context.pool=0"], "pool"),
        (vec!["--preset", "gat-3", "--set=model.prior=learned"], "context"),
        (vec!["--preset", "gat-3", "--set=model.depth=3"], "depth"),
        (vec!["--preset", "gat-3", "--data", "nowhere.txt"], "nowhere.txt"),
        (vec!["--config", "nowhere.toml"], "nowhere.toml"),
        (vec!["--resume"], "no run"),
    ] {
        let mut all = vec!["train", "--out", &run];
        all.extend(&args);
        let refused = logicvae(&all);
        assert_eq!(refused.code, 2, "{args:?}: {}", refused.err);
        assert!(refused.err.contains(wanted), "{args:?}: {}", refused.err);
        assert!(folder.names().is_empty(), "{args:?} left {:?}", folder.names());
    }
}

#[test]
fn bad_input_to_a_model_has_a_clear_message() {
    let folder = Folder::new();
    let run = folder.path("run");
    assert_eq!(train(&run, &["--epochs=1"]).code, 0);
    let wide = folder.path("wide.npy");
    let formulae = folder.write("f.txt", "x1 & x2\nx1 | !x3\nx2\nx3\n");
    done(&["embed", &formulae, "--pool", &formulae, "--components", "2", "--out", &wide]);
    let fresh = folder.path("fresh");
    assert_eq!(train(&fresh, &["--epochs=1", "--set", "data.fresh=true"]).code, 0);
    let foreign = folder.write("foreign.txt", "x1 & x7\n");
    let text = folder.write("z.txt", "hello");
    for (args, wanted) in [
        (vec!["evaluate", "nowhere"], "nowhere does not exist"),
        (vec!["evaluate", &fresh, "--seen"], "fresh"),
        (vec!["evaluate", &run, "--prior-noise", "-1"], "0 or more"),
        (vec!["encode", "--model", &run, "x1 &"], "neither a file nor a valid formula"),
        (vec!["encode", "--model", &run, "x7"], "x7"),
        (vec!["encode", "--model", &run, &foreign], "x7"),
        (vec!["decode", "--model", &run, "--z", &wide], "rows of 2 numbers, but 25"),
        (vec!["decode", "--model", &run, "--z", &text], ".npy"),
        (vec!["decode", "--model", &run, "--context", "x1"], "not conditional"),
        (vec!["decode", "--model", &run, "--beam", "0"], "beam"),
        (vec!["interpolate", "--model", &run, "x1 &"], "first formula"),
    ] {
        let refused = logicvae(&args);
        assert_eq!(refused.code, 2, "{args:?}: {}", refused.err);
        assert!(refused.err.contains(wanted), "{args:?}: {}", refused.err);
    }
}

#[test]
fn messages_name_damaged_files_of_a_run() {
    let folder = Folder::new();
    let run = folder.path("run");
    assert_eq!(train(&run, &["--epochs=1"]).code, 0);
    let files = weights(&run);
    let last = files.iter().map(|f| &f.0).find(|name| name.starts_with("last-")).unwrap();
    for (name, wanted) in
        [("last.state", "last.state"), (last.as_str(), last.as_str()), ("test.txt", "test.txt")]
    {
        let path = Path::new(&run).join(name);
        let whole = std::fs::read(&path).unwrap();
        let mut changed = whole.clone();
        let middle = whole.len() / 2;
        changed[middle] ^= 1;
        for damaged in [&whole[..middle], &changed] {
            std::fs::write(&path, damaged).unwrap();
            let refused = logicvae(&["evaluate", &run, "--quick"]);
            assert_eq!(refused.code, 2, "{name}: {}", refused.err);
            assert!(refused.err.contains(wanted), "{name}: {}", refused.err);
            assert_eq!(logicvae(&["train", "--resume", "--epochs", "2", "--out", &run]).code, 2, "{name}");
        }
        std::fs::write(&path, &whole).unwrap();
    }
    done(&["train", "--resume", "--epochs", "2", "--out", &run]);
}

fn start(args: &[&str]) -> std::process::Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("logicvae"));
    command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Irregular waiting times without a random generator: the fractional parts of multiples of the golden ratio.
fn waiting_time(number: u32, longest: Duration) -> Duration {
    longest.mul_f64((f64::from(number) * 0.618_034).fract())
}

/// A training that is killed after its last checkpoint, before the one before it is removed.
#[test]
fn resuming_removes_what_a_killed_training_left() {
    let folder = Folder::new();
    let run = folder.path("run");
    assert_eq!(train(&run, &[]).code, 0);
    let wanted = weights(&run);
    let last = wanted.iter().find(|(name, _)| name.starts_with("last-")).unwrap();
    std::fs::write(Path::new(&run).join("last-00000000.safetensors"), &last.1).unwrap();
    done(&["train", "--resume", "--out", &run]);
    assert!(weights(&run) == wanted);
}

#[test]
fn a_run_killed_at_any_time_resumes_to_the_same_bits() {
    let folder = Folder::new();
    let whole = folder.path("whole");
    let begin = std::time::Instant::now();
    assert_eq!(train(&whole, &[]).code, 0);
    let time = begin.elapsed();
    let wanted = weights(&whole);
    for number in 0..20 {
        let run = folder.path(&format!("run-{number}"));
        let mut args = SHORT.to_vec();
        args.extend(["--out", &run]);
        let mut child = start(&args);
        // Kill it twice, at different times.
        for again in 0..2 {
            let _ = child.wait_timeout(waiting_time(2 * number + again + 1, time));
            child.kill().unwrap();
            child.wait().unwrap();
            if !Path::new(&run).join("config.toml").exists() {
                child = start(&args);
            } else {
                child = start(&["train", "--resume", "--out", &run]);
            }
        }
        assert!(child.wait().unwrap().success(), "run {number}");
        assert!(weights(&run) == wanted, "run {number} has other weights");
        let metrics = std::fs::read_to_string(Path::new(&run).join("metrics.jsonl")).unwrap();
        assert_eq!(metrics.lines().count(), 30, "run {number}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_saves_a_checkpoint_and_stops() {
    let folder = Folder::new();
    let (whole, run) = (folder.path("whole"), folder.path("run"));
    assert_eq!(train(&whole, &["--epochs=200"]).code, 0);
    let mut args = SHORT.to_vec();
    args.extend(["--out", &run, "--epochs=200"]);
    let mut child = start(&args);
    while !Path::new(&run).join("last.state").exists() {
        assert!(!child.wait_timeout(Duration::from_millis(5)), "it ended before its first checkpoint");
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "an interrupted run is not a success");
    done(&["train", "--resume", "--out", &run]);
    assert!(weights(&run) == weights(&whole));
}

/// Waits for a process for a limited time, and returns early if it ends.
trait WaitTimeout {
    fn wait_timeout(&mut self, longest: Duration) -> bool;
}

impl WaitTimeout for std::process::Child {
    fn wait_timeout(&mut self, longest: Duration) -> bool {
        let begin = std::time::Instant::now();
        while begin.elapsed() < longest {
            if self.try_wait().unwrap().is_some() {
                return true;
            }
            std::thread::park_timeout(Duration::from_millis(2));
        }
        false
    }
}

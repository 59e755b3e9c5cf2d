//! Nothing is lost and nothing panics: signals, full disks, and files that promise more than they contain.

use std::fs;
use std::path::Path;

use crate::support::{Folder, done, logicvae, refused};

/// A .npy file of f32 with any text as its shape.
fn npy(shape: &str, numbers: usize) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    header.push_str(&" ".repeat(127 - 10 - header.len()));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(vec![0; 4 * numbers]);
    bytes
}

#[test]
fn a_matrix_that_promises_too_much_is_refused_before_memory_is_reserved() {
    let folder = Folder::new();
    for (shape, numbers, wanted) in [
        ("(1073741824, 89)", 89, "truncated"),
        ("(0, 9223372036854775808)", 0, "truncated"),
        ("(4294967296, 4294967296)", 89, "truncated"),
        ("(2, 89)", 89, "truncated"),
        ("(two, 89)", 89, "damaged"),
        ("(0, 89)", 0, "no rows"),
        ("(3,)", 3, "rows of 3 numbers"),
    ] {
        let path = folder.write("e.npy", npy(shape, numbers));
        let run = logicvae(&["decode", "--z", &path]);
        refused(&run, &["e.npy"]);
        assert!(
            run.err.contains(wanted) || run.err.contains("not a complete matrix"),
            "{shape}: {}",
            run.err
        );
    }
}

#[test]
fn sizes_in_settings_have_limits() {
    let folder = Folder::new();
    let run = folder.path("run");
    for (preset, set) in [
        ("cvae-best-3", "context.pool=1000000000000"),
        ("cvae-best-3", "context.components=1000000000000"),
        ("tiny", "data.set.valid=1000000000000"),
        ("tiny", "data.set.test=1000000000000"),
        ("tiny", "data.set.train=1000000000000"),
        ("tiny", "model.hidden=16384"),
    ] {
        let name = set.split('=').next().unwrap();
        let failed = logicvae(&["train", "--preset", preset, "--set", set, "--out", &run]);
        let wanted = if name == "model.hidden" { "weights" } else { name };
        refused(&failed, &[wanted]);
        assert!(folder.names().is_empty(), "{set}");
    }
    let failed = logicvae(&["train", "--preset", "tiny", "--set", "name=\"a\\u0007b\"", "--out", &run]);
    refused(&failed, &["control characters"]);
}

#[test]
fn a_variable_with_a_large_number_takes_no_gigabytes() {
    let folder = Folder::new();
    let file = folder.write("f.txt", "x1\nx2\n");
    refused(&logicvae(&["similar", "x6000000", "--in", &file]), &["1 GiB"]);
}

#[test]
fn formulae_of_millions_of_nodes_are_refused_before_they_are_built() {
    let folder = Folder::new();
    let file = folder.write("f.txt", "!".repeat((1 << 24) + 1) + "x1\n");
    refused(&logicvae(&["stats", &file]), &["f.txt", "line 1", "16777216 nodes"]);
    let file = folder.write("f.txt", "!".repeat(1_000_000) + "x1\n");
    refused(&logicvae(&["encode", &file]), &["1000001 nodes", "at most 30"]);
    let model = folder.path("run");
    let train = ["train", "--preset", "tiny", "--epochs", "1", "--out", &model, "--data"];
    let file = folder.write("f.txt", format!("x1\n{}x2\n", "!".repeat(60)));
    refused(&logicvae(&[&train[..], &[&file]].concat()), &["line 2", "61 nodes"]);
}

/// The exclusive or of variables, which a SAT solver cannot reorder.
fn parity(order: impl Iterator<Item = u32>) -> String {
    let variables: Vec<String> = order.map(|i| format!("x{i}")).collect();
    variables.join(" ^ ")
}

#[test]
fn hard_questions_have_an_end() {
    let folder = Folder::new();
    let (one, two) = (parity(1..=60), parity((1..=30).flat_map(|i| [i, 61 - i])));
    let check = logicvae(&["check", &one, &two]);
    assert_eq!(check.code, 3, "{}", check.err);
    assert!(check.out.contains("unknown"), "{}", check.out);
    let (one, two) = (parity(1..=30), parity((1..=15).flat_map(|i| [i, 31 - i])));
    let (file, all) = (folder.write("f.txt", format!("({one}) ^ ({two})\n")), "1".repeat(30));
    let stats = done(&["stats", &file, "--json"]).json();
    assert_eq!((stats["undecided"].as_f64(), stats["tautologies"].as_f64()), (Some(1.0), Some(0.0)));
    let value = done(&["eval", &format!("({one}) ^ ({two})"), "--assign", &all, "--json"]).json();
    assert!(value["value"] == -1 && value["satisfying"].is_null(), "{value}");
    let count = logicvae(&["eval", &format!("({one}) ^ ({two})")]);
    assert!(count.code == 3 && count.err.contains("too hard"), "{}", count.err);
    // Only what is asked for is computed.
    let value = done(&["eval", "x1 | x2", "--assign", "10", "--json"]).json();
    assert!(value["value"] == 1 && value["satisfying"].is_null(), "{value}");
}

#[test]
fn texts_of_any_length_fit_into_tables() {
    let folder = Folder::new();
    let file = folder.write("f.txt", "!".repeat(70_000) + "x1\nx2\n");
    let found = done(&["similar", "x1", "--in", &file]);
    assert!(found.out.len() > 70_000);
    done(&["eval", &"a".repeat(70_000), "--truth-table"]);
    refused(&logicvae(&["sample", "--vars", "16777216", "--count", "1", "--all-vars"]), &["max_nodes"]);
}

#[test]
fn a_third_column_of_observed_rows_is_refused() {
    let folder = Folder::new();
    let formulae = folder.write("f.txt", "x1\nx2\n");
    let rows = folder.write("rows.txt", "10 1.0\n01 2.0 3\n");
    let failed = logicvae(&["similar", "x1 & x2", "--in", &formulae, "--rows", &rows]);
    refused(&failed, &["rows.txt, line 2", "`3` follows the weight"]);
}

#[test]
fn an_older_export_without_a_manifest_is_used_with_a_note() {
    let folder = Folder::new();
    let (run, out) = (folder.path("run"), folder.path("export"));
    done(&["train", "--preset", "tiny", "--epochs", "2", "--out", &run]);
    done(&["export", &run, "--out", &out, "--no-card"]);
    let new = done(&["encode", "x1 & x2", "--model", &out, "--json"]);
    assert!(!new.err.contains("manifest"), "{}", new.err);
    fs::remove_file(Path::new(&out).join("manifest.json")).unwrap();
    refused(&logicvae(&["encode", "x1 & x2", "--model", &out]), &["manifest.json is missing"]);
    let about = fs::read_to_string(Path::new(&out).join("run.json")).unwrap();
    fs::write(Path::new(&out).join("run.json"), about.replace("\"format\": 2", "\"format\": 1")).unwrap();
    let old = done(&["encode", "x1 & x2", "--model", &out, "--json"]);
    assert_eq!(old.out, new.out);
    assert!(old.err.contains("has no manifest.json"), "{}", old.err);
}

#[test]
fn training_says_what_it_does_without_a_terminal() {
    let folder = Folder::new();
    let run = done(&["train", "--preset", "tiny", "--epochs", "3", "--out", &folder.path("run")]);
    assert!(run.err.contains("epoch 3 of 3: nll"), "{}", run.err);
    assert!(run.err.contains("validation: nll"), "{}", run.err);
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use super::*;

    fn program() -> Command {
        Command::new(assert_cmd::cargo::cargo_bin!("logicvae"))
    }

    #[test]
    fn a_training_that_is_terminated_saves_and_resumes() {
        for signal in ["-TERM", "-HUP"] {
            let folder = Folder::new();
            let run = folder.path("run");
            let args = ["train", "--preset", "tiny", "--epochs", "100000", "--out", &run];
            let mut child =
                program().args(args).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
            // After the first epoch and before the first checkpoint, which is due after 25.
            let mut messages = BufReader::new(child.stderr.take().unwrap()).lines();
            assert!(messages.any(|line| line.unwrap().starts_with("epoch ")));
            let id = child.id().to_string();
            assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
            assert_eq!(child.wait().unwrap().code(), Some(1), "{signal}");
            assert!(Path::new(&run).join("last.state").exists(), "{signal}");
            let metrics = Path::new(&run).join("metrics.jsonl");
            let done_before = fs::read_to_string(metrics).unwrap().lines().count() as u64;
            let more = (done_before + 2).to_string();
            let resumed = done(&["train", "--resume", "--out", &run, "--epochs", &more, "--json"]);
            assert_eq!(resumed.json()["epochs"].as_u64(), Some(done_before + 2));
        }
    }

    /// A command that cannot write files of more than a few kilobytes, as on a full disk.
    fn on_a_full_disk(args: &[&str]) -> std::process::Output {
        let script = "trap '' XFSZ; ulimit -f 2; exec \"$@\"";
        let program = assert_cmd::cargo::cargo_bin!("logicvae");
        Command::new("sh").args(["-c", script, "sh"]).arg(program).args(args).output().unwrap()
    }

    fn content(folder: &str) -> Vec<(String, Vec<u8>)> {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut all: Vec<(String, Vec<u8>)> = files
            .filter(|path| !path.ends_with("lock"))
            .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()))
            .collect();
        all.sort();
        all
    }

    #[test]
    fn a_full_disk_costs_neither_an_export_nor_a_run() {
        let folder = Folder::new();
        let (run, out) = (folder.path("run"), folder.path("export"));
        done(&["train", "--preset", "tiny", "--epochs", "2", "--out", &run]);
        done(&["export", &run, "--out", &out, "--no-card"]);
        let (trained, exported) = (content(&run), content(&out));
        for args in [
            vec!["export", &run, "--out", &out, "--no-card", "--force"],
            vec!["train", "--preset", "tiny", "--epochs", "3", "--out", &run, "--force"],
            vec!["train", "--resume", "--epochs", "3", "--out", &run],
        ] {
            let failed = on_a_full_disk(&args);
            let message = String::from_utf8_lossy(&failed.stderr).into_owned();
            assert_eq!(failed.status.code(), Some(1), "{args:?}: {message}");
            assert!(message.contains("cannot write"), "{args:?}: {message}");
            assert!(content(&out) == exported, "{args:?}");
            done(&["evaluate", &run, "--quick"]);
            let kept = |all: &[(String, Vec<u8>)]| {
                all.iter().filter(|(name, _)| name.ends_with("safetensors")).cloned().collect::<Vec<_>>()
            };
            assert!(kept(&content(&run)) == kept(&trained), "{args:?}");
        }
    }

    #[test]
    fn metrics_are_the_same_bytes_after_an_interruption() {
        let folder = Folder::new();
        let (whole, run) = (folder.path("whole"), folder.path("run"));
        // Many digits, and one step in each epoch, so that every interruption is at the end of one.
        let set = ["--set=training.validate_every=1", "--set=training.batch=100", "--epochs=120"];
        let train = |out: &str| [&["train", "--preset", "tiny", "--out", out][..], &set].concat().join("\n");
        let lines = |run: &str| -> Vec<String> {
            let text = fs::read_to_string(Path::new(run).join("metrics.jsonl")).unwrap();
            text.lines().map(|line| line.split(",\"seconds\"").next().unwrap().to_owned()).collect()
        };
        done(&train(&whole).lines().collect::<Vec<_>>());
        let mut args = train(&run);
        loop {
            let mut child =
                program().args(args.lines()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            let mut messages = BufReader::new(child.stderr.take().unwrap()).lines();
            assert!(messages.any(|line| line.unwrap().starts_with("epoch ")));
            Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
            if child.wait().unwrap().success() {
                break;
            }
            args = ["train", "--resume", "--out", &run].join("\n");
        }
        assert_eq!(lines(&run), lines(&whole));
    }

    #[test]
    fn no_command_outlives_the_program_that_started_it() {
        let folder = Folder::new();
        let args = ["experiment", "variance", "--out", &folder.path("x"), "--stop-with-input"];
        let mut child = program().args(args).stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        assert!(child.try_wait().unwrap().is_none());
        // What the system does when the other program is killed.
        drop(child.stdin.take());
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }

    #[test]
    fn messages_that_cannot_be_written_do_not_panic() {
        let Ok(full) = File::options().write(true).open("/dev/full") else { return };
        let run = program().args(["eval", "x1 &"]).stderr(full).output().unwrap();
        assert_eq!(run.status.code(), Some(2));
    }
}

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

    #[test]
    fn messages_that_cannot_be_written_do_not_panic() {
        let Ok(full) = File::options().write(true).open("/dev/full") else { return };
        let run = program().args(["eval", "x1 &"]).stderr(full).output().unwrap();
        assert_eq!(run.status.code(), Some(2));
    }
}

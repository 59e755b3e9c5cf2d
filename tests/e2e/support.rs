//! Helpers to run the binary.

use std::path::PathBuf;
use std::process::Output;

use assert_cmd::Command;
use tempfile::TempDir;

/// The message of the operating system about a file that does not exist.
pub const NO_SUCH_FILE: &str = if cfg!(windows) { "cannot find the file" } else { "No such file" };

/// Settings with which a conditional model is trained within seconds.
pub const SMALL: [&str; 7] = [
    "--set=model.hidden=16",
    "--set=context.pool=200",
    "--set=context.components=6",
    "--set=data.set.train=64",
    "--set=data.set.valid=10",
    "--set=data.set.test=10",
    "--epochs=2",
];

/// Output and exit code of one call of the binary.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    fn new(output: Output) -> Self {
        Self {
            code: output.status.code().expect("an exit code, not a signal"),
            out: String::from_utf8(output.stdout).expect("text"),
            err: String::from_utf8(output.stderr).expect("text"),
        }
    }

    /// Standard output, which must be one JSON object.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e} in {}", self.out))
    }
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("logicvae"));
    command.args(args);
    command
}

pub fn logicvae(args: &[&str]) -> Run {
    Run::new(command(args).output().expect("the binary runs"))
}

pub fn logicvae_with_input(args: &[&str], input: impl Into<Vec<u8>>) -> Run {
    Run::new(command(args).write_stdin(input).output().expect("the binary runs"))
}

/// Runs a command as someone does who wants stack traces of panics.
pub fn logicvae_with_backtrace(args: &[&str]) -> Run {
    Run::new(command(args).env("RUST_BACKTRACE", "1").output().expect("the binary runs"))
}

/// Runs a command that must succeed.
pub fn done(args: &[&str]) -> Run {
    let run = logicvae(args);
    assert_eq!(run.code, 0, "{args:?}: {}", run.err);
    run
}

/// Checks that a run was rejected: exit code 2, no standard output, no panic, and a message with these words.
pub fn refused(run: &Run, words: &[&str]) {
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.out.is_empty(), "{}", run.out);
    assert!(!run.err.contains("panicked"), "{}", run.err);
    for word in words {
        assert!(run.err.contains(word), "`{word}` is missing in: {}", run.err);
    }
}

/// Waits until a process has computed for a third of a second, so that it is in the middle of its work.
#[cfg(target_os = "linux")]
pub fn wait_until_busy(process: u32) {
    let computed = || {
        let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let after_name = text.rsplit(')').next().unwrap_or_default();
        after_name.split_whitespace().nth(11).and_then(|ticks| ticks.parse::<u64>().ok())
    };
    while computed().is_some_and(|ticks| ticks < 30) {
        std::thread::yield_now();
    }
}

/// A temporary folder that is deleted at the end of the test.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("text").to_owned()
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.path(name), content).expect("written");
        self.path(name)
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("exists")
    }

    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("exists");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().into_string().expect("text")).collect();
        names.sort();
        names
    }
}

/// The path of a file in the repository.
pub fn repository(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

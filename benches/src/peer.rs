//! A Python process that answers requests, so that both sides can take turns without paying for its start.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

pub struct Peer {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
pub struct Answer {
    #[serde(default)]
    pub seconds: f64,
    /// A number that both sides can compare, to see that they did the same work.
    pub check: u64,
}

impl Peer {
    /// Starts a script of `benches/python`.
    pub fn start(python: &Path, script: &str) -> Result<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("python").join(script);
        let mut child = Command::new(python)
            .arg(&path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("starting {} with {}", path.display(), python.display()))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else { bail!("no pipes to {script}") };
        Ok(Self { child, requests, answers: BufReader::new(answers) })
    }

    pub fn ask(&mut self, request: &str) -> Result<Answer> {
        writeln!(self.requests, "{request}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        serde_json::from_str(&line).with_context(|| format!("the peer's answer to `{request}`: {line}"))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

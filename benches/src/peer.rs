//! A Python process that answers requests, so that both sides can run alternately without restarting Python.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use logicvae_logic::Formula;
use serde::Deserialize;

use crate::cores;

pub struct Peer {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
pub struct Answer {
    #[serde(default)]
    pub seconds: f64,
    /// An integer that both sides compute, to check that they did the same work.
    #[serde(default)]
    pub check: u64,
    /// The same for a floating-point number.
    #[serde(default)]
    pub value: f64,
}

impl Peer {
    /// Starts a script of `benches/python`.
    pub fn start(python: &Path, script: &str) -> Result<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("python").join(script);
        let mut command = Command::new(python);
        command.arg(&path).stdin(Stdio::piped()).stdout(Stdio::piped()).env("OMP_PROC_BIND", "true");
        let mut child = cores::unbound(|| command.spawn())
            .with_context(|| format!("cannot start {} with {}", path.display(), python.display()))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("cannot open pipes to {script}")
        };
        Ok(Self { child, requests, answers: BufReader::new(answers) })
    }

    /// Passes formulae to the script: writes their node codes to a file, which the request `load` reads.
    pub fn load(&mut self, variables: usize, formulae: &[Formula]) -> Result<()> {
        let mut file = tempfile::NamedTempFile::new()?;
        for formula in formulae {
            let codes: Vec<String> = formula.codes().iter().map(u32::to_string).collect();
            writeln!(file, "{}", codes.join(" "))?;
        }
        file.flush()?;
        let loaded = self.ask(&format!("load {variables} {}", file.path().display()))?.check;
        ensure!(loaded == formulae.len() as u64, "the peer loaded {loaded} of {} formulae", formulae.len());
        Ok(())
    }

    pub fn ask(&mut self, request: &str) -> Result<Answer> {
        writeln!(self.requests, "{request}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        serde_json::from_str(&line)
            .with_context(|| format!("invalid answer of the peer to `{request}`: {line}"))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! The other tools, in a Python process.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

/// The tools, in the order of the tables.
pub const TOOLS: [&str; 6] =
    ["STreeD", "RIPPER", "espresso", "random forest", "logistic regression", "gplearn"];
/// gplearn takes many seconds for a table, so it is left out where there are hundreds of tables.
pub const QUICK_TOOLS: [&str; 5] = ["STreeD", "RIPPER", "espresso", "random forest", "logistic regression"];

pub struct Peers {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// A public table, divided into training and test rows.
#[derive(Deserialize)]
pub struct Loaded {
    pub train: Vec<Vec<u8>>,
    pub labels: Vec<u8>,
    pub test: Vec<Vec<u8>>,
    pub truth: Vec<u8>,
}

#[derive(Serialize)]
#[serde(tag = "cmd", rename_all = "lowercase")]
enum Request<'a> {
    Load { file: &'a Path },
    Run { tool: &'a str, train: Vec<Vec<u8>>, labels: Vec<u8>, test: Vec<Vec<u8>> },
}

#[derive(Deserialize)]
struct Predicted {
    #[serde(default)]
    predictions: Vec<u8>,
    #[serde(default)]
    literals: usize,
    error: Option<String>,
}

impl Peers {
    pub fn start(python: &Path) -> Result<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/mine_peer.py");
        let mut child = crate::cores::unbound(|| {
            Command::new(python).arg(&script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
        })
        .with_context(|| format!("cannot start {}", python.display()))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("cannot open pipes to Python")
        };
        Ok(Self { child, requests, answers: BufReader::new(answers) })
    }

    fn ask(&mut self, request: &Request<'_>) -> Result<String> {
        writeln!(self.requests, "{}", serde_json::to_string(request)?)?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line)
    }

    pub fn load(&mut self, file: &Path) -> Result<Loaded> {
        let line = self.ask(&Request::Load { file })?;
        serde_json::from_str(&line).with_context(|| format!("{}: {line}", file.display()))
    }

    /// The predictions of a tool and its literals; `None` if it failed, with its message on standard error.
    pub fn run(&mut self, tool: &str, task: &super::Task) -> Result<Option<(Vec<bool>, usize)>> {
        let bytes =
            |rows: &[Vec<bool>]| rows.iter().map(|row| row.iter().map(|&v| u8::from(v)).collect()).collect();
        let labels = task.labels.iter().map(|&label| u8::from(label)).collect();
        let request = Request::Run { tool, train: bytes(&task.train), labels, test: bytes(&task.test) };
        let line = self.ask(&request)?;
        let answer: Predicted = serde_json::from_str(&line).with_context(|| format!("{tool}: {line}"))?;
        if let Some(error) = answer.error {
            eprintln!("{tool} failed on {}: {error}", task.name);
            return Ok(None);
        }
        Ok(Some((answer.predictions.iter().map(|&value| value == 1).collect(), answer.literals)))
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

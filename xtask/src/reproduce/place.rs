//! Where a reproduction keeps its things, and how it runs the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::reproduce::suite::PassedOn;
use crate::shell::{self, root, target};

/// Sizes: reduced, or the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Scale {
    Quick,
    Paper,
}

impl Scale {
    pub fn name(self) -> &'static str {
        match self {
            Scale::Quick => "quick",
            Scale::Paper => "paper",
        }
    }
}

/// Folders and programs of one reproduction.
#[derive(Clone, Debug)]
pub struct Place {
    pub scale: Scale,
    /// Results, figures and the report.
    pub out: PathBuf,
    /// Run folders and logs.
    pub runs: PathBuf,
    /// Models to pass on.
    pub models: PathBuf,
    /// The `logicvae` that does the work.
    pub program: PathBuf,
    /// Threads of each process.
    pub threads: usize,
}

impl Place {
    /// The usual places: the paper's scale writes to the repository, the quick one under `target/`.
    pub fn new(scale: Scale, out: Option<&Path>, runs: Option<&Path>) -> Result<Self> {
        let scratch = target().join("reproduce").join(scale.name());
        // Programs run in the root of the repository, wherever we were called from.
        let absolute = |path: PathBuf| std::path::absolute(&path).with_context(|| path.display().to_string());
        let out = out.map(Path::to_owned);
        let models = match (&out, scale) {
            (None, Scale::Paper) => root().join("models"),
            (Some(out), _) => out.join("models"),
            (None, Scale::Quick) => scratch.join("models"),
        };
        let usual = if scale == Scale::Paper { root().join("results") } else { scratch.clone() };
        Ok(Self {
            scale,
            out: absolute(out.unwrap_or(usual))?,
            runs: absolute(runs.map_or_else(|| scratch.join("runs"), Path::to_owned))?,
            models: absolute(models)?,
            program: target().join("release").join(format!("logicvae{}", std::env::consts::EXE_SUFFIX)),
            threads: 1,
        })
    }

    pub fn create(&self) -> Result<()> {
        for folder in [&self.out, &self.figures(), &self.runs] {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        Ok(())
    }

    pub fn figures(&self) -> PathBuf {
        self.out.join("figures")
    }

    pub fn run(&self, name: &str) -> PathBuf {
        self.runs.join(name)
    }

    /// Says which code a run is by, and what it began with.
    pub fn mark(&self, name: &str) -> PathBuf {
        self.runs.join(format!("{name}.version"))
    }

    /// The newest line of a training's metrics; null if there is none.
    pub fn newest(&self, name: &str) -> Value {
        let text = fs::read_to_string(self.run(name).join("metrics.jsonl")).unwrap_or_default();
        text.lines().last().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default()
    }

    pub fn result(&self, name: &str) -> PathBuf {
        self.out.join(format!("{name}.json"))
    }

    pub fn model(&self, passed: PassedOn<'_>) -> PathBuf {
        let folder = if passed.step { self.runs.join("steps") } else { self.models.clone() };
        folder.join(passed.of)
    }

    /// The program, with the flags that every call has.
    pub fn logicvae(&self) -> Command {
        let mut command = shell::command(&self.program);
        command.args(["--json", "--threads"]).arg(self.threads.to_string());
        command
    }
}

/// Writes a file through another beside it, so that it is there whole or not at all.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = || format!("cannot write {}", path.display());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.part"));
    let file = || -> std::io::Result<()> {
        use std::io::Write;
        let mut file = fs::File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    file().with_context(failed)
}

/// A JSON file, if it is there and whole.
pub fn read_json(path: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

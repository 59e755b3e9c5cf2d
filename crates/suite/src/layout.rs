//! Where the suite reads and writes files, and which program it runs.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::suite::{Experiment, Export, Suite};

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."))
}

/// The folder of cargo's build products.
fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// The size of the experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Scale {
    /// Reduced sizes, to see within minutes that everything works.
    Quick,
    /// The paper's sizes.
    Paper,
}

impl Scale {
    /// The scale as text: `quick` or `paper`.
    pub fn name(self) -> &'static str {
        match self {
            Scale::Quick => "quick",
            Scale::Paper => "paper",
        }
    }
}

/// The folders and the program of one reproduction.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The size of the experiments.
    pub scale: Scale,
    /// Results, figures and the report.
    pub out: PathBuf,
    /// Training runs and logs.
    pub runs: PathBuf,
    /// Exported models.
    pub models: PathBuf,
    /// The `logicvae` program.
    pub program: PathBuf,
    /// Threads of each `logicvae` process.
    pub threads: usize,
}

impl Layout {
    /// The default folders of a scale: the paper's scale writes into the repository, the quick scale under
    /// `target/`.
    pub fn new(scale: Scale, out: Option<&Path>, runs: Option<&Path>) -> Result<Self> {
        let scratch = target().join("reproduce").join(scale.name());
        let (default_out, default_models) = match scale {
            Scale::Quick => (scratch.clone(), scratch.join("models")),
            Scale::Paper => (root().join("results"), root().join("models")),
        };
        let models = out.map_or(default_models, |out| out.join("models"));
        // `logicvae` runs in the root of the repository, so paths relative to the caller's folder would not
        // work.
        let absolute = |path: PathBuf| std::path::absolute(&path).with_context(|| path.display().to_string());
        let this_program = std::env::current_exe().context("cannot find this program")?;
        Ok(Self {
            scale,
            out: absolute(out.map_or(default_out, Path::to_owned))?,
            runs: absolute(runs.map_or_else(|| scratch.join("runs"), Path::to_owned))?,
            models: absolute(models)?,
            program: this_program.with_file_name(format!("logicvae{}", std::env::consts::EXE_SUFFIX)),
            threads: 1,
        })
    }

    /// Checks that the `logicvae` program exists.
    pub fn check_program(&self) -> Result<()> {
        if !self.program.is_file() {
            bail!("{} does not exist: `cargo xtask reproduce` builds it", self.program.display());
        }
        Ok(())
    }

    /// Creates all folders that experiments write into.
    pub fn create_folders(&self, suite: &Suite) -> Result<()> {
        let families = suite.experiments.iter().map(|experiment| self.out.join(&experiment.family));
        for folder in families.chain([self.figures(), self.runs.clone()]) {
            fs::create_dir_all(&folder)
                .with_context(|| format!("cannot create the folder {}", folder.display()))?;
        }
        Ok(())
    }

    /// The folder of figures.
    pub fn figures(&self) -> PathBuf {
        self.out.join("figures")
    }

    /// A figure, by its name without the ending.
    pub fn figure(&self, name: &str) -> PathBuf {
        self.figures().join(format!("{name}.svg"))
    }

    /// The result of an experiment. Each family of experiments has a folder.
    pub fn result(&self, experiment: &Experiment) -> PathBuf {
        self.out.join(&experiment.family).join(format!("{}.json", experiment.name))
    }

    /// The run folder of a training.
    pub fn run_folder(&self, name: &str) -> PathBuf {
        self.runs.join(name)
    }

    /// The file beside a run folder that names the code version and the initial weights of the training.
    pub fn origin_file(&self, name: &str) -> PathBuf {
        self.runs.join(format!("{name}.version"))
    }

    /// The messages of the programs that an experiment runs.
    pub fn log(&self, name: &str) -> PathBuf {
        self.runs.join(format!("{name}.log"))
    }

    /// The folder of an exported model.
    pub fn model(&self, export: Export<'_>) -> PathBuf {
        let folder = match export {
            Export { intermediate: true, .. } => self.runs.join("steps"),
            // Those of the repository are compiled into the program.
            Export { built_in: true, .. } if self.models == root().join("models") => {
                root().join("crates/vae/models")
            }
            _ => self.models.clone(),
        };
        folder.join(export.model)
    }

    /// The `logicvae` program with the flags that every call has.
    pub fn logicvae(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(root()).args(["--json", "--threads"]).arg(self.threads.to_string());
        // No process outlives the suite.
        command.arg("--stop-with-input");
        command
    }
}

/// Writes a file completely or not at all.
pub fn write_file(path: &Path, content: &[u8]) -> Result<()> {
    logicvae_logic::write_atomic::<io::Error>(path, true, |out: &mut dyn Write| out.write_all(content))
        .with_context(|| format!("cannot write {}", path.display()))
}

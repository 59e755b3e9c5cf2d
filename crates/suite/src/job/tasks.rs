//! What each task does: which commands of `logicvae` it runs, and what it keeps of their output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, anyhow};
use logicvae_logic::DatasetSpec;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::process::{run_json, wait_for_lock};
use super::{Halt, Job};
use crate::layout::{Scale, root, write_file};
use crate::record::{LastEpoch, Record, Training};
use crate::suite::{Export, KernelExperiment, Task, Train};

/// The fraction of a training experiment that is training; the rest is evaluation.
const TRAINING_SHARE: f64 = 0.98;

/// What `logicvae export` prints.
#[derive(Deserialize)]
struct Exported {
    bytes: u64,
    checksum: String,
}

/// What `logicvae interpolate` prints, as far as it is used.
#[derive(Deserialize)]
struct Walked {
    /// The mean number of nodes that change between neighbours; none if no two neighbours are formulae.
    mean_changed: Option<f64>,
}

/// What `logicvae draw` prints, without the path of the picture.
#[derive(Deserialize, Serialize)]
struct Drawn {
    formula: String,
    nodes: u64,
    depth: u64,
}

impl Job<'_> {
    /// Performs the task. The record that it gives has only the parts that were measured.
    pub(super) fn perform(&self) -> Result<Record, Halt> {
        let values = match &self.experiment.task {
            Task::Train(train) => return self.train(train),
            Task::Export { model, intermediate, built_in } => {
                return self.export(Export { model, intermediate: *intermediate, built_in: *built_in });
            }
            Task::Dataset { preset } => self.dataset(preset)?,
            Task::Kernel { experiment } => self.kernel(*experiment)?,
            Task::Evaluate { model, flags } => self.evaluate(&self.model_folder(model), flags)?,
            Task::Walk { model, formulae, steps } => self.walk(model, *formulae, *steps)?,
            Task::Draw { formula } => self.draw(formula)?,
        };
        Ok(Record { values, ..Record::default() })
    }

    fn call<T: DeserializeOwned>(&self, command: &mut Command) -> Result<T, Halt> {
        self.call_watched(command, || ())
    }

    fn call_watched<T: DeserializeOwned>(&self, command: &mut Command, tick: impl Fn()) -> Result<T, Halt> {
        run_json(command, &self.layout.log(&self.experiment.name), self.stop, tick)
    }

    /// Samples the splits of a data set and compares them with the committed files.
    fn dataset(&self, preset: &str) -> Result<Value, Halt> {
        let sampled = |split: &str| self.layout.runs.join(format!("{preset}-{split}.txt"));
        let read = |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
        let independent = DatasetSpec::preset(preset).is_some_and(|spec| spec.independent);
        let splits = ["train", "valid", "test"].into_iter().chain(independent.then_some("unseen"));
        for split in splits {
            let mut sample = self.layout.logicvae();
            sample.args(["sample", "--preset", preset, "--split", split, "--force", "--out"]);
            self.call::<Value>(sample.arg(sampled(split)))?;
            let committed = root().join(format!("datasets/{preset}/{split}.txt"));
            if read(&sampled(split))? != read(&committed)? {
                return Err(Halt::Failed(anyhow!(
                    "{} differs from what its preset samples",
                    committed.display()
                )));
            }
        }
        let mut stats: Value = self.call(self.layout.logicvae().arg("stats").arg(sampled("train")))?;
        if independent {
            self.compare_with_training(&mut stats, sampled)?;
        }
        Ok(stats)
    }

    /// Adds other ways of counting nodes and depths, and how much of each test set is known from training.
    fn compare_with_training(&self, stats: &mut Value, file: impl Fn(&str) -> PathBuf) -> Result<(), Halt> {
        let mean = |quantity: &str| stats[quantity]["mean"].as_f64().context("no mean in the statistics");
        let (nodes, depth) = (mean("nodes")?, mean("depth")?);
        stats["nodes_with_ends"] = json!(nodes + 2.0);
        stats["path_nodes"] = json!(depth + 1.0);
        stats["path_nodes_with_ends"] = json!(depth + 3.0);
        for (key, split) in [("overlap", "test"), ("unseen_overlap", "unseen")] {
            let mut command = self.layout.logicvae();
            command.arg("stats").arg(file(split)).arg("--known").arg(file("train"));
            stats[key] = self.call::<Value>(&mut command)?["known"].take();
        }
        Ok(())
    }

    fn kernel(&self, experiment: KernelExperiment) -> Result<Value, Halt> {
        let mut command = self.layout.logicvae();
        command.args(["experiment", experiment.name(), "--force", "--out"]).arg(self.layout.figures());
        if self.layout.scale == Scale::Quick {
            command.arg("--quick");
        }
        if let Some(seed) = self.experiment.seed {
            command.args(["--seed", &seed.to_string()]);
        }
        self.call(&mut command)
    }

    /// Starts or resumes a training, and evaluates the trained model.
    fn train(&self, train: &Train) -> Result<Record, Halt> {
        let config = self.step.config.as_ref().context("a training without settings")?;
        let folder = self.layout.run_folder(&self.experiment.name);
        wait_for_lock(&folder.join("lock"));
        let mut command = self.layout.logicvae();
        command.args(["train", "--out"]).arg(&folder);
        if self.step.is_begun(self.layout) {
            command.arg("--resume");
        } else {
            let settings = self.layout.runs.join(format!("{}.toml", self.experiment.name));
            write_file(&settings, config.to_toml().context("the settings")?.as_bytes())?;
            command.arg("--force").arg("--config").arg(settings);
            if let Some(export) = train.from.as_deref().and_then(|from| self.suite.export(from)) {
                command.arg("--from").arg(self.layout.model(export));
            }
            // The folder may hold a run of another origin, which must not be mistaken for this one.
            fs::remove_file(folder.join("config.toml")).ok();
            write_file(&self.layout.origin_file(&self.experiment.name), self.step.origin.as_bytes())?;
        }
        let epochs = config.training.epochs as f64;
        let report = || (self.progress)(LastEpoch::read(&folder).epoch as f64 / epochs * TRAINING_SHARE);
        let training: Training = self.call_watched(&mut command, report)?;
        let last = LastEpoch::read(&folder);
        let flags: &[&str] = if train.refine { &["--refine"] } else { &[] };
        Ok(Record {
            training: Some(training),
            formulae: last.formulae,
            training_nll: last.nll,
            training_seconds: last.seconds,
            values: self.evaluate(&folder, flags)?,
            ..Record::default()
        })
    }

    fn evaluate(&self, folder: &Path, flags: &[impl AsRef<str>]) -> Result<Value, Halt> {
        let mut evaluate = self.layout.logicvae();
        evaluate.arg("evaluate").arg(folder).args(flags.iter().map(AsRef::as_ref));
        if self.layout.scale == Scale::Quick {
            evaluate.arg("--quick");
        }
        self.call(&mut evaluate)
    }

    /// The folder of the model that an experiment trained or exported.
    fn model_folder(&self, name: &str) -> PathBuf {
        let export = self.suite.export(name);
        export.map_or_else(|| self.layout.run_folder(name), |export| self.layout.model(export))
    }

    fn walk(&self, model: &str, formulae: usize, steps: usize) -> Result<Value, Halt> {
        let folder = self.model_folder(model);
        let text = fs::read_to_string(folder.join("test.txt")).context("cannot read the test formulae")?;
        let formulae: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).take(formulae).collect();
        let mut changed: Vec<f64> = Vec::new();
        for (number, formula) in formulae.iter().enumerate() {
            let mut command = self.layout.logicvae();
            command.arg("interpolate").arg("--model").arg(&folder);
            command.arg(formula).args(["--steps", &steps.to_string()]);
            command.args(["--seed", &self.experiment.seed.unwrap_or(0).to_string()]);
            if number == 0 {
                command.args(["--force", "--out"]).arg(self.layout.figure(&self.experiment.name));
            }
            let walked: Walked = self.call(&mut command)?;
            changed.extend(walked.mean_changed);
            (self.progress)((number + 1) as f64 / formulae.len() as f64);
        }
        let mean = (!changed.is_empty()).then(|| changed.iter().sum::<f64>() / changed.len() as f64);
        Ok(json!({ "mean_changed": mean, "changed": changed, "formula": formulae.first() }))
    }

    fn draw(&self, formula: &str) -> Result<Value, Halt> {
        let mut command = self.layout.logicvae();
        command.args(["draw", formula, "--force", "--out"]).arg(self.layout.figure(&self.experiment.name));
        let drawn: Drawn = self.call(&mut command)?;
        Ok(json!(drawn))
    }

    /// Exports a model and evaluates the exported weights.
    fn export(&self, export: Export<'_>) -> Result<Record, Halt> {
        let folder = self.layout.model(export);
        fs::create_dir_all(folder.parent().unwrap_or(&folder))
            .context("cannot create the folder of models")?;
        let mut command = self.layout.logicvae();
        command.arg("export").arg(self.layout.run_folder(export.model));
        // Only models for users need a card.
        command.args(export.intermediate.then_some("--no-card"));
        command.args((self.layout.scale == Scale::Quick).then_some("--quick"));
        command.args(["--force", "--out"]);
        let exported: Exported = self.call(command.arg(&folder))?;
        Ok(Record {
            bytes: Some(exported.bytes),
            checksum: Some(exported.checksum),
            values: self.evaluate(&folder, &[] as &[&str])?,
            ..Record::default()
        })
    }
}

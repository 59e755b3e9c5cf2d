//! How an experiment is done: which programs run, and what is kept of their answers.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::reproduce::card;
use crate::reproduce::place::{Place, Scale, write};
use crate::reproduce::plan::{Step, number, settings};
use crate::reproduce::report::processor;
use crate::reproduce::suite::{Experiment, PassedOn, Suite, Task};
use crate::shell::root;

/// Why a job ended without a result.
#[derive(Debug)]
pub enum Halt {
    /// It was told to stop; it can go on later.
    Stopped,
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for Halt {
    fn from(error: anyhow::Error) -> Self {
        Halt::Failed(error)
    }
}

/// One experiment at work.
pub struct Job<'a> {
    pub suite: &'a Suite,
    pub experiment: &'a Experiment,
    pub step: &'a Step,
    pub place: &'a Place,
    /// Set when all must stop.
    pub stop: &'a AtomicBool,
    /// Is told the share that is done, between 0 and 1.
    pub progress: &'a (dyn Fn(f64) + Sync),
}

impl Job<'_> {
    /// Does the experiment and writes its result.
    pub fn run(&self) -> Result<(), Halt> {
        let start = Instant::now();
        let mut result = match &self.experiment.task {
            Task::Dataset { preset } => self.dataset(preset)?,
            Task::Kernel { experiment } => self.kernel(experiment)?,
            Task::Train { refine, from, .. } => self.train(*refine, from.as_deref())?,
            Task::Measure { of, flags } => self.measure(of, flags)?,
            Task::Walk { of, formulae, steps } => self.walk(of, *formulae, *steps)?,
            Task::Draw { formula } => self.draw(formula)?,
            Task::Ship { of, step } => self.ship(PassedOn { of, step: *step })?,
        };
        let about = json!({
            "name": self.experiment.name,
            "scale": self.place.scale.name(),
            "fingerprint": self.step.fingerprint,
            "code_version": self.suite.code_version,
            "seed": self.experiment.seed,
            "config": self.step.config,
            "processor": processor(),
            "seconds": start.elapsed().as_secs_f64(),
        });
        if let (Value::Object(all), Value::Object(more)) = (&mut result, about) {
            all.extend(more);
        }
        shorten(&mut result);
        let text = serde_json::to_string(&result).context("the result")?;
        write(&self.place.result(&self.experiment.name), (text + "\n").as_bytes())?;
        Ok(())
    }

    /// Runs the program with these arguments; gives its JSON. Its messages go to the experiment's log.
    fn call(&self, arguments: &mut Command) -> Result<Value, Halt> {
        self.watch(arguments, || ())
    }

    fn watch(&self, command: &mut Command, tick: impl Fn()) -> Result<Value, Halt> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Halt::Stopped);
        }
        let log_path = self.place.runs.join(format!("{}.log", self.experiment.name));
        let mut log = File::options().create(true).append(true).open(&log_path).context("the log")?;
        writeln!(log, "$ {command:?}").context("the log")?;
        let before = log.metadata().map_or(0, |m| m.len());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        // Held open as long as we live: a training that we started ends, saved, when we are killed.
        let mut input = child.stdin.take();
        let mut output = child.stdout.take().context("standard output")?;
        let (send, receive) = channel();
        std::thread::spawn(move || {
            let mut text = String::new();
            // Standard output ends when the program does.
            send.send(output.read_to_string(&mut text).map(|_| text)).ok();
        });
        let text = loop {
            match receive.recv_timeout(Duration::from_millis(200)) {
                Ok(text) => break text.context("standard output")?,
                Err(_) => tick(),
            }
            if self.stop.load(Ordering::Relaxed) {
                input = None;
            }
        };
        let status = child.wait().context("waiting")?;
        drop(input);
        if (self.stop.load(Ordering::Relaxed) || interrupted(status)) && !status.success() {
            return Err(Halt::Stopped);
        }
        if !status.success() {
            let messages = fs::read(&log_path).unwrap_or_default();
            let messages =
                String::from_utf8_lossy(&messages[(before as usize).min(messages.len())..]).into_owned();
            let told = |line: &&str| line.starts_with("logicvae:") || line.starts_with("error");
            let why =
                messages.lines().rfind(told).or_else(|| messages.lines().last()).unwrap_or("no message");
            return Err(Halt::Failed(anyhow::anyhow!("{why} ({status}; more in {})", log_path.display())));
        }
        Ok(serde_json::from_str(&text).with_context(|| format!("what {command:?} printed"))?)
    }

    /// A set of the paper's, drawn and compared with the committed one.
    fn dataset(&self, preset: &str) -> Result<Value, Halt> {
        for split in ["train", "valid", "test"] {
            let made = self.place.runs.join(format!("{preset}-{split}.txt"));
            let mut sample = self.place.logicvae();
            self.call(
                sample.args(["sample", "--preset", preset, "--split", split, "--force", "--out"]).arg(&made),
            )?;
            let committed = root().join(format!("datasets/{preset}/{split}.txt"));
            let read =
                |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
            if read(&made)? != read(&committed)? {
                return Err(Halt::Failed(anyhow::anyhow!(
                    "{} is not what its preset gives",
                    committed.display()
                )));
            }
        }
        let train = self.place.runs.join(format!("{preset}-train.txt"));
        Ok(json!({ "values": self.call(self.place.logicvae().arg("stats").arg(&train))? }))
    }

    fn kernel(&self, experiment: &str) -> Result<Value, Halt> {
        let mut command = self.place.logicvae();
        command.args(["experiment", experiment, "--force", "--out"]).arg(self.place.figures());
        if self.place.scale == Scale::Quick {
            command.arg("--quick");
        }
        if let Some(seed) = self.experiment.seed {
            command.args(["--seed", &seed.to_string()]);
        }
        Ok(json!({ "values": self.call(&mut command)? }))
    }

    /// Trains, or goes on training, and measures.
    fn train(&self, refine: bool, from: Option<&str>) -> Result<Value, Halt> {
        let folder = self.place.run(&self.experiment.name);
        let config = self.step.config.as_deref().unwrap_or_default();
        let epochs = number(&config.parse().context("the settings")?, &["training", "epochs"]);
        wait_for_lock(&folder.join("lock"));
        let begun = self.step.is_begun(self.place);
        let mut train = self.place.logicvae();
        train.args(["train", "--stop-with-input", "--out"]).arg(&folder);
        if begun {
            train.arg("--resume");
        } else {
            train.arg("--force").args(settings(self.suite, self.experiment, self.place.scale));
            if let Some(model) = from.and_then(|from| self.suite.passed_on(from)) {
                train.arg("--from").arg(self.place.model(model));
            }
            // Of another mark, or of none: it must not pass for one of ours while it is replaced.
            fs::remove_file(folder.join("config.toml")).ok();
            write(&self.place.mark(&self.experiment.name), self.step.mark.as_bytes())?;
        }
        let newest = || self.place.newest(&self.experiment.name);
        let report = || (self.progress)(newest()["epoch"].as_f64().unwrap_or(0.0) / epochs * 0.98);
        let training = self.watch(&mut train, report)?;
        let last = newest();
        let values = self.evaluate(&folder, if refine { &["--refine"] } else { &[] })?;
        Ok(json!({
            "training": training,
            "formulae": last["formulae"],
            "training_nll": last["nll"],
            "training_seconds": last["seconds"],
            "values": values,
        }))
    }

    fn evaluate(&self, folder: &Path, flags: &[&str]) -> Result<Value, Halt> {
        let mut evaluate = self.place.logicvae();
        evaluate.arg("evaluate").arg(folder).args(flags);
        if self.place.scale == Scale::Quick {
            evaluate.arg("--quick");
        }
        self.call(&mut evaluate)
    }

    /// Where the model of an experiment is: what it passes on, or its run.
    fn folder(&self, of: &str) -> PathBuf {
        self.suite.passed_on(of).map_or_else(|| self.place.run(of), |model| self.place.model(model))
    }

    fn measure(&self, of: &str, flags: &[String]) -> Result<Value, Halt> {
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        Ok(json!({ "values": self.evaluate(&self.folder(of), &flags)? }))
    }

    fn walk(&self, of: &str, formulae: usize, steps: usize) -> Result<Value, Halt> {
        let folder = self.folder(of);
        let text = fs::read_to_string(folder.join("test.txt")).context("the test formulae")?;
        let formulae: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).take(formulae).collect();
        let mut changed = Vec::new();
        for (number, formula) in formulae.iter().enumerate() {
            let mut command = self.place.logicvae();
            command.arg("interpolate").arg(&folder).arg(formula).args(["--steps", &steps.to_string()]);
            command.args(["--seed", &self.experiment.seed.unwrap_or(0).to_string()]);
            if number == 0 {
                let picture = self.place.figures().join(format!("{}.svg", self.experiment.name));
                command.args(["--force", "--svg"]).arg(picture);
            }
            let found = self.call(&mut command)?;
            // None where no two neighbours are formulae.
            changed.extend(found["mean_changed"].as_f64());
            (self.progress)((number + 1) as f64 / formulae.len() as f64);
        }
        let mean = (!changed.is_empty()).then(|| changed.iter().sum::<f64>() / changed.len() as f64);
        Ok(json!({ "values": { "mean_changed": mean, "changed": changed, "formula": formulae.first() } }))
    }

    fn draw(&self, formula: &str) -> Result<Value, Halt> {
        let picture = self.place.figures().join(format!("{}.svg", self.experiment.name));
        let mut command = self.place.logicvae();
        Ok(json!({ "values": self.call(command.args(["draw", formula, "--force", "--out"]).arg(picture))? }))
    }

    /// Passes a model on, and measures what was passed on.
    fn ship(&self, passed: PassedOn<'_>) -> Result<Value, Halt> {
        let (folder, of) = (self.place.model(passed), passed.of);
        fs::create_dir_all(folder.parent().unwrap_or(&folder)).context("the folder of models")?;
        // The card is ours alone: a folder with it and without settings would be refused.
        fs::remove_file(folder.join("README.md")).ok();
        let mut export = self.place.logicvae();
        let exported =
            self.call(export.arg("export").arg(self.place.run(of)).args(["--force", "--out"]).arg(&folder))?;
        let values = self.evaluate(&folder, &[])?;
        if !passed.step {
            card::write_card(&folder, of, &exported, &values, self.place.scale)?;
        }
        Ok(json!({ "values": values, "bytes": exported["bytes"], "checksum": exported["checksum"] }))
    }
}

/// Whether a program ended by the user's interrupt, which goes to all of a terminal.
fn interrupted(status: ExitStatus) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        const SIGINT: i32 = 2;
        if status.signal() == Some(SIGINT) {
            return true;
        }
    }
    status.code() == Some(130)
}

/// A training whose supervisor was killed needs a moment to save and leave. If it stays, the next one says so.
fn wait_for_lock(path: &Path) {
    let Ok(file) = File::open(path) else { return };
    let (send, receive) = channel();
    std::thread::spawn(move || {
        file.lock().ok();
        // It is for the training to take. Closing the file is not enough: a program that another job is just starting has it
        // open too, for a moment.
        file.unlock().ok();
        send.send(()).ok();
    });
    receive.recv_timeout(Duration::from_secs(60)).ok();
}

/// Six digits are enough for every list and table, and keep files small.
fn shorten(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(float) = number.as_f64().filter(|f| f.fract() != 0.0) {
                *value = json!(format!("{float:.5e}").parse::<f64>().unwrap_or(float));
            }
        }
        Value::Array(list) => list.iter_mut().for_each(shorten),
        Value::Object(map) => map.values_mut().for_each(shorten),
        _ => {}
    }
}

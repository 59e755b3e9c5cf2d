//! A job: one experiment at work, from its first process to its result file.

mod process;
mod tasks;

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::Context;
use serde_json::{Value, json};

use crate::layout::{Layout, write_file};
use crate::machine::processor;
use crate::plan::Step;
use crate::record::{Record, seal};
use crate::suite::{Experiment, Suite};

/// Why a job ended without a result.
#[derive(Debug)]
pub enum Halt {
    /// The user stopped it; it can be continued later.
    Stopped,
    /// It failed.
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for Halt {
    fn from(error: anyhow::Error) -> Self {
        Halt::Failed(error)
    }
}

/// One experiment at work.
pub struct Job<'a> {
    /// The suite that it belongs to.
    pub suite: &'a Suite,
    /// What to do.
    pub experiment: &'a Experiment,
    /// The plan for it.
    pub step: &'a Step,
    /// Where files are.
    pub layout: &'a Layout,
    /// Becomes true when all jobs must stop.
    pub stop: &'a AtomicBool,
    /// Receives the completed fraction, between 0 and 1.
    pub progress: &'a (dyn Fn(f64) + Sync),
}

impl Job<'_> {
    /// Runs the experiment and writes its result.
    pub fn run(&self) -> Result<(), Halt> {
        let start = Instant::now();
        let measured = self.perform()?;
        let config = self.step.config.as_ref().map(logicvae_vae::Config::to_toml);
        let record = Record {
            name: self.experiment.name.clone(),
            scale: self.layout.scale.name().into(),
            fingerprint: self.step.fingerprint.clone(),
            code_version: self.suite.code_version,
            seed: self.experiment.seed,
            config: config.transpose().context("the settings")?,
            processor: Some(processor()),
            seconds: start.elapsed().as_secs_f64(),
            ..measured
        };
        let mut value = serde_json::to_value(record).context("the result")?;
        round_numbers(&mut value);
        write_file(&self.layout.result(self.experiment), seal(&value).as_bytes())?;
        Ok(())
    }
}

/// Rounds to six significant digits, which is enough for every table and keeps files small.
fn round_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(float) = number.as_f64().filter(|f| f.fract() != 0.0) {
                *value = json!(format!("{float:.5e}").parse::<f64>().unwrap_or(float));
            }
        }
        Value::Array(list) => list.iter_mut().for_each(round_numbers),
        Value::Object(map) => map.values_mut().for_each(round_numbers),
        _ => {}
    }
}

//! What happens during training: progress, metrics, checkpoints.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use logicvae_vae::{
    Checkpoint, EpochReport, LossTerms, MetricsLog, Observer, Run, StepReport, Trainer, VaeError,
};

use crate::figure::{loss_curves, without_controls};
use crate::message::message;

/// Saves a training, shows its progress, and stops it.
pub struct Watch<'a> {
    run: &'a Run,
    metrics: MetricsLog,
    pub bar: ProgressBar,
    stop: Arc<AtomicBool>,
    start: Instant,
    before: f64,
    formulae: usize,
    /// An error that occurred while drawing, which the library knows nothing about.
    pub failure: Option<anyhow::Error>,
}

impl<'a> Watch<'a> {
    pub fn new(run: &'a Run, trainer: &Trainer, stop: Arc<AtomicBool>) -> Result<Self> {
        let metrics = MetricsLog::open(run, trainer.epoch())?;
        if metrics.is_incomplete() {
            let path = run.folder.join("metrics.jsonl");
            message(format_args!("note: {} lacks lines of earlier epochs", path.display()));
        }
        let steps = (run.config.training.epochs * trainer.steps()) as u64;
        let style = ProgressStyle::with_template("{msg} [{bar:30}] {percent} %, {eta} left")?;
        let bar = ProgressBar::new(steps).with_style(style);
        bar.set_position((trainer.epoch() * trainer.steps()) as u64);
        bar.reset_eta();
        let before = metrics.lines().last().map_or(0.0, |line| line.seconds);
        Ok(Self { run, metrics, bar, stop, start: Instant::now(), before, formulae: 0, failure: None })
    }

    /// Draws the loss curves.
    pub fn draw(&self) -> Result<()> {
        match loss_curves(&self.run.config.name, self.metrics.lines())? {
            Some(svg) => Ok(self.run.write("loss.svg", without_controls(&svg).as_bytes())?),
            None => Ok(()),
        }
    }

    /// One line per epoch where there is no terminal for a bar.
    fn line(&self, epoch: &EpochReport) {
        let epochs = self.run.config.training.epochs;
        let validation = epoch.validation.map_or(String::new(), |v| {
            format!("; validation: {}, accuracy {:.1} %", describe(&v.terms), 100.0 * v.accuracy)
        });
        message(format_args!("epoch {} of {epochs}: {}{validation}", epoch.epoch, describe(&epoch.terms)));
    }

    /// Keeps the error for the caller, and ends the training.
    fn keep(&mut self, result: Result<()>) -> Result<(), VaeError> {
        result.map_err(|error| {
            let message = format!("{error:#}");
            self.failure = Some(error);
            VaeError::Checkpoint(message)
        })
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, step: &StepReport) -> ControlFlow<()> {
        self.formulae += step.formulae;
        self.bar.inc(1);
        if !self.bar.is_hidden() {
            let validation = self.metrics.lines().iter().rev().find_map(|line| line.epoch.validation);
            let accuracy = validation
                .map(|v| v.accuracy)
                .map_or(String::new(), |a| format!(", accuracy {:.1} %", 100.0 * a));
            let speed = self.formulae as f64 / self.start.elapsed().as_secs_f64();
            self.bar.set_message(format!(
                "epoch {}, {}{accuracy}, {speed:.0} formulae/s",
                step.epoch,
                describe(&step.terms)
            ));
        }
        if self.stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn epoch(&mut self, epoch: &EpochReport) -> Result<(), VaeError> {
        let seconds = self.before + self.start.elapsed().as_secs_f64();
        if self.bar.is_hidden() {
            self.line(epoch);
        }
        self.metrics.push(epoch, seconds)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint, best: bool) -> Result<(), VaeError> {
        self.run.save(checkpoint, best)?;
        let drawn = self.draw();
        self.keep(drawn)
    }
}

/// The terms of a loss, in a few words.
pub fn describe(terms: &LossTerms) -> String {
    match terms {
        LossTerms::Autoencoder { nll, kl } => format!("nll {nll:.4}, kl {kl:.1}"),
        LossTerms::Leaves { cross_entropy, semantic_distance } => {
            format!("cross-entropy {cross_entropy:.4}, semantic distance {semantic_distance:.3}")
        }
    }
}

//! What a training tells.

use std::fmt;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::error::VaeError;
use crate::training::Checkpoint;

/// Why a training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// All epochs are done.
    Epochs,
    /// The validation loss has not improved for as long as the settings allow.
    Patience,
    /// The observer asked for it.
    Interrupted,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Epochs => "all epochs are done",
            StopReason::Patience => "the validation loss stopped improving",
            StopReason::Interrupted => "interrupted",
        })
    }
}

/// A step, as it is made.
#[derive(Clone, Copy, Debug)]
pub struct StepReport {
    /// The epoch, from 1.
    pub epoch: usize,
    /// The step within it, from 1.
    pub step: usize,
    /// The number of steps in it.
    pub steps: usize,
    /// Formulae in this step.
    pub formulae: usize,
    /// The negative log-likelihood of a formula, mean of this step.
    pub nll: f64,
    /// The divergence from the prior of a formula, mean of this step.
    pub kl: f64,
}

/// What validation found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// nll + β kl.
    pub loss: f64,
    /// The negative log-likelihood of a formula.
    pub nll: f64,
    /// The divergence from the prior of a formula.
    pub kl: f64,
    /// The share of formulae that greedy decoding of their mean gives back, up to the order of children.
    pub accuracy: f64,
}

/// An epoch: a line of `metrics.jsonl`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochReport {
    /// The epoch, from 1.
    pub epoch: usize,
    /// Formulae seen so far, over all epochs; with a focus, those that were only looked at too.
    pub formulae: u64,
    /// nll + β kl of a formula that was learned from: with a focus, these are the worst.
    pub loss: f64,
    /// The negative log-likelihood of a formula.
    pub nll: f64,
    /// The divergence from the prior of a formula.
    pub kl: f64,
    /// The mean norm of the gradients, before they were cut.
    pub gradient_norm: f64,
    /// The last step's learning rate.
    pub learning_rate: f64,
    /// What validation found, in epochs that end with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<Validation>,
}

/// The validation with the lowest loss so far; a gain below [`improvement`](crate::TrainingConfig::improvement) is none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// After which epoch.
    pub epoch: usize,
    /// What was found.
    pub validation: Validation,
}

/// How a training ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The number of finished epochs.
    pub epochs: usize,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// The best validation.
    pub best: Option<Best>,
}

/// Who is told about a training, and can stop it.
pub trait Observer {
    /// After every step. [`ControlFlow::Break`] ends the training, after a checkpoint.
    fn step(&mut self, _: &StepReport) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// After every epoch.
    fn epoch(&mut self, _: &EpochReport) -> Result<(), VaeError> {
        Ok(())
    }

    /// When the training is to be saved; `best` if its validation loss is the lowest so far, by more than
    /// [`improvement`](crate::TrainingConfig::improvement).
    fn checkpoint(&mut self, _: &Checkpoint, _best: bool) -> Result<(), VaeError> {
        Ok(())
    }
}

/// Nobody.
impl Observer for () {}

//! What training reports, and to whom.

use std::fmt;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::checkpoint::Checkpoint;
use crate::error::VaeError;

/// Why training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// All epochs are done.
    Epochs,
    /// The validation loss stopped improving.
    Patience,
    /// The observer stopped it.
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

/// The terms of a loss, under their own names. `T` is a number, or a tensor while the loss is being computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LossTerms<T = f64> {
    /// Of an autoencoder: nll + β kl.
    Autoencoder {
        /// The negative log-likelihood.
        nll: T,
        /// The Kullback-Leibler divergence from the prior.
        kl: T,
    },
    /// Of a leaf model: cross_entropy + λ semantic_distance.
    Leaves {
        /// The cross-entropy of the leaves.
        cross_entropy: T,
        /// The distance between the semantic vectors of prediction and truth.
        semantic_distance: T,
    },
}

impl<T> LossTerms<T> {
    /// The first term: what the model should predict.
    pub fn prediction(&self) -> &T {
        match self {
            Self::Autoencoder { nll, .. } => nll,
            Self::Leaves { cross_entropy, .. } => cross_entropy,
        }
    }

    /// The second term, which has a weight.
    pub(crate) fn weighted(&self) -> &T {
        match self {
            Self::Autoencoder { kl, .. } => kl,
            Self::Leaves { semantic_distance, .. } => semantic_distance,
        }
    }

    /// Terms of the same task with other values.
    pub(super) fn with<V>(&self, prediction: V, weighted: V) -> LossTerms<V> {
        match self {
            Self::Autoencoder { .. } => LossTerms::Autoencoder { nll: prediction, kl: weighted },
            Self::Leaves { .. } => {
                LossTerms::Leaves { cross_entropy: prediction, semantic_distance: weighted }
            }
        }
    }
}

/// A training step.
#[derive(Clone, Copy, Debug)]
pub struct StepReport {
    /// The epoch, from 1.
    pub epoch: usize,
    /// The step within the epoch, from 1.
    pub step: usize,
    /// The number of steps in the epoch.
    pub steps: usize,
    /// The number of formulae in this step.
    pub formulae: usize,
    /// The terms of the loss per formula.
    pub terms: LossTerms,
}

/// The result of a validation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// The loss per formula.
    pub loss: f64,
    /// Its terms.
    #[serde(flatten)]
    pub terms: LossTerms,
    /// The fraction of formulae that greedy decoding of the posterior mean reconstructs, up to the order of
    /// children. For a leaf model: the fraction of assignments on which prediction and truth agree.
    pub accuracy: f64,
}

/// An epoch: one line of `metrics.jsonl`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochReport {
    /// The epoch, from 1.
    pub epoch: usize,
    /// The number of formulae seen so far, including those that hard-example mining rejected.
    pub formulae: u64,
    /// The loss per formula. With hard-example mining, it is that of the selected formulae.
    pub loss: f64,
    /// Its terms.
    #[serde(flatten)]
    pub terms: LossTerms,
    /// The mean norm of the gradients before clipping.
    pub gradient_norm: f64,
    /// The learning rate of the last step.
    pub learning_rate: f64,
    /// The validation, in epochs that end with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<Validation>,
}

/// The best validation so far. Decreases below [`improvement`](crate::TrainingConfig::improvement) do not
/// count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// The epoch after which it took place.
    pub epoch: usize,
    /// Its result.
    pub validation: Validation,
}

/// How training ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The number of finished epochs.
    pub epochs: usize,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// The best validation.
    pub best: Option<Best>,
}

/// Receives reports during training, saves checkpoints, and can stop it.
pub trait Observer {
    /// Called after every step. [`ControlFlow::Break`] ends the training after a checkpoint.
    fn step(&mut self, _: &StepReport) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called after every epoch.
    fn epoch(&mut self, _: &EpochReport) -> Result<(), VaeError> {
        Ok(())
    }

    /// Called when the training should be saved. `best`: its validation is the [best](Best) so far.
    fn checkpoint(&mut self, _: &Checkpoint, _best: bool) -> Result<(), VaeError> {
        Ok(())
    }
}

/// Ignores everything.
impl Observer for () {}

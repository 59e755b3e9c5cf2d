//! Settings of the training.

use serde::{Deserialize, Serialize};

use super::defaults::{is_default, is_one, one};

/// How the learning rate changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decay {
    /// It is constant.
    None,
    /// It falls linearly to zero over the second half of training.
    Half,
    /// It falls to zero along a cosine over the whole training.
    Cosine,
    /// It rises linearly to `cycle_peak` and falls back, once in every `cycle_epochs` epochs.
    Cyclic,
}

/// Settings of the training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingConfig {
    /// The maximum number of passes over the training formulae.
    pub epochs: usize,
    /// The number of formulae in a training step.
    pub batch: usize,
    /// The learning rate.
    pub learning_rate: f64,
    /// How it changes.
    pub decay: Decay,
    /// The number of first steps over which the learning rate grows from zero.
    pub warm_up: usize,
    /// The weight decay, decoupled from the gradients as in AdamW.
    pub weight_decay: f64,
    /// The weight of an L2 penalty on the weights, as `weight_decay` of PyTorch's Adam.
    #[serde(default, skip_serializing_if = "is_default")]
    pub l2: f64,
    /// The length of a cycle of the learning rate in epochs; for `decay = "cyclic"`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cycle_epochs: usize,
    /// The largest learning rate of a cycle.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cycle_peak: f64,
    /// The largest norm of the gradients; larger ones are scaled down to it.
    pub clip: f64,
    /// β: the weight of the Kullback-Leibler divergence in the loss of an autoencoder.
    pub beta: f64,
    /// λ: the weight of the semantic distance in the loss of a leaf model, and only there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lambda: Option<f64>,
    /// The share of a conditional model's training formulae that are decoded from the prior instead of their
    /// encoding: below 1. Without them, the decoder reads everything from encodings and never learns to
    /// follow the condition.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hybrid: f64,
    /// Whether formulae that are decoded from the prior are replaced by their shortest equivalents, so that a
    /// meaning alone is answered with a short formula. Their noise grows from none for the first formula of a
    /// batch to the prior's own for the last, so that the mean of the prior is decoded well, too.
    #[serde(default, skip_serializing_if = "is_default")]
    pub short_answers: bool,
    /// Hard-example mining: train on the hardest one of this many formulae, that is, the one with the largest
    /// reconstruction loss. An accurate model learns little from the others, and a forward pass costs a
    /// fraction of a training step. 1 trains on all.
    #[serde(default = "one", skip_serializing_if = "is_one", alias = "focus")]
    pub hardest_of: usize,
    /// The number of epochs between validations.
    pub validate_every: usize,
    /// Training stops after this many validations without improvement; 0 means never.
    pub patience: usize,
    /// The smallest relative decrease of the validation loss that counts as an improvement.
    pub improvement: f64,
    /// The number of epochs between checkpoints.
    pub checkpoint_every: usize,
    /// The number of final epochs that form the fine-tuning phase. In it, the learning rate restarts at
    /// `fine_tune_learning_rate` and falls to zero along a cosine, and `fine_tune_beta` replaces β. A large β
    /// separates the latent vectors; once they are, a small one removes the last errors.
    #[serde(default, skip_serializing_if = "is_default", alias = "polish")]
    pub fine_tune_epochs: usize,
    /// The learning rate at the start of the fine-tuning phase.
    #[serde(default, skip_serializing_if = "is_default", alias = "polish_rate")]
    pub fine_tune_learning_rate: f64,
    /// β in the fine-tuning phase.
    #[serde(default, skip_serializing_if = "is_default", alias = "polish_beta")]
    pub fine_tune_beta: f64,
}

impl TrainingConfig {
    /// The same settings with the length of another training: what may change when training resumes.
    pub fn with_length_of(&self, other: &Self) -> Self {
        let Self { epochs, fine_tune_epochs, fine_tune_learning_rate, fine_tune_beta, .. } = *other;
        Self { epochs, fine_tune_epochs, fine_tune_learning_rate, fine_tune_beta, ..self.clone() }
    }
}

//! How good a model is, by the paper's protocol and more. Each metric is defined where it is computed.

mod conditional;
mod generation;
mod inversion;
mod leaves;
mod meaning;
mod published;
mod reconstruction;

use serde::{Deserialize, Serialize};

pub use conditional::{Conditional, conditional};
pub use generation::{Generation, generation};
pub use inversion::{InvertedKind, inversion};
pub use leaves::{Leaves, agreement, leaves};
pub use meaning::{Meaning, MeaningProtocol, meaning};
pub use published::{PublishedConditional, published_conditional, published_contexts};
pub use reconstruction::{ByFormula, Reconstruction, reconstruction};

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Protocol {
    /// Posterior samples of each formula.
    pub encodings: usize,
    /// Decodings of each posterior sample.
    pub decodings: usize,
    /// The scale of the noise in posterior samples, if it is not that of the model. The authors' program
    /// evaluates without noise, so that all encodings of a formula are the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posterior_noise: Option<f64>,
    /// Prior samples.
    pub prior_samples: usize,
    /// Decodings of each prior sample.
    pub prior_decodings: usize,
    /// The width of prior samples in standard deviations of the prior: 1 is the prior itself.
    pub prior_noise: f64,
    /// The number of conditions that conditional models are asked for.
    pub contexts: usize,
    /// Prior samples for each condition.
    pub context_samples: usize,
    /// Decodings of each of these.
    pub context_decodings: usize,
    /// Whether the model was trained on trees with sorted children. The likelihood is then that of the sorted
    /// tree.
    pub sorted: bool,
    /// The seed of all samples.
    pub seed: u64,
}

impl Protocol {
    /// The paper's: 10 encodings of each formula, 10 decodings of each; 1,000 prior samples, 10 decodings of
    /// each; 100 prior samples for each of 300 contexts, 10 decodings of each.
    pub fn paper() -> Self {
        Self {
            encodings: 10,
            decodings: 10,
            posterior_noise: None,
            prior_samples: 1000,
            prior_decodings: 10,
            prior_noise: 1.0,
            contexts: 300,
            context_samples: 100,
            context_decodings: 10,
            sorted: false,
            seed: 0,
        }
    }

    /// A tenth of it or less, for a first impression.
    pub fn quick() -> Self {
        Self {
            encodings: 2,
            decodings: 5,
            prior_samples: 100,
            contexts: 20,
            context_samples: 20,
            ..Self::paper()
        }
    }
}

/// The mean of a list; NaN if it is empty.
pub(crate) fn mean(list: &[f64]) -> f64 {
    list.iter().sum::<f64>() / list.len() as f64
}

/// The lower quartile, the median and the upper quartile.
pub(crate) fn quartiles(list: &[f64]) -> [f64; 3] {
    logicvae_logic::quantiles(&mut list.to_vec(), [0.25, 0.5, 0.75])
}

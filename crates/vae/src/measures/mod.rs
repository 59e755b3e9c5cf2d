//! How good a model is, by the paper's protocol and more. Each measure is defined where it is computed.

mod conditional;
mod leaves;
mod prior;
mod reconstruction;

use serde::{Deserialize, Serialize};

pub use conditional::{Conditional, conditional};
pub use leaves::{Leaves, agreement, leaves};
pub use prior::{Generation, generation};
pub use reconstruction::{ByFormula, Reconstruction, reconstruction};

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Protocol {
    /// Posterior samples of each formula.
    pub encodings: usize,
    /// Decodings of each posterior sample.
    pub decodings: usize,
    /// Prior samples.
    pub prior_samples: usize,
    /// Decodings of each prior sample.
    pub prior_decodings: usize,
    /// Prior samples are so many of the prior's standard deviations wide: 1 is the prior itself.
    pub prior_noise: f64,
    /// Contexts that conditional models are asked for.
    pub contexts: usize,
    /// Prior samples for each context.
    pub context_samples: usize,
    /// Decodings of each of these.
    pub context_decodings: usize,
    /// Whether the model has learned trees with sorted children: the likelihood is then that of the sorted tree.
    pub sorted: bool,
    /// The seed of all samples.
    pub seed: u64,
}

impl Protocol {
    /// The paper's: 10 encodings of each formula, 10 decodings of each; 1,000 prior samples, 10 decodings of each; 100 prior
    /// samples for each of 300 contexts, 10 decodings of each.
    pub fn paper() -> Self {
        Self {
            encodings: 10,
            decodings: 10,
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

    /// A tenth of it and less, for a first look.
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

/// The mean of a list; not a number if it is empty.
pub(crate) fn mean(list: &[f64]) -> f64 {
    list.iter().sum::<f64>() / list.len() as f64
}

/// The lower quartile, the median and the upper quartile, with linear interpolation between neighbours.
pub(crate) fn quartiles(list: &[f64]) -> [f64; 3] {
    logicvae_logic::quantiles(&mut list.to_vec(), [0.25, 0.5, 0.75])
}

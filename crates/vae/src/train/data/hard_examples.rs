//! Hard-example mining: of several formulae, training uses the one with the largest reconstruction loss.

use logicvae_logic::Formula;

use crate::config::Config;
use crate::error::VaeError;
use crate::random::{Purpose, generator, position};
use crate::train::learner::Trainable;

/// Selects one of every `hardest_of` formulae. The selection depends on the current weights and on noise that
/// is drawn for the step, so it is the same after an interruption.
pub(in crate::train) struct HardExamples {
    seed: u64,
    hardest_of: usize,
}

impl HardExamples {
    /// `None` if the settings use all formulae.
    pub fn new(config: &Config) -> Option<Self> {
        let hardest_of = config.training.hardest_of;
        (hardest_of > 1).then_some(Self { seed: config.seed, hardest_of })
    }

    /// The hardest formulae of a batch, in their order. The first `kept` stay as they are: a model that
    /// learns from its prior should learn the meanings of easy formulae, too.
    pub fn select(
        &self,
        formulae: &[Formula],
        kept: usize,
        model: &dyn Trainable,
        (epoch, step): (usize, usize),
    ) -> Result<Vec<Formula>, VaeError> {
        let count = formulae.len().div_ceil(self.hardest_of).saturating_sub(kept);
        let (kept, formulae) = formulae.split_at(kept);
        let rng = generator(self.seed, Purpose::HardExamples, position(epoch, step));
        let losses = model.difficulties(formulae, rng)?;
        // NaN counts as hardest of all: the step then reports that training has diverged.
        let loss = |number: usize| if losses[number].is_nan() { f64::INFINITY } else { losses[number] };
        let mut order: Vec<usize> = (0..formulae.len()).collect();
        order.sort_by(|&a, &b| loss(b).total_cmp(&loss(a)));
        order.truncate(count);
        order.sort_unstable();
        Ok(kept.iter().chain(order.into_iter().map(|number| &formulae[number])).cloned().collect())
    }
}

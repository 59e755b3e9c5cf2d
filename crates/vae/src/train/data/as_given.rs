//! Formulae as given: a share of the training formulae escapes all changes but the order of children.

use logicvae_logic::{Dataset, Formula, uniform};

use super::{Augmentation, Examples, map_formulae};
use crate::config::Config;
use crate::error::VaeError;
use crate::random::{Purpose, generator, position};

/// Puts some of the given formulae back once the curriculum is over. Where test formulae can be training
/// formulae, augmentations alone would show them too rarely to be memorised.
pub(super) struct AsGiven {
    seed: u64,
    probability: f64,
    /// The first epoch in which it happens.
    from_epoch: usize,
    train: Vec<Formula>,
}

impl AsGiven {
    pub fn new(config: &Config, data: &Dataset) -> Self {
        Self {
            seed: config.seed,
            probability: config.data.as_given,
            from_epoch: config.data.curriculum,
            train: data.train.clone(),
        }
    }
}

impl Augmentation for AsGiven {
    fn apply(&self, examples: &mut Examples) -> Result<(), VaeError> {
        let epoch = examples.epoch;
        if epoch >= self.from_epoch {
            map_formulae(examples, |number, formula| {
                let mut rng = generator(self.seed, Purpose::AsGiven, position(epoch, number));
                if uniform(&mut rng) < self.probability {
                    self.train[number].clone()
                } else {
                    formula.clone()
                }
            });
        }
        Ok(())
    }
}

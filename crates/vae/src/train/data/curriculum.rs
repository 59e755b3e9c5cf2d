//! Curriculum: in the first epochs, given formulae are replaced by subformulae that grow.

use logicvae_logic::{Dataset, Formula, uniform};

use super::held_out::HeldOut;
use super::{Augmentation, Examples, map_formulae};
use crate::config::Config;
use crate::error::VaeError;
use crate::random::{Purpose, generator, position};

/// The smallest size limit of a curriculum: an operator and its operands.
pub(super) const SMALLEST: usize = 3;

/// Replaces formulae by subformulae up to a size limit that grows from epoch to epoch.
pub(super) struct Curriculum {
    seed: u64,
    /// The number of epochs with a limit.
    epochs: usize,
    /// The size of the largest training formula.
    largest: usize,
    held_out: HeldOut,
}

impl Curriculum {
    pub fn new(config: &Config, data: &Dataset, held_out: HeldOut) -> Self {
        let largest = data.train.iter().map(Formula::size).max().unwrap_or(0);
        Self { seed: config.seed, epochs: config.data.curriculum, largest, held_out }
    }

    /// One of the larger half of a formula's subformulae within the limit, or the formula itself if it is
    /// small enough.
    fn subformula(&self, formula: &Formula, epoch: usize, number: usize) -> Formula {
        let limit = SMALLEST + (self.largest.saturating_sub(SMALLEST)) * (epoch + 1) / (self.epochs + 1);
        if formula.size() <= limit {
            return formula.clone();
        }
        let mut parts: Vec<Formula> =
            formula.subformulae().filter(|part| part.size() <= limit && part.size() > 1).collect();
        parts.sort_by_key(Formula::size);
        let mut rng = generator(self.seed, Purpose::Curriculum, position(epoch, number));
        let larger = parts.len() / 2..parts.len();
        let chosen = larger.start + (uniform(&mut rng) * larger.len() as f64) as usize;
        parts
            .get(chosen)
            .and_then(|part| self.held_out.admit(part.clone()))
            .unwrap_or_else(|| formula.clone())
    }
}

impl Augmentation for Curriculum {
    fn apply(&self, examples: &mut Examples) -> Result<(), VaeError> {
        let epoch = examples.epoch;
        if epoch < self.epochs {
            map_formulae(examples, |number, formula| self.subformula(formula, epoch, number));
        }
        Ok(())
    }
}

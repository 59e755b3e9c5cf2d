//! Child order: the children of ∧ and ∨ are swapped at random, or sorted.

use logicvae_logic::Formula;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use rayon::prelude::*;

use super::held_out::HeldOut;
use super::{Augmentation, Examples};
use crate::config::{Children, Config};
use crate::error::VaeError;

/// Changes the order of children as the settings say.
pub(super) struct ChildOrder {
    children: Children,
    held_out: HeldOut,
}

impl ChildOrder {
    pub fn new(config: &Config, held_out: HeldOut) -> Self {
        Self { children: config.data.children, held_out }
    }

    fn reorder(&self, formula: &Formula, rng: &mut ChaCha8Rng) -> Formula {
        let ordered = match self.children {
            Children::Keep => return formula.clone(),
            Children::Sort => formula.sorted(),
            Children::Swap => formula.with_swaps(|_| rng.next_u32() & 1 == 1),
        };
        // To a model that does not see the order, nothing has changed.
        if self.held_out.is_ordered() && self.held_out.contains(&ordered) { formula.clone() } else { ordered }
    }
}

impl Augmentation for ChildOrder {
    fn apply(&self, examples: &mut Examples) -> Result<(), VaeError> {
        let pairs = examples.formulae.par_iter_mut().zip(&mut examples.generators);
        pairs.for_each(|(formula, rng)| *formula = self.reorder(formula, rng));
        Ok(())
    }
}

//! Symmetries: variables are permuted, and ∧ and ∨ exchanged.

use logicvae_logic::{Formula, Node, Var};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use rayon::prelude::*;

use super::held_out::HeldOut;
use super::{Augmentation, Examples};
use crate::config::Config;
use crate::error::VaeError;
use crate::random::shuffle;

/// Applies a random symmetry to every formula.
pub(super) struct Symmetries {
    variables: u32,
    held_out: HeldOut,
}

impl Symmetries {
    pub fn new(config: &Config, held_out: HeldOut) -> Self {
        let variables = config.data.set.sampler.variables.min(config.model.variables);
        Self { variables, held_out }
    }
}

impl Augmentation for Symmetries {
    fn apply(&self, examples: &mut Examples) -> Result<(), VaeError> {
        let pairs = examples.formulae.par_iter_mut().zip(&mut examples.generators);
        pairs.for_each(|(formula, rng)| {
            // A formula whose image is held out stays as it is.
            let image = permute_variables(formula, self.variables, true, rng).ok();
            if let Some(image) = image.and_then(|image| self.held_out.admit(image)) {
                *formula = image;
            }
        });
        Ok(())
    }
}

/// A formula with its variables permuted at random and, if `dual` is allowed, ∧ and ∨ exchanged half of the
/// time.
pub(super) fn permute_variables(
    formula: &Formula,
    variables: u32,
    dual: bool,
    rng: &mut ChaCha8Rng,
) -> Result<Formula, VaeError> {
    let mut names: Vec<u32> = (1..=variables).collect();
    shuffle(rng, &mut names);
    let dual = dual && rng.next_u32() & 1 == 1;
    let image = formula.preorder().map(|node| match node {
        Node::And if dual => Node::Or,
        Node::Or if dual => Node::And,
        Node::Var(v) => Var::new(names[v.position()]).map_or(node, Node::Var),
        other => other,
    });
    Formula::from_preorder(image).map_err(|e| VaeError::Input(e.to_string()))
}

//! Crossover: a subformula is replaced by one of another training formula.

use logicvae_logic::{Dataset, Formula, uniform};

use super::held_out::HeldOut;
use super::{Augmentation, Examples, map_formulae};
use crate::config::Config;
use crate::error::VaeError;
use crate::random::{Purpose, generator, position};

/// The number of attempts to find a crossover within the limits.
const ATTEMPTS: usize = 10;

/// Exchanges parts between given formulae once the curriculum is over.
pub(super) struct Crossover {
    seed: u64,
    probability: f64,
    /// The first epoch with crossover.
    from_epoch: usize,
    train: Vec<Formula>,
    /// The size of the largest training formula, which is the limit.
    largest: usize,
    /// If given, all of these variables must occur in the result.
    variables: Option<usize>,
    held_out: HeldOut,
}

impl Crossover {
    pub fn new(config: &Config, data: &Dataset, held_out: HeldOut) -> Self {
        let sampler = &config.data.set.sampler;
        let variables = sampler.variables.min(config.model.variables) as usize;
        Self {
            seed: config.seed,
            probability: config.data.crossover,
            from_epoch: config.data.curriculum,
            train: data.train.clone(),
            largest: data.train.iter().map(Formula::size).max().unwrap_or(0),
            variables: sampler.all_variables.then_some(variables),
            held_out,
        }
    }

    fn cross(&self, formula: &Formula, epoch: usize, number: usize) -> Formula {
        let mut rng = generator(self.seed, Purpose::Crossover, position(epoch, number));
        if uniform(&mut rng) >= self.probability {
            return formula.clone();
        }
        let mut below =
            |limit: usize| ((uniform(&mut rng) * limit as f64) as usize).min(limit.saturating_sub(1));
        for _ in 0..ATTEMPTS {
            let other = &self.train[below(self.train.len())];
            // The root stays: replacing it could only give the other formula.
            let at = 1 + below(formula.size().saturating_sub(1));
            let (Some(old), Some(new)) = (formula.subformula(at), other.subformula(below(other.size())))
            else {
                continue;
            };
            if formula.size() - old.size() + new.size() > self.largest {
                continue;
            }
            let rest = formula.preorder().skip(at + old.size());
            let nodes = formula.preorder().take(at).chain(new.preorder()).chain(rest);
            let Ok(crossed) = Formula::from_preorder(nodes) else { continue };
            let complete = self.variables.is_none_or(|count| crossed.variables().len() == count);
            if let Some(crossed) = self.held_out.admit(crossed).filter(|_| complete) {
                return crossed;
            }
        }
        formula.clone()
    }
}

impl Augmentation for Crossover {
    fn apply(&self, examples: &mut Examples) -> Result<(), VaeError> {
        let epoch = examples.epoch;
        if epoch >= self.from_epoch {
            map_formulae(examples, |number, formula| self.cross(formula, epoch, number));
        }
        Ok(())
    }
}

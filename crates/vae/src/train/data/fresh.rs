//! Fresh formulae: every epoch samples new ones.

use logicvae_logic::{Formula, GeneralSampler, Sampler, SamplerParams, all_formulae, uniform};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::curriculum::SMALLEST;
use super::held_out::HeldOut;
use super::symmetries::permute_variables;
use super::{Augmentation, Examples};
use crate::config::Config;
use crate::error::VaeError;
use crate::random::{Purpose, generator, position, seed};
use crate::shape::shape;

/// The number of attempts to sample a formula that is not held out.
const ATTEMPTS: u64 = 1000;

/// The largest size of small formulae, of which all are listed.
const SMALL: usize = 5;

/// Samples the formulae of an epoch. During a curriculum, they grow from one variable and few nodes to their
/// full size.
pub(super) struct Fresh {
    seed: u64,
    /// One sampler per number of variables, with proportional sizes. Without a curriculum, only the last one.
    samplers: Vec<Sampler>,
    count: usize,
    curriculum: usize,
    variables: u32,
    /// Samples formulae of every kind instead.
    general: Option<GeneralSampler>,
    /// All formulae of at most five nodes, if some are drawn from them, and how often that happens.
    small: (Vec<Formula>, f64),
    /// Whether formulae are reduced to their shapes.
    shapes: bool,
    held_out: HeldOut,
}

impl Fresh {
    pub fn new(config: &Config, held_out: HeldOut) -> Result<Self, VaeError> {
        let data = &config.data;
        let full = data.set.sampler;
        let first = if data.curriculum > 0 { 1 } else { full.variables };
        let samplers = (first..=full.variables).map(|variables| {
            let share = (full.max_nodes * variables as usize).div_ceil(full.variables as usize);
            SamplerParams { variables, max_nodes: share.max(SMALLEST), ..full }.check()
        });
        Ok(Self {
            seed: config.seed,
            samplers: samplers.collect::<Result<_, _>>()?,
            count: data.set.train,
            curriculum: data.curriculum,
            variables: full.variables.min(config.model.variables),
            general: if data.general {
                Some(GeneralSampler::new(full.variables, full.max_nodes)?)
            } else {
                None
            },
            small: match data.small > 0.0 {
                true => (all_formulae(full.variables, SMALL, config.model.constant), data.small),
                false => (Vec::new(), 0.0),
            },
            shapes: data.shapes,
            held_out,
        })
    }

    /// The sampler of a formula in this epoch. The share of larger formulae grows evenly.
    fn sampler(&self, epoch: usize, rng: &mut ChaCha8Rng) -> &Sampler {
        let last = self.samplers.len() - 1;
        if epoch >= self.curriculum {
            return &self.samplers[last];
        }
        let level = last as f64 * (epoch + 1) as f64 / (self.curriculum + 1) as f64;
        let up = uniform(rng) < level.fract();
        &self.samplers[(level as usize + usize::from(up)).min(last)]
    }

    fn sample(&self, epoch: usize, number: usize) -> Result<Formula, VaeError> {
        let seed = seed(self.seed, Purpose::Fresh);
        let at = position(epoch, number);
        let mut rng = generator(self.seed, Purpose::Curriculum, at);
        let sampler = self.sampler(epoch, &mut rng);
        let few = sampler.params().variables < self.variables;
        for attempt in 0..ATTEMPTS {
            let seed = seed.wrapping_add(attempt);
            let sampled = match &self.general {
                Some(_) if self.small.1 > 0.0 && uniform(&mut rng) < self.small.1 => {
                    let all = &self.small.0;
                    all[(uniform(&mut rng) * all.len() as f64) as usize].clone()
                }
                Some(general) => general.sample(seed, at)?,
                None => sampler.sample(seed, at)?,
            };
            let formula = if self.shapes {
                shape(&sampled)
            } else if few {
                permute_variables(&sampled, self.variables, false, &mut rng)?
            } else {
                sampled
            };
            if let Some(formula) = self.held_out.admit(formula) {
                return Ok(formula);
            }
        }
        Err(VaeError::Setting {
            setting: "data.fresh".into(),
            reason:
                "the validation and test sets contain nearly all formulae of this sampler: make them smaller"
                    .into(),
        })
    }
}

impl Augmentation for Fresh {
    fn apply(&self, examples: &mut Examples) -> Result<(), VaeError> {
        let epoch = examples.epoch;
        let sampled = (0..self.count).into_par_iter().map(|number| self.sample(epoch, number));
        examples.formulae = sampled.collect::<Result<_, _>>()?;
        Ok(())
    }
}

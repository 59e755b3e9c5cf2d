//! The formulae of each epoch.

use std::collections::HashSet;

use logicvae_logic::{Dataset, Formula, Sampler};
use rand_chacha::rand_core::Rng;
use rayon::prelude::*;

use crate::config::{Children, Config};
use crate::error::VaeError;
use crate::random::{Purpose, generator, seed, shuffle};

/// Where training formulae come from.
pub(super) struct Source {
    seed: u64,
    children: Children,
    train: Vec<Formula>,
    fresh: Option<Fresh>,
}

/// New formulae each epoch, none of them in the validation or test set.
struct Fresh {
    sampler: Sampler,
    held_out: HashSet<Formula>,
    count: usize,
}

/// How often a fresh formula that is held out is drawn again.
const TRIES: u64 = 1000;

impl Source {
    pub fn new(config: &Config, data: &Dataset) -> Result<Self, VaeError> {
        let fresh = config.data.fresh.then(|| -> Result<Fresh, VaeError> {
            Ok(Fresh {
                sampler: config.data.set.sampler.check()?,
                held_out: data.valid.iter().chain(&data.test).cloned().collect(),
                count: config.data.set.train,
            })
        });
        let train = if config.data.fresh { Vec::new() } else { data.train.clone() };
        Ok(Self { seed: config.seed, children: config.data.children, train, fresh: fresh.transpose()? })
    }

    /// How many formulae an epoch has.
    pub fn len(&self) -> usize {
        self.fresh.as_ref().map_or(self.train.len(), |fresh| fresh.count)
    }

    /// The formulae of an epoch in their order; a function of the seed and the epoch alone.
    pub fn epoch(&self, epoch: usize) -> Result<Vec<Formula>, VaeError> {
        let mut list = match &self.fresh {
            Some(fresh) => fresh.epoch(seed(self.seed, Purpose::Fresh), epoch)?,
            None => self.train.clone(),
        };
        match self.children {
            Children::Keep => {}
            Children::Sort => list.par_iter_mut().for_each(|formula| *formula = formula.sorted()),
            Children::Swap => list.par_iter_mut().enumerate().for_each(|(number, formula)| {
                let mut rng = generator(self.seed, Purpose::Children, place(epoch, number));
                *formula = formula.with_swaps(|_| rng.next_u32() & 1 == 1);
            }),
        }
        shuffle(&mut generator(self.seed, Purpose::Order, epoch as u64), &mut list);
        Ok(list)
    }
}

impl Fresh {
    fn epoch(&self, seed: u64, epoch: usize) -> Result<Vec<Formula>, VaeError> {
        let draw = |number: usize| -> Result<Formula, VaeError> {
            for again in 0..TRIES {
                let formula = self.sampler.sample(seed.wrapping_add(again), place(epoch, number))?;
                if !self.held_out.contains(&formula) {
                    return Ok(formula);
                }
            }
            Err(VaeError::Setting {
                setting: "data.fresh".into(),
                reason: "nearly all formulae of this sampler are in the validation and test sets: make these smaller".into(),
            })
        };
        (0..self.count).into_par_iter().map(draw).collect()
    }
}

/// One number for an epoch and a place in it.
pub(super) fn place(epoch: usize, number: usize) -> u64 {
    (epoch as u64) << 32 | number as u64
}

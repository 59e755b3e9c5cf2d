//! The formulae of each epoch.

use std::collections::HashSet;

use logicvae_logic::{Dataset, Formula, Node, Sampler, Var};
use rand_chacha::rand_core::Rng;
use rayon::prelude::*;

use crate::config::{Children, Config};
use crate::error::VaeError;
use crate::random::{Purpose, generator, seed, shuffle};

/// Where training formulae come from.
pub(super) struct Source {
    seed: u64,
    children: Children,
    symmetries: bool,
    variables: u32,
    train: Vec<Formula>,
    fresh: Option<(Sampler, usize)>,
    /// The validation and test sets, of which nothing may be learned.
    held_out: HashSet<Formula>,
}

/// How often a fresh formula that is held out is drawn again.
const TRIES: u64 = 1000;

impl Source {
    pub fn new(config: &Config, data: &Dataset) -> Result<Self, VaeError> {
        let fresh = match config.data.fresh {
            true => Some((config.data.set.sampler.check()?, config.data.set.train)),
            false => None,
        };
        Ok(Self {
            seed: config.seed,
            children: config.data.children,
            symmetries: config.data.symmetries,
            variables: config.model.variables,
            train: if config.data.fresh { Vec::new() } else { data.train.clone() },
            fresh,
            held_out: data.valid.iter().chain(&data.test).cloned().collect(),
        })
    }

    /// How many formulae an epoch has.
    pub fn len(&self) -> usize {
        self.fresh.as_ref().map_or(self.train.len(), |(_, count)| *count)
    }

    /// The formulae of an epoch in their order; a function of the seed and the epoch alone.
    pub fn epoch(&self, epoch: usize) -> Result<Vec<Formula>, VaeError> {
        let mut list = match &self.fresh {
            Some((sampler, count)) => {
                (0..*count).into_par_iter().map(|number| self.draw(sampler, epoch, number)).collect::<Result<_, _>>()?
            }
            None => self.train.clone(),
        };
        if self.symmetries || self.children != Children::Keep {
            list.par_iter_mut().enumerate().for_each(|(number, formula)| {
                let changed = self.change(formula, epoch, number);
                // What would give away a held-out formula stays as it is.
                if !self.held_out.contains(&changed) {
                    *formula = changed;
                }
            });
        }
        shuffle(&mut generator(self.seed, Purpose::Order, epoch as u64), &mut list);
        Ok(list)
    }

    /// A fresh formula that is not held out.
    fn draw(&self, sampler: &Sampler, epoch: usize, number: usize) -> Result<Formula, VaeError> {
        let seed = seed(self.seed, Purpose::Fresh);
        for again in 0..TRIES {
            let formula = sampler.sample(seed.wrapping_add(again), place(epoch, number))?;
            if !self.held_out.contains(&formula) {
                return Ok(formula);
            }
        }
        Err(VaeError::Setting {
            setting: "data.fresh".into(),
            reason: "nearly all formulae of this sampler are in the validation and test sets: make these smaller".into(),
        })
    }

    /// A training formula as this epoch sees it.
    fn change(&self, formula: &Formula, epoch: usize, number: usize) -> Formula {
        let mut rng = generator(self.seed, Purpose::Children, place(epoch, number));
        let mut changed = formula.clone();
        if self.symmetries {
            let mut names: Vec<u32> = (1..=self.variables).collect();
            shuffle(&mut rng, &mut names);
            let dual = rng.next_u32() & 1 == 1;
            let turned = formula.preorder().map(|node| match node {
                Node::And if dual => Node::Or,
                Node::Or if dual => Node::And,
                Node::Var(v) => Var::new(names[v.position()]).map_or(node, Node::Var),
                other => other,
            });
            changed = Formula::from_preorder(turned).unwrap_or(changed);
        }
        match self.children {
            Children::Keep => changed,
            Children::Sort => changed.sorted(),
            Children::Swap => changed.with_swaps(|_| rng.next_u32() & 1 == 1),
        }
    }
}

/// One number for an epoch and a place in it.
pub(super) fn place(epoch: usize, number: usize) -> u64 {
    (epoch as u64) << 32 | number as u64
}

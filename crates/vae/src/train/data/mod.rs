//! The training formulae of each epoch.
//!
//! Formulae are given or freshly sampled, and pass through [augmentations](Augmentation). The result depends
//! only on the seed and the epoch, so training can resume in the middle of an epoch.

mod as_given;
mod child_order;
mod crossover;
mod curriculum;
mod fresh;
mod hard_examples;
mod held_out;
mod shortest;
mod symmetries;

use logicvae_logic::{Dataset, Formula};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

pub(super) use hard_examples::HardExamples;
pub(super) use shortest::ShortAnswers;

use crate::config::{Children, Config};
use crate::error::VaeError;
use crate::random::{Purpose, generator, position, shuffle};
use as_given::AsGiven;
use child_order::ChildOrder;
use crossover::Crossover;
use curriculum::Curriculum;
use fresh::Fresh;
use held_out::HeldOut;
use symmetries::Symmetries;

/// Formulae on their way into an epoch.
pub(super) struct Examples {
    /// The epoch, from 0.
    epoch: usize,
    formulae: Vec<Formula>,
    /// One generator per formula, if symmetries or child order draw from it, in this order.
    generators: Vec<ChaCha8Rng>,
}

/// Replaces or changes the training formulae of an epoch. Nothing that it produces may be a held-out formula.
/// What is selected or changed batch by batch is in `hard_examples.rs` and `shortest.rs`.
pub(super) trait Augmentation: Send + Sync {
    /// Changes the examples in place.
    fn apply(&self, examples: &mut Examples) -> Result<(), VaeError>;
}

/// Applies a function to every formula in parallel, with its index.
fn map_formulae(examples: &mut Examples, change: impl Fn(usize, &Formula) -> Formula + Sync) {
    let numbered = examples.formulae.par_iter_mut().enumerate();
    numbered.for_each(|(number, formula)| *formula = change(number, formula));
}

/// Where training formulae come from.
pub(super) struct Source {
    seed: u64,
    /// The given formulae; empty in `fresh` mode.
    given: Vec<Formula>,
    /// The number of formulae in an epoch.
    count: usize,
    augmentations: Vec<Box<dyn Augmentation>>,
    /// Whether augmentations draw from the generators of formulae.
    draws: bool,
}

impl Source {
    pub fn new(config: &Config, data: &Dataset) -> Result<Self, VaeError> {
        let held_out = HeldOut::new(config, data);
        let settings = &config.data;
        let mut augmentations: Vec<Box<dyn Augmentation>> = Vec::new();
        if settings.fresh {
            augmentations.push(Box::new(Fresh::new(config, held_out.clone())?));
        } else {
            if settings.curriculum > 0 {
                augmentations.push(Box::new(Curriculum::new(config, data, held_out.clone())));
            }
            if settings.crossover > 0.0 {
                augmentations.push(Box::new(Crossover::new(config, data, held_out.clone())));
            }
        }
        if settings.symmetries {
            augmentations.push(Box::new(Symmetries::new(config, held_out.clone())));
        }
        if settings.as_given > 0.0 {
            augmentations.push(Box::new(AsGiven::new(config, data)));
        }
        if settings.children != Children::Keep {
            augmentations.push(Box::new(ChildOrder::new(config, held_out)));
        }
        let given = if settings.fresh { Vec::new() } else { data.train.clone() };
        let count = if settings.fresh { settings.set.train } else { given.len() };
        let draws = settings.symmetries || settings.children != Children::Keep;
        Ok(Self { seed: config.seed, given, count, augmentations, draws })
    }

    /// The number of formulae in an epoch.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The formulae of an epoch in their order.
    pub fn epoch(&self, epoch: usize) -> Result<Vec<Formula>, VaeError> {
        let rng = |number| generator(self.seed, Purpose::Children, position(epoch, number));
        let generators = (0..self.count).filter(|_| self.draws).map(rng).collect();
        let mut examples = Examples { epoch, formulae: self.given.clone(), generators };
        for augmentation in &self.augmentations {
            augmentation.apply(&mut examples)?;
        }
        let mut formulae = examples.formulae;
        shuffle(&mut generator(self.seed, Purpose::Order, epoch as u64), &mut formulae);
        Ok(formulae)
    }
}

/// All formulae of the first epochs, as the model saw them, with repetitions. They are sampled again, not
/// stored. `data` is what the training began with.
pub fn trained_formulae(
    config: &Config,
    data: &Dataset,
    epochs: usize,
) -> Result<impl Iterator<Item = Formula>, VaeError> {
    let source = Source::new(config, data)?;
    // An epoch that could be sampled during training can be sampled again.
    Ok((0..epochs).flat_map(move |epoch| source.epoch(epoch).unwrap_or_default()))
}

//! The formulae of each epoch.

use std::collections::HashSet;

use logicvae_logic::{Dataset, Formula, Node, SampleError, Sampler, SamplerParams, Var};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use rayon::prelude::*;

use crate::config::{Children, Config, DataConfig};
use crate::error::VaeError;
use crate::hierarchy::shape;
use crate::random::{Purpose, generator, seed, shuffle, uniform};

/// Where training formulae come from.
pub(super) struct Source {
    seed: u64,
    children: Children,
    symmetries: bool,
    variables: u32,
    train: Vec<Formula>,
    fresh: Option<Fresh>,
    /// The validation and test sets: nothing that is drawn or changed may equal one of them; sorted where the model cannot see
    /// the order of children, since there a reordering gives away as much as the formula itself. (A given training formula can
    /// be a reordering of one: `logicvae evaluate` says how many are, and measures the others by themselves.)
    held_out: HashSet<Formula>,
    /// Whether the model sees the order of children.
    positional: bool,
    /// Whether formulae lose the indices of their variables.
    shapes: bool,
    /// Over so many first epochs formulae grow.
    curriculum: usize,
    /// The size of the largest training formula.
    largest: usize,
    /// How often parts are exchanged, and whether all variables must be there afterwards.
    crossing: f64,
    all_variables: bool,
}

/// Formulae that are drawn.
struct Fresh {
    /// For one variable, for two, and so on to all; sizes are in proportion. Only the last without a curriculum.
    samplers: Vec<Sampler>,
    /// How many formulae an epoch has.
    count: usize,
    /// Over so many first epochs they grow.
    curriculum: usize,
}

impl Fresh {
    fn new(data: &DataConfig) -> Result<Self, SampleError> {
        let full = data.set.sampler;
        let first = if data.curriculum > 0 { 1 } else { full.variables };
        let samplers = (first..=full.variables).map(|variables| {
            let share = (full.max_nodes * variables as usize).div_ceil(full.variables as usize);
            SamplerParams { variables, max_nodes: share.max(SHORTEST), ..full }.check()
        });
        Ok(Self {
            samplers: samplers.collect::<Result<_, _>>()?,
            count: data.set.train,
            curriculum: data.curriculum,
        })
    }

    /// What a formula of this epoch is drawn from: the share of larger formulae grows evenly.
    fn sampler(&self, epoch: usize, rng: &mut ChaCha8Rng) -> &Sampler {
        let last = self.samplers.len() - 1;
        if epoch >= self.curriculum {
            return &self.samplers[last];
        }
        let place = last as f64 * (epoch + 1) as f64 / (self.curriculum + 1) as f64;
        let up = uniform(rng) < place.fract();
        &self.samplers[(place as usize + usize::from(up)).min(last)]
    }
}

/// The smallest limit of nodes in a curriculum: an operator and its operands.
const SHORTEST: usize = 3;

/// All formulae of so many epochs, as the model has seen them, with repetitions: drawn again, not stored. `data` is what the
/// training began with.
pub fn trained_formulae(
    config: &Config,
    data: &Dataset,
    epochs: usize,
) -> Result<impl Iterator<Item = Formula>, VaeError> {
    let source = Source::new(config, data)?;
    // An epoch that could be drawn in training can be drawn again.
    Ok((0..epochs).flat_map(move |epoch| source.epoch(epoch).unwrap_or_default()))
}

/// How often an exchange of parts is tried.
const CROSSINGS: usize = 10;

/// How often a fresh formula that is held out is drawn again.
const TRIES: u64 = 1000;

impl Source {
    pub fn new(config: &Config, data: &Dataset) -> Result<Self, VaeError> {
        let fresh = match config.data.fresh {
            true => Some(Fresh::new(&config.data)?),
            false => None,
        };
        Ok(Self {
            seed: config.seed,
            children: config.data.children,
            symmetries: config.data.symmetries,
            variables: config.data.set.sampler.variables.min(config.model.variables),
            train: if config.data.fresh { Vec::new() } else { data.train.clone() },
            fresh,
            held_out: data.valid.iter().chain(&data.test).map(|f| seen(f, config.model.positional)).collect(),
            positional: config.model.positional,
            shapes: config.data.shapes,
            curriculum: config.data.curriculum,
            largest: data.train.iter().map(Formula::size).max().unwrap_or(0),
            crossing: config.data.crossing,
            all_variables: config.data.set.sampler.all_variables,
        })
    }

    fn is_held_out(&self, formula: &Formula) -> bool {
        self.held_out.contains(&seen(formula, self.positional))
    }

    /// How many formulae an epoch has.
    pub fn len(&self) -> usize {
        self.fresh.as_ref().map_or(self.train.len(), |fresh| fresh.count)
    }

    /// The formulae of an epoch in their order; a function of the seed and the epoch alone.
    pub fn epoch(&self, epoch: usize) -> Result<Vec<Formula>, VaeError> {
        let mut list = match &self.fresh {
            Some(fresh) => (0..fresh.count)
                .into_par_iter()
                .map(|number| self.draw(fresh, epoch, number))
                .collect::<Result<_, _>>()?,
            None if epoch < self.curriculum => self
                .train
                .par_iter()
                .enumerate()
                .map(|(number, formula)| self.part(formula, epoch, number))
                .collect(),
            None if self.crossing > 0.0 => self
                .train
                .par_iter()
                .enumerate()
                .map(|(number, formula)| self.crossed(formula, epoch, number))
                .collect(),
            None => self.train.clone(),
        };
        if self.symmetries || self.children != Children::Keep {
            list.par_iter_mut()
                .enumerate()
                .for_each(|(number, formula)| *formula = self.change(formula, epoch, number));
        }
        shuffle(&mut generator(self.seed, Purpose::Order, epoch as u64), &mut list);
        Ok(list)
    }

    /// A fresh formula that is not held out.
    fn draw(&self, fresh: &Fresh, epoch: usize, number: usize) -> Result<Formula, VaeError> {
        let seed = seed(self.seed, Purpose::Fresh);
        let mut rng = generator(self.seed, Purpose::Curriculum, place(epoch, number));
        let sampler = fresh.sampler(epoch, &mut rng);
        let few = sampler.params().variables < self.variables;
        for again in 0..TRIES {
            let drawn = sampler.sample(seed.wrapping_add(again), place(epoch, number))?;
            let formula = if self.shapes {
                shape(&drawn)
            } else if few {
                self.renamed(&drawn, false, &mut rng)?
            } else {
                drawn
            };
            if !self.is_held_out(&formula) {
                return Ok(formula);
            }
        }
        Err(VaeError::Setting {
            setting: "data.fresh".into(),
            reason:
                "nearly all formulae of this sampler are in the validation and test sets: make these smaller"
                    .into(),
        })
    }

    /// A part of a training formula, as large as a formula of this epoch may be: one of the larger half of its subformulae
    /// that are small enough.
    fn part(&self, formula: &Formula, epoch: usize, number: usize) -> Formula {
        let limit = SHORTEST + (self.largest.saturating_sub(SHORTEST)) * (epoch + 1) / (self.curriculum + 1);
        if formula.size() <= limit {
            return formula.clone();
        }
        let mut parts: Vec<Formula> =
            formula.subformulae().filter(|part| part.size() <= limit && part.size() > 1).collect();
        parts.sort_by_key(Formula::size);
        let mut rng = generator(self.seed, Purpose::Curriculum, place(epoch, number));
        let larger = parts.len() / 2..parts.len();
        let chosen = larger.start + (uniform(&mut rng) * larger.len() as f64) as usize;
        match parts.get(chosen) {
            Some(part) if !self.is_held_out(part) => part.clone(),
            _ => formula.clone(),
        }
    }

    /// A training formula, or one with a part of another in the place of one of its own.
    fn crossed(&self, formula: &Formula, epoch: usize, number: usize) -> Formula {
        let mut rng = generator(self.seed, Purpose::Crossing, place(epoch, number));
        if uniform(&mut rng) >= self.crossing {
            return formula.clone();
        }
        let mut below =
            |limit: usize| ((uniform(&mut rng) * limit as f64) as usize).min(limit.saturating_sub(1));
        for _ in 0..CROSSINGS {
            let other = &self.train[below(self.train.len())];
            // The root stays: a whole formula in its place would be the other one.
            let at = 1 + below(formula.size().saturating_sub(1));
            let (Some(old), Some(new)) = (formula.subformula(at), other.subformula(below(other.size())))
            else {
                continue;
            };
            if formula.size() - old.size() + new.size() > self.largest {
                continue;
            }
            let rest = formula.preorder().skip(at + old.size());
            let Ok(crossed) =
                Formula::from_preorder(formula.preorder().take(at).chain(new.preorder()).chain(rest))
            else {
                continue;
            };
            let complete = !self.all_variables || crossed.variables().len() == self.variables as usize;
            if complete && !self.is_held_out(&crossed) {
                return crossed;
            }
        }
        formula.clone()
    }

    /// A formula with its variables renamed at random, and with ∧ and ∨ exchanged half of the time if they may be.
    fn renamed(&self, formula: &Formula, exchange: bool, rng: &mut ChaCha8Rng) -> Result<Formula, VaeError> {
        let mut names: Vec<u32> = (1..=self.variables).collect();
        shuffle(rng, &mut names);
        let dual = exchange && rng.next_u32() & 1 == 1;
        let turned = formula.preorder().map(|node| match node {
            Node::And if dual => Node::Or,
            Node::Or if dual => Node::And,
            Node::Var(v) => Var::new(names[v.position()]).map_or(node, Node::Var),
            other => other,
        });
        Formula::from_preorder(turned).map_err(|e| VaeError::Input(e.to_string()))
    }

    /// A training formula as this epoch sees it.
    fn change(&self, formula: &Formula, epoch: usize, number: usize) -> Formula {
        let mut rng = generator(self.seed, Purpose::Children, place(epoch, number));
        let mut changed = formula.clone();
        if self.symmetries {
            // What would give away a held-out formula stays as it is.
            changed = self
                .renamed(formula, true, &mut rng)
                .ok()
                .filter(|turned| !self.is_held_out(turned))
                .unwrap_or(changed);
        }
        let ordered = match self.children {
            Children::Keep => return changed,
            Children::Sort => changed.sorted(),
            Children::Swap => changed.with_swaps(|_| rng.next_u32() & 1 == 1),
        };
        // Only a model that sees the order learns something of another formula by it.
        if self.positional && self.is_held_out(&ordered) { changed } else { ordered }
    }
}

/// A formula as a model sees it: without the order of children, if it does not see that.
fn seen(formula: &Formula, positional: bool) -> Formula {
    if positional { formula.clone() } else { formula.sorted() }
}

/// One number for an epoch and a place in it.
pub(super) fn place(epoch: usize, number: usize) -> u64 {
    (epoch as u64) << 32 | number as u64
}

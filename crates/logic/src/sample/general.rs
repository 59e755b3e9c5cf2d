//! Formulae of every kind: any size, any subset of the variables, constants, and the shapes that people
//! write.
//!
//! Algorithm 1 of the paper draws random trees. People write chains of literals, implications, disjunctions
//! of conjunctions and nested conditions instead. A model that should work for any formula is trained and
//! measured on all of these.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::params::{SampleError, SamplerParams};
use super::sampler::Sampler;
use crate::formula::{Formula, x};
use crate::random::{mix64, uniform};

/// A kind of formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormulaKind {
    /// Algorithm 1, with any subset of the variables.
    Random,
    /// The largest of four formulae of Algorithm 1.
    Large,
    /// Algorithm 1 with every variable, as in the paper's data sets.
    AllVariables,
    /// Chains, implications, two-level formulae and nested conditions.
    Written,
    /// At most six nodes, including single variables.
    Small,
    /// Algorithm 1 with constants at some leaves, and the constants themselves.
    Constants,
}

impl FormulaKind {
    /// All kinds, each with its share in [`GeneralSampler::sample`].
    pub(crate) const SHARES: [(Self, f64); 6] = [
        (Self::Random, 0.40),
        (Self::Large, 0.22),
        (Self::AllVariables, 0.15),
        (Self::Written, 0.13),
        (Self::Small, 0.04),
        (Self::Constants, 0.06),
    ];
}

/// The probability that a leaf becomes a constant in formulae with constants.
const CONSTANT_LEAF: f64 = 0.15;

/// Samples formulae of every kind. Formula number `index` of a seed depends on the seed and the index only.
///
/// ```
/// use logicvae_logic::{FormulaKind, GeneralSampler};
/// let sampler = GeneralSampler::new(5, 30)?;
/// assert_eq!(sampler.sample(1, 7)?, sampler.sample(1, 7)?);
/// let written = sampler.sample_kind(FormulaKind::Written, 1, 0)?;
/// assert!(written.size() <= 30 && written.max_variable() <= 5);
/// # Ok::<(), logicvae_logic::SampleError>(())
/// ```
pub struct GeneralSampler {
    random: Sampler,
    all_variables: Sampler,
    small: Sampler,
    variables: u32,
    max_nodes: usize,
}

impl GeneralSampler {
    /// Formulae over `x1` to `x_variables` with at most `max_nodes` nodes.
    pub fn new(variables: u32, max_nodes: usize) -> Result<Self, SampleError> {
        let random = SamplerParams { max_nodes, ..SamplerParams::new(variables) };
        // The size limit of the paper's data sets.
        let paper = max_nodes.min(4 * variables as usize + 2);
        Ok(Self {
            random: random.check()?,
            all_variables: SamplerParams { all_variables: true, max_nodes: paper, ..random }.check()?,
            small: SamplerParams { max_nodes: max_nodes.min(6), ..random }.check()?,
            variables,
            max_nodes,
        })
    }

    /// Formula number `index` of a seed, of a kind that is drawn by its share.
    pub fn sample(&self, seed: u64, index: u64) -> Result<Formula, SampleError> {
        let mut draw = uniform(&mut generator(seed, index));
        for (kind, share) in FormulaKind::SHARES {
            draw -= share;
            if draw < 0.0 {
                return self.sample_kind(kind, seed, index);
            }
        }
        self.sample_kind(FormulaKind::Random, seed, index)
    }

    /// Formula number `index` of a seed and a kind.
    pub fn sample_kind(&self, kind: FormulaKind, seed: u64, index: u64) -> Result<Formula, SampleError> {
        let seed = mix64(seed ^ kind as u64);
        let mut writer = Writer { rng: generator(seed, index), variables: self.variables };
        match kind {
            FormulaKind::Random => self.random.sample(seed, index),
            FormulaKind::Large => {
                let draw = |attempt| self.random.sample(seed.wrapping_add(attempt), index);
                let mut largest = draw(0)?;
                for attempt in 1..4 {
                    let next = draw(attempt)?;
                    if next.size() > largest.size() {
                        largest = next;
                    }
                }
                Ok(largest)
            }
            FormulaKind::AllVariables => self.all_variables.sample(seed, index),
            FormulaKind::Small if writer.chance(0.2) => Ok(writer.variable()),
            FormulaKind::Small => self.small.sample(seed, index),
            FormulaKind::Constants if writer.chance(0.1) => Ok(writer.constant()),
            FormulaKind::Constants => {
                let formula = self.random.sample(seed, index)?;
                Ok(formula.substitute(|_| writer.chance(CONSTANT_LEAF).then(Formula::truth)))
            }
            FormulaKind::Written => loop {
                let formula = writer.formula();
                if formula.size() <= self.max_nodes {
                    return Ok(formula);
                }
            },
        }
    }
}

fn generator(seed: u64, index: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(index);
    rng
}

/// Writes formulae as people do.
struct Writer {
    rng: ChaCha8Rng,
    variables: u32,
}

impl Writer {
    fn chance(&mut self, probability: f64) -> bool {
        uniform(&mut self.rng) < probability
    }

    /// A number from `from` to `to`, both included.
    fn between(&mut self, from: usize, to: usize) -> usize {
        from + (uniform(&mut self.rng) * (to - from + 1) as f64) as usize
    }

    fn variable(&mut self) -> Formula {
        x(self.between(1, self.variables as usize) as u32)
    }

    fn constant(&mut self) -> Formula {
        if self.chance(0.5) { Formula::truth() } else { Formula::falsity() }
    }

    fn literal(&mut self) -> Formula {
        let variable = self.variable();
        if self.chance(0.35) { !variable } else { variable }
    }

    fn join(conjunction: bool, left: Formula, right: Formula) -> Formula {
        if conjunction { left & right } else { left | right }
    }

    /// Literals under one operator, with parentheses to the left, as `a & b & c` is read, or to the right.
    fn chain(&mut self, conjunction: bool, literals: usize) -> Formula {
        let to_the_left = self.chance(0.75);
        let first = self.literal();
        (1..literals).fold(first, |chain, _| {
            let next = self.literal();
            let (left, right) = if to_the_left { (chain, next) } else { (next, chain) };
            Self::join(conjunction, left, right)
        })
    }

    /// A disjunction of conjunctions, or the other way round.
    fn two_levels(&mut self) -> Formula {
        let inner = self.chance(0.5);
        let terms = self.between(2, 4);
        let length = self.between(1, 3);
        let mut formula = self.chain(inner, length);
        for _ in 1..terms {
            let length = self.between(1, 3);
            formula = Self::join(!inner, formula, self.chain(inner, length));
        }
        formula
    }

    /// `a & (b | c & (d | e))`.
    fn nesting(&mut self) -> Formula {
        let depth = self.between(2, 7);
        let mut conjunction = self.chance(0.5);
        let first = self.literal();
        (0..depth).fold(first, |inner, _| {
            conjunction = !conjunction;
            let literal = self.literal();
            let literal_first = self.chance(0.75);
            let (left, right) = if literal_first { (literal, inner) } else { (inner, literal) };
            Self::join(conjunction, left, right)
        })
    }

    /// `!condition | conclusion`: what `->` stands for.
    fn implication(&mut self) -> Formula {
        let (conjunction, length) = (self.chance(0.8), self.between(1, 4));
        let condition = self.chain(conjunction, length);
        let (conjunction, length) = (self.chance(0.5), self.between(1, 3));
        !condition | self.chain(conjunction, length)
    }

    /// Both or neither, or exactly one: what `<->` and `^` stand for.
    fn equivalence(&mut self) -> Formula {
        let (a, b) = (self.literal(), self.literal());
        if self.chance(0.5) {
            (a.clone() & b.clone()) | (!a & !b)
        } else {
            (a.clone() & !b.clone()) | (!a & b)
        }
    }

    fn part(&mut self) -> Formula {
        match self.between(0, 5) {
            0 | 1 => {
                let (conjunction, length) = (self.chance(0.5), self.between(1, 6));
                self.chain(conjunction, length)
            }
            2 => self.two_levels(),
            3 => self.nesting(),
            4 => self.implication(),
            _ => self.equivalence(),
        }
    }

    fn formula(&mut self) -> Formula {
        let mut formula = self.part();
        if self.chance(0.3) {
            let conjunction = self.chance(0.5);
            formula = Self::join(conjunction, formula, self.part());
        }
        if self.chance(0.12) { !formula } else { formula }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_stays_within_its_limits() {
        let sampler = GeneralSampler::new(5, 30).unwrap();
        assert!((FormulaKind::SHARES.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-12);
        for (kind, _) in FormulaKind::SHARES {
            let mut sizes = std::collections::BTreeSet::new();
            for index in 0..500 {
                let formula = sampler.sample_kind(kind, 3, index).unwrap();
                assert!(formula.size() <= 30 && formula.max_variable() <= 5, "{kind:?}: {formula}");
                match kind {
                    FormulaKind::AllVariables => assert_eq!(formula.variables().len(), 5, "{formula}"),
                    FormulaKind::Small => assert!(formula.size() <= 6, "{formula}"),
                    _ => {}
                }
                sizes.insert(formula.size());
            }
            assert!(sizes.len() > 3, "{kind:?}: {sizes:?}");
        }
    }

    #[test]
    fn large_formulae_are_larger_than_random_ones() {
        let sampler = GeneralSampler::new(5, 30).unwrap();
        let mean = |kind| {
            let size = |index| sampler.sample_kind(kind, 1, index).unwrap().size();
            (0..2000).map(size).sum::<usize>() as f64 / 2000.0
        };
        let (random, large) = (mean(FormulaKind::Random), mean(FormulaKind::Large));
        assert!(large > random + 3.0, "{large} and {random} nodes");
    }
}

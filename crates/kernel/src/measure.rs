//! Other measures of how similar two formulae are, from how often they are true.

use logicvae_logic::{BitMatrix, Formula};
use rayon::prelude::*;

use crate::domain::Domain;
use crate::error::KernelError;

/// How often two formulae are true at the assignments of a domain, as shares between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Where the first is true.
    pub first: f64,
    /// Where the second is true.
    pub second: f64,
    /// Where both are true.
    pub both: f64,
}

/// A measure of similarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The share of assignments at which both have the same value. The plain kernel is 2 times this minus 1.
    Agreement,
    /// The share of the assignments that satisfy at least one of them at which both are true; 1 if no
    /// assignment satisfies either.
    Jaccard,
    /// The correlation of their values: the plain kernel after each formula's mean is subtracted, between -1
    /// and 1. Formulae without a common variable have 0, and so have constants with all others.
    Centred,
    /// The share of the assignments that satisfy the first at which the second is true too: 1 if the first
    /// implies the second.
    Entailment,
}

impl Overlap {
    /// The overlaps of a formula with each formula of a list.
    ///
    /// ```
    /// use logicvae_kernel::{Domain, Measure, Overlap};
    /// let f = |t: &str| t.parse::<logicvae_logic::Formula>().unwrap();
    /// let overlaps = Overlap::with_all(&Domain::exact(2)?, &f("x1"), &[f("x1 & x2"), f("!x1")])?;
    /// assert_eq!(overlaps[0].measure(Measure::Jaccard), 0.5);
    /// assert_eq!(overlaps[1].measure(Measure::Centred), -1.0);
    /// # Ok::<(), logicvae_kernel::KernelError>(())
    /// ```
    pub fn with_all(domain: &Domain, formula: &Formula, list: &[Formula]) -> Result<Vec<Self>, KernelError> {
        let (query, values) = (domain.values(std::slice::from_ref(formula))?, domain.values(list)?);
        let total = share(domain, &query, |_, _| u64::MAX);
        let first = share(domain, &query, |word, at| query.row(0)[at] & word);
        let overlap = |row: usize| {
            let own = values.row(row);
            let part =
                |test: &dyn Fn(usize) -> u64| share(domain, &query, |word, at| word & test(at)) / total;
            Self {
                first: first / total,
                second: part(&|at| own[at]),
                both: part(&|at| own[at] & query.row(0)[at]),
            }
        };
        Ok((0..list.len()).into_par_iter().map(overlap).collect())
    }

    /// The similarity by a measure.
    pub fn measure(&self, measure: Measure) -> f64 {
        let Self { first, second, both } = *self;
        match measure {
            Measure::Agreement => 1.0 - first - second + 2.0 * both,
            Measure::Jaccard if first + second == 0.0 => 1.0,
            Measure::Jaccard => both / (first + second - both),
            Measure::Centred => {
                let spread = (first * (1.0 - first) * second * (1.0 - second)).sqrt();
                if spread > 0.0 { ((both - first * second) / spread).clamp(-1.0, 1.0) } else { 0.0 }
            }
            Measure::Entailment if first == 0.0 => 1.0,
            Measure::Entailment => both / first,
        }
    }
}

/// The number, or the weight, of the assignments that a test keeps. It gets a mask of the assignments in a
/// word, and the position of the word.
fn share(domain: &Domain, like: &BitMatrix, keep: impl Fn(u64, usize) -> u64) -> f64 {
    let mut sum = 0.0;
    for at in 0..like.words_per_row() {
        let bits = (like.bits() - 64 * at).min(64);
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let mut word = keep(mask, at) & mask;
        match domain.weights() {
            None => sum += f64::from(word.count_ones()),
            Some(weights) => {
                while word != 0 {
                    sum += weights[64 * at + word.trailing_zeros() as usize];
                    word &= word - 1;
                }
            }
        }
    }
    sum
}

//! Different formulae, drawn in parallel.

use std::collections::HashSet;

use rayon::prelude::*;

use super::params::SampleError;
use super::sampler::Sampler;
use crate::formula::Formula;

/// Formulae drawn between two rounds of sorting out repetitions.
const ROUND: u64 = 8192;

impl Sampler {
    /// The first `count` different formulae of the sequence that belongs to `seed`, in its order. The result is the
    /// same for any number of threads, and a larger count only adds to it.
    ///
    /// ```
    /// use logicvae_logic::SamplerParams;
    /// let sampler = SamplerParams::new(3).check()?;
    /// let (few, more) = (sampler.distinct(1, 10)?, sampler.distinct(1, 20)?);
    /// assert_eq!(few, more[..10]);
    /// # Ok::<(), logicvae_logic::SampleError>(())
    /// ```
    pub fn distinct(&self, seed: u64, count: usize) -> Result<Vec<Formula>, SampleError> {
        self.distinct_with(seed, count, |_| {})
    }

    /// As [`distinct`](Self::distinct), and tells now and then how many have been found.
    pub fn distinct_with(&self, seed: u64, count: usize, mut found: impl FnMut(usize)) -> Result<Vec<Formula>, SampleError> {
        let mut seen: HashSet<Formula> = HashSet::new();
        let mut kept: Vec<Formula> = Vec::new();
        let (mut next, mut last_new) = (0u64, 0u64);
        while kept.len() < count {
            let round = ROUND.min(2 * (count - kept.len()) as u64 + 64);
            let drawn: Vec<Formula> =
                (next..next + round).into_par_iter().map(|i| self.sample(seed, i)).collect::<Result<_, _>>()?;
            for (index, formula) in (next..).zip(drawn) {
                if kept.len() < count && seen.insert(formula.clone()) {
                    kept.push(formula);
                    last_new = index;
                }
            }
            next += round;
            // Long without a new one: there are no more, or they are too rare to wait for.
            if kept.len() < count && next - last_new > 20_000 + 20 * kept.len() as u64 {
                return Err(SampleError::TooFewDistinct { found: kept.len(), wanted: count, draws: next });
            }
            found(kept.len());
        }
        Ok(kept)
    }
}

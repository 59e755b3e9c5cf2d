//! Sampling distinct formulae in parallel.

use std::hash::{BuildHasher, BuildHasherDefault};

use hashbrown::HashTable;
use rayon::prelude::*;
use rustc_hash::FxHasher;

use super::params::SampleError;
use super::sampler::{Sampler, Scratch};
use crate::formula::Formula;

/// The largest number of formulae drawn between two rounds of removing duplicates.
const MAX_ROUND: f64 = 65_536.0;

impl Sampler {
    /// The first `count` distinct formulae of the sequence of `seed`, in order. The result does not depend on
    /// the number of threads, and a smaller count gives a prefix of it.
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

    /// Like [`distinct`](Self::distinct), and calls `found` from time to time with the number of formulae
    /// found so far.
    pub fn distinct_with(
        &self,
        seed: u64,
        count: usize,
        mut found: impl FnMut(usize),
    ) -> Result<Vec<Formula>, SampleError> {
        let hasher = BuildHasherDefault::<FxHasher>::default();
        let draw = |scratch: &mut Scratch, index| {
            let formula = self.sample_with(scratch, seed, index)?;
            Ok((hasher.hash_one(&formula), formula))
        };
        let mut kept: Vec<Formula> = Vec::new();
        // Hashes and positions of the formulae in `kept`.
        let mut positions: HashTable<(u64, usize)> = HashTable::new();
        let (mut next, mut last_new) = (0u64, 0u64);
        while kept.len() < count {
            // Draw about as many as are needed if distinct formulae keep appearing at the rate observed so
            // far.
            let rate = (kept.len() as f64 / next.max(1) as f64).max(0.05);
            let wanted = if next == 0 { 1.02 } else { 1.05 / rate } * (count - kept.len()) as f64 + 64.0;
            let round = wanted.min(MAX_ROUND) as u64;
            let indices = (0..round as usize).into_par_iter().with_min_len(256).map(|i| next + i as u64);
            let drawn: Vec<(u64, Formula)> =
                indices.map_init(Scratch::default, draw).collect::<Result<_, _>>()?;
            for (index, (hash, formula)) in (next..).zip(drawn) {
                let same = |&(other, position): &(u64, usize)| other == hash && kept[position] == formula;
                if kept.len() < count && positions.find(hash, same).is_none() {
                    positions.insert_unique(hash, (hash, kept.len()), |&(hash, _)| hash);
                    kept.push(formula);
                    last_new = index;
                }
            }
            next += round;
            // No new formula for a long time: there are no more, or they are too rare.
            if kept.len() < count && next - last_new > 20_000 + 20 * kept.len() as u64 {
                return Err(SampleError::TooFewDistinct { found: kept.len(), wanted: count, draws: next });
            }
            found(kept.len());
        }
        Ok(kept)
    }
}

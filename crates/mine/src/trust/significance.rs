//! The permutation test: how often shuffled labels give an equally good formula.

use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;

use super::{Trust, shuffled_order};
use crate::random::{generator, hypergeometric};
use crate::rows::Labels;

/// The result of shuffling labels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Significance {
    /// The number of times that were asked for.
    pub requested: usize,
    /// The number of times the labels were shuffled. Fewer if there was no time for more.
    pub shuffles: usize,
    /// How often shuffled labels gave a formula that saves at least as many bits.
    pub as_good: usize,
    /// The estimated probability of a result like this without any relation: (as_good + 1) / (shuffles + 1).
    /// None without a shuffle.
    pub p_value: Option<f64>,
}

impl Trust<'_> {
    /// How often shuffled labels give a formula that saves at least as many bits as the true ones. Both sides
    /// are searched in the same way.
    pub fn significance(&self, shuffles: usize) -> Significance {
        let weights = self.observations.weights();
        let saved = self.search(weights.to_vec(), self.seed).and_then(|found| self.saved(&found));
        let counted: Vec<Option<bool>> = (0..shuffles)
            .into_par_iter()
            .map(|number| {
                let rng = &mut generator(self.seed, 6, number as u64);
                let shuffled = shuffled(weights, self.are_counts(), rng);
                let found = self.search(shuffled, self.seed ^ number as u64)?;
                Some(self.saved(&found)? >= saved?)
            })
            .collect();
        let done = counted.iter().flatten().count();
        let as_good = counted.iter().flatten().filter(|as_good| **as_good).count();
        let p_value = (done > 0).then(|| (as_good + 1) as f64 / (done + 1) as f64);
        Significance { requested: shuffles, shuffles: done, as_good, p_value }
    }
}

/// The same items with the same labels in random places.
fn shuffled(weights: &[Labels], are_counts: bool, rng: &mut ChaCha8Rng) -> Vec<Labels> {
    if !are_counts {
        let order = shuffled_order(weights.len(), rng);
        let place = |(&[no, yes], other): (&Labels, usize)| match weights[other][1] > 0 {
            true => [0, no + yes],
            false => [no + yes, 0],
        };
        return weights.iter().zip(order).map(place).collect();
    }
    let mut left: u64 = weights.iter().flatten().sum();
    let mut positive: u64 = weights.iter().map(|[_, yes]| yes).sum();
    let mut draw = |weight: u64| {
        let drawn = hypergeometric(rng, weight, positive, left);
        left -= weight;
        positive -= drawn;
        [weight - drawn, drawn]
    };
    weights.iter().map(|[no, yes]| draw(no + yes)).collect()
}

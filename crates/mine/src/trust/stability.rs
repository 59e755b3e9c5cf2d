//! Bootstrap: how often the same formula wins on resampled rows.

use std::collections::{BTreeMap, BTreeSet};

use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;

use super::Trust;
use crate::expr::Expr;
use crate::random::{below, binomial, generator};
use crate::rows::{Labels, same_bits};

/// How often the same formula wins on resampled rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stability {
    /// The number of resamples that were asked for.
    pub requested: usize,
    /// The number of resamples. Fewer if there was no time for more.
    pub resamples: usize,
    /// How often the chosen formula has the same values at all rows as the one found on all rows.
    pub same: usize,
    /// How often each column occurs in the chosen formula.
    pub columns: Vec<(String, usize)>,
}

impl Trust<'_> {
    /// How often resampled rows lead to the same formula.
    pub fn stability(&self, chosen: &Expr, resamples: usize) -> Stability {
        let weights = self.observations.weights();
        let values = self.observations.own_values(chosen);
        // Whether the formula has the values of the chosen one, and the columns that occur in it.
        let found: Vec<Option<(bool, BTreeSet<String>)>> = (0..resamples)
            .into_par_iter()
            .map(|number| {
                let rng = &mut generator(self.seed, 7, number as u64);
                let drawn = resampled(weights, self.are_counts(), rng);
                let (trial, front) = self.search(drawn, self.seed ^ number as u64)?;
                let expr = &front.best()?.expr;
                let other = self.observations.values(&trial, expr);
                let same = same_bits(&other, &values, weights.len());
                let features = expr.features().into_iter();
                Some((same, features.map(|f| trial.features[f as usize].column.clone()).collect()))
            })
            .collect();
        let found: Vec<(bool, BTreeSet<String>)> = found.into_iter().flatten().collect();
        let mut columns: BTreeMap<String, usize> = BTreeMap::new();
        for name in found.iter().flat_map(|(_, names)| names) {
            *columns.entry(name.clone()).or_default() += 1;
        }
        let mut columns: Vec<(String, usize)> = columns.into_iter().collect();
        columns.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let same = found.iter().filter(|(same, _)| *same).count();
        Stability { requested: resamples, resamples: found.len(), same, columns }
    }
}

/// As many rows, drawn with replacement.
fn resampled(weights: &[Labels], are_counts: bool, rng: &mut ChaCha8Rng) -> Vec<Labels> {
    let mut drawn = vec![[0, 0]; weights.len()];
    if !are_counts {
        for _ in 0..weights.len() {
            let item = below(rng, weights.len());
            drawn[item][0] += weights[item][0];
            drawn[item][1] += weights[item][1];
        }
        return drawn;
    }
    // How many of the remaining draws each label of each item gets.
    let total: u64 = weights.iter().flatten().sum();
    let (mut draws, mut left) = (total, total);
    for (drawn, weight) in drawn.iter_mut().flatten().zip(weights.iter().flatten()) {
        if left > 0 {
            *drawn = binomial(rng, draws, *weight as f64 / left as f64);
        }
        draws -= *drawn;
        left -= weight;
    }
    drawn
}

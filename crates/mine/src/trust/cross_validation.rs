//! Cross-validation: accuracy on rows that were not used to find a formula.

use logicvae_logic::wilson_interval;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;

use super::{Trust, shuffled_order};
use crate::expr::Expr;
use crate::random::{below, generator};
use crate::rows::{Bits, Labels};

/// An accuracy on rows that were not used to find the formula.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HeldOut {
    /// The share of correct predictions.
    pub accuracy: f64,
    /// Wilson's 95 % interval.
    pub interval: (f64, f64),
}

impl Trust<'_> {
    /// Cross-validation: for each of these sizes, the accuracy on held-out rows of the best formula of at
    /// most this size that was found on the other rows; and the same for the formula that is chosen by its
    /// score.
    /// `None` if there was no time for all folds.
    pub fn cross_validate(&self, sizes: &[usize], folds: usize) -> Option<(Vec<HeldOut>, HeldOut)> {
        let weights = self.observations.weights();
        let parts = folds_of(weights, self.are_counts(), folds, &mut generator(self.seed, 5, 0));
        let results: Vec<Option<Vec<u64>>> = parts
            .par_iter()
            .enumerate()
            .map(|(number, held_out)| {
                let pairs = weights.iter().zip(held_out);
                let rest = pairs.map(|(all, out)| [all[0] - out[0], all[1] - out[1]]).collect();
                let (trial, front) = self.search(rest, self.seed ^ (number as u64 + 1))?;
                let wrong = |expr: &Expr| {
                    let values = self.observations.values(&trial, expr);
                    let opposite = |item: usize| usize::from(!bit(&values, item));
                    (0..weights.len()).map(|item| held_out[item][opposite(item)]).sum::<u64>()
                };
                let mut list: Vec<u64> = Vec::new();
                for &size in sizes {
                    list.push(wrong(&front.up_to(size)?.expr));
                }
                list.push(wrong(&front.best()?.expr));
                Some(list)
            })
            .collect();
        let results: Vec<Vec<u64>> = results.into_iter().collect::<Option<_>>()?;
        let total: u64 = weights.iter().flatten().sum();
        let evidence = total as f64 / self.problem.rows.grain() as f64;
        let held_out = |at: usize| {
            let wrong: u64 = results.iter().map(|list| list[at]).sum();
            let accuracy = 1.0 - wrong as f64 / total as f64;
            HeldOut { accuracy, interval: wilson_interval(accuracy, evidence) }
        };
        Some(((0..sizes.len()).map(held_out).collect(), held_out(sizes.len())))
    }
}

fn bit(values: &Bits, item: usize) -> bool {
    values[item / 64] >> (item % 64) & 1 == 1
}

/// Divides the items into folds. Numbers of equal rows are divided, as in any cross-validation by rows; other
/// weights stay together.
fn folds_of(weights: &[Labels], are_counts: bool, folds: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<Labels>> {
    let mut parts = vec![vec![[0, 0]; weights.len()]; folds];
    // Labels take turns, so that every fold has its share of both.
    let mut turn = [below(rng, folds), below(rng, folds)];
    for item in shuffled_order(weights.len(), rng) {
        for label in 0..2 {
            let weight = weights[item][label];
            let mut add = |weight: u64| {
                parts[turn[label]][item][label] += weight;
                turn[label] = (turn[label] + 1) % folds;
            };
            if !are_counts {
                if weight > 0 {
                    add(weight);
                }
                continue;
            }
            (0..weight % folds as u64).for_each(|_| add(1));
            parts.iter_mut().for_each(|part| part[item][label] += weight / folds as u64);
        }
    }
    parts
}

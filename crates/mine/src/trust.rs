//! How far a result can be trusted: cross-validation, shuffled labels and resamples.

use std::collections::{BTreeMap, BTreeSet};

use logicvae_logic::{Budget, wilson_interval};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;

use crate::engine::Engines;
use crate::expr::Expr;
use crate::front::Front;
use crate::observations::{Observations, Trial};
use crate::problem::Problem;
use crate::random::{below, generator};
use crate::rows::{Bits, Labels};
use crate::search::Search;

/// The rounds without an improvement after which a search on a part of the rows ends.
const PATIENCE: usize = 2;

/// An accuracy on rows that were not used to find the formula.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HeldOut {
    /// The share of correct predictions.
    pub accuracy: f64,
    /// Wilson's 95 % interval.
    pub interval: (f64, f64),
}

/// What else is known about a result.
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

/// Searches on parts of the rows.
pub(crate) struct Trust<'a> {
    pub problem: &'a Problem<'a>,
    pub observations: Observations<'a>,
    pub engines: &'a Engines,
    pub seed: u64,
    pub budget: &'a Budget,
}

impl Trust<'_> {
    /// A search with other weights. It chooses its own cut points. `None` if it could not be finished.
    fn search(&self, weights: Vec<Labels>, seed: u64) -> Option<(Trial, Front)> {
        if self.budget.is_spent() {
            return None;
        }
        let trial = self.observations.trial(weights);
        if trial.rows.positive() == 0 || trial.rows.positive() == trial.rows.total() {
            return None;
        }
        let search =
            Search { engines: self.engines, seed, patience: PATIENCE, start: None, budget: self.budget };
        let (front, _) = search.run(&self.problem.on(&trial.rows, &trial.features), &|_| {});
        // An unfinished search says nothing.
        (!self.budget.is_spent()).then_some((trial, front))
    }

    /// The bits that the best formula of a search saves.
    fn saved(&self, (trial, front): &(Trial, Front)) -> Option<f64> {
        let problem = self.problem.on(&trial.rows, &trial.features);
        Some(saved_bits(&problem, front.best()?.score))
    }

    /// Whether weights are numbers of equal rows, which can be divided.
    fn are_counts(&self) -> bool {
        self.problem.rows.grain() == 1
    }

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
                let same = (0..weights.len()).all(|item| bit(&other, item) == bit(&values, item));
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

/// The bits that a formula saves, compared with the better constant.
pub(crate) fn saved_bits(problem: &Problem<'_>, score: f64) -> f64 {
    let rows = problem.rows;
    let guess = rows.positive().min(rows.total() - rows.positive());
    problem.score.errors(guess) + problem.score.formula(&Expr::Const(false)) - score
}

fn bit(values: &Bits, item: usize) -> bool {
    values[item / 64] >> (item % 64) & 1 == 1
}

/// Items in a random order.
fn shuffled_order(count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, below(rng, at + 1));
    }
    order
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
        let mut drawn = 0;
        for _ in 0..weight {
            let is_positive = (below(rng, left as usize) as u64) < positive;
            left -= 1;
            positive -= u64::from(is_positive);
            drawn += u64::from(is_positive);
        }
        [weight - drawn, drawn]
    };
    weights.iter().map(|[no, yes]| draw(no + yes)).collect()
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
    let mut starts = Vec::with_capacity(2 * weights.len());
    let mut total = 0;
    for weight in weights.iter().flatten() {
        starts.push(total);
        total += weight;
    }
    for _ in 0..total {
        let unit = below(rng, total as usize) as u64;
        let at = starts.partition_point(|&start| start <= unit) - 1;
        drawn[at / 2][at % 2] += 1;
    }
    drawn
}

//! How far a result can be trusted: cross-validation, shuffled labels and resamples.

use logicvae_logic::{Budget, wilson_interval};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;

use crate::engine::Engines;
use crate::expr::Expr;
use crate::problem::Problem;
use crate::random::{below, generator};
use crate::rows::{Labels, Rows};
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
    /// The number of times the labels were shuffled.
    pub shuffles: usize,
    /// How often shuffled labels gave a formula that saves at least as many bits.
    pub as_good: usize,
    /// The estimated probability of a result like this without any relation: (as_good + 1) / (shuffles + 1).
    pub p_value: f64,
}

/// How often the same formula wins on resampled rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stability {
    /// The number of resamples.
    pub resamples: usize,
    /// How often the chosen formula has the same values at all rows as the one found on all rows.
    pub same: usize,
    /// How often each column occurs in the chosen formula.
    pub columns: Vec<(String, usize)>,
}

/// Searches on parts of the rows.
pub(crate) struct Trust<'a> {
    pub problem: &'a Problem<'a>,
    pub engines: &'a Engines,
    pub seed: u64,
    pub budget: &'a Budget,
}

impl Trust<'_> {
    fn search(&self, rows: &Rows, seed: u64) -> Option<crate::front::Front> {
        if rows.positive() == 0 || rows.positive() == rows.total() || self.budget.is_spent() {
            return None;
        }
        let problem = self.problem.on(rows);
        let search =
            Search { engines: self.engines, seed, patience: PATIENCE, start: None, budget: self.budget };
        let (front, _) = search.run(&problem, &|_| {});
        // An unfinished search says nothing.
        (!self.budget.is_spent()).then_some(front)
    }

    /// Cross-validation: for each of these sizes, the accuracy on held-out rows of the best formula of at
    /// most this size that was found on the other rows; and the same for the formula that is chosen by its
    /// score.
    /// `None` if there was no time for all folds.
    pub fn cross_validate(&self, sizes: &[usize], folds: usize) -> Option<(Vec<HeldOut>, HeldOut)> {
        let rows = self.problem.rows;
        let parts = folds_of(rows, folds, &mut generator(self.seed, 5, 0));
        let results: Vec<Option<Vec<u64>>> = parts
            .par_iter()
            .enumerate()
            .map(|(number, held_out)| {
                let rest: Vec<Labels> = rows
                    .weights()
                    .iter()
                    .zip(held_out)
                    .map(|(all, out)| [all[0] - out[0], all[1] - out[1]])
                    .collect();
                let front = self.search(&rows.reweighted(rest), self.seed ^ (number as u64 + 1))?;
                let wrong = |expr: &Expr| {
                    let values = expr.values(rows);
                    let at = |row: usize| usize::from(values[row / 64] >> (row % 64) & 1 == 0);
                    (0..rows.len()).map(|row| held_out[row][at(row)]).sum::<u64>()
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
        let total = rows.total() as f64;
        let held_out = |at: usize| {
            let wrong: u64 = results.iter().map(|list| list[at]).sum();
            let accuracy = 1.0 - wrong as f64 / total;
            HeldOut { accuracy, interval: wilson_interval(accuracy, total) }
        };
        Some(((0..sizes.len()).map(held_out).collect(), held_out(sizes.len())))
    }

    /// How often shuffled labels give a formula that saves at least as many bits as `saved`.
    pub fn significance(&self, saved: f64, shuffles: usize) -> Significance {
        let rows = self.problem.rows;
        let counted: Vec<Option<bool>> = (0..shuffles)
            .into_par_iter()
            .map(|number| {
                let rng = &mut generator(self.seed, 6, number as u64);
                let shuffled = rows.reweighted(shuffled(rows, rng));
                let front = self.search(&shuffled, self.seed ^ number as u64)?;
                let problem = self.problem.on(&shuffled);
                Some(saved_bits(&problem, front.best()?.score) >= saved)
            })
            .collect();
        let done = counted.iter().flatten().count();
        let as_good = counted.iter().flatten().filter(|as_good| **as_good).count();
        Significance { shuffles: done, as_good, p_value: (as_good + 1) as f64 / (done + 1) as f64 }
    }

    /// How often resampled rows lead to the same formula.
    pub fn stability(&self, chosen: &Expr, resamples: usize) -> Stability {
        let rows = self.problem.rows;
        let values = chosen.values(rows);
        let found: Vec<Option<Expr>> = (0..resamples)
            .into_par_iter()
            .map(|number| {
                let rng = &mut generator(self.seed, 7, number as u64);
                let front = self.search(&rows.reweighted(resampled(rows, rng)), self.seed ^ number as u64)?;
                Some(front.best()?.expr.clone())
            })
            .collect();
        let found: Vec<Expr> = found.into_iter().flatten().collect();
        let same = |expr: &&Expr| {
            let other = expr.values(rows);
            (0..rows.len()).all(|row| (other[row / 64] ^ values[row / 64]) >> (row % 64) & 1 == 0)
        };
        let mut columns: std::collections::BTreeMap<String, usize> = Default::default();
        for expr in &found {
            let names = expr.features().into_iter().map(|f| self.problem.features[f as usize].column.clone());
            let names: std::collections::BTreeSet<String> = names.collect();
            names.into_iter().for_each(|name| *columns.entry(name).or_default() += 1);
        }
        let mut columns: Vec<(String, usize)> = columns.into_iter().collect();
        columns.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Stability { resamples: found.len(), same: found.iter().filter(same).count(), columns }
    }
}

/// The bits that a formula saves, compared with the better constant.
pub(crate) fn saved_bits(problem: &Problem<'_>, score: f64) -> f64 {
    let rows = problem.rows;
    let guess = rows.positive().min(rows.total() - rows.positive());
    problem.score.errors(guess) + problem.score.formula(&Expr::Const(false)) - score
}

/// Divides the rows into folds. Equal rows can be in different folds, as in any cross-validation by rows.
fn folds_of(rows: &Rows, folds: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<Labels>> {
    let mut parts = vec![vec![[0, 0]; rows.len()]; folds];
    // Labels take turns, so that every fold has its share of both.
    let mut turn = [below(rng, folds), below(rng, folds)];
    let mut order: Vec<usize> = (0..rows.len()).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, below(rng, at + 1));
    }
    for row in order {
        for label in 0..2 {
            let weight = rows.weights()[row][label];
            let (each, rest) = (weight / folds as u64, weight % folds as u64);
            parts.iter_mut().for_each(|part| part[row][label] += each);
            for _ in 0..rest {
                parts[turn[label]][row][label] += 1;
                turn[label] = (turn[label] + 1) % folds;
            }
        }
    }
    parts
}

/// The same rows with the same number of positive labels, in random places.
fn shuffled(rows: &Rows, rng: &mut ChaCha8Rng) -> Vec<Labels> {
    let (mut left, mut positive) = (rows.total(), rows.positive());
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
    rows.weights().iter().map(|[no, yes]| draw(no + yes)).collect()
}

/// As many rows, drawn with replacement.
fn resampled(rows: &Rows, rng: &mut ChaCha8Rng) -> Vec<Labels> {
    let mut starts = Vec::with_capacity(2 * rows.len());
    let mut total = 0;
    for labels in rows.weights() {
        for weight in labels {
            starts.push(total);
            total += weight;
        }
    }
    let mut drawn = vec![[0, 0]; rows.len()];
    for _ in 0..total {
        let unit = below(rng, total as usize) as u64;
        let at = starts.partition_point(|&start| start <= unit) - 1;
        drawn[at / 2][at % 2] += 1;
    }
    drawn
}

//! How far a result can be trusted: cross-validation, shuffled labels and resamples. All of them search on
//! rows with other weights, and such a search chooses its own cut points.

mod cross_validation;
mod significance;
mod stability;

use logicvae_logic::Budget;
use rand_chacha::ChaCha8Rng;

pub use cross_validation::HeldOut;
pub use significance::Significance;
pub use stability::Stability;

use crate::engine::Engines;
use crate::expr::Expr;
use crate::front::Front;
use crate::observations::{Observations, Trial};
use crate::problem::Problem;
use crate::random::below;
use crate::rows::Labels;
use crate::search::Search;

/// The rounds without an improvement after which a search on a part of the rows ends.
const PATIENCE: usize = 2;

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
        let (front, _) = search.run(&self.problem.with_rows(&trial.rows, &trial.features), &|_| {});
        // An unfinished search says nothing.
        (!self.budget.is_spent()).then_some((trial, front))
    }

    /// Whether weights are numbers of equal rows, which can be divided.
    fn are_counts(&self) -> bool {
        self.problem.rows.grain() == 1
    }

    /// The bits that the best formula of a search saves.
    fn saved(&self, (trial, front): &(Trial, Front)) -> Option<f64> {
        let problem = self.problem.with_rows(&trial.rows, &trial.features);
        Some(saved_bits(&problem, front.best()?.score))
    }
}

/// The bits that a formula saves, compared with the better constant.
pub(crate) fn saved_bits(problem: &Problem<'_>, score: f64) -> f64 {
    let rows = problem.rows;
    let guess = rows.positive().min(rows.total() - rows.positive());
    problem.score.total(guess, &Expr::Const(false)) - score
}

/// Items in a random order.
fn shuffled_order(count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, below(rng, at + 1));
    }
    order
}

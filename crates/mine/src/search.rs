//! The portfolio: engines propose formulae, and the best ones are improved round by round.

use logicvae_logic::Budget;
use rayon::prelude::*;

use crate::engine::{Engine, Engines, decompose, exact, genetic, learned, local, template, two_level};
use crate::expr::{Expr, Join};
use crate::factor::factored;
use crate::front::Front;
use crate::problem::{Candidate, Problem};
use crate::random::{below, generator};
use crate::rows::Rows;
use crate::shape::Shape;

/// The number of chains in a round. It does not depend on the number of threads, so the result does not.
const CHAINS: usize = 8;
/// The steps of a chain.
const STEPS: usize = 150;
/// The places of a formula in which decodings are tried in a round.
const LEARNED_PLACES: usize = 6;
/// The largest number of rows that are searched on. More rows are sampled, and the result is scored on all.
const SEARCHED_ROWS: usize = 1 << 15;

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Nothing improved for several rounds.
    Converged,
    /// The time was over, or the search was interrupted.
    Limit,
}

/// How a search is run.
pub(crate) struct Search<'a> {
    pub engines: &'a Engines,
    pub seed: u64,
    /// The number of rounds without an improvement after which the search ends.
    pub patience: usize,
    pub start: Option<&'a Expr>,
    pub budget: &'a Budget,
}

impl Search<'_> {
    /// Searches until nothing improves. `observe` is called after each round.
    pub fn run(&self, problem: &Problem<'_>, observe: &(dyn Fn(&Front) + Sync)) -> (Front, StopReason) {
        if problem.rows.len() <= SEARCHED_ROWS {
            return self.run_on(problem, observe);
        }
        let thinned = thinned(problem.rows, self.seed);
        let on_fewer = problem.with_rows(&thinned, problem.features);
        let (front, reason) = self.run_on(&on_fewer, observe);
        problem.count(on_fewer.evaluated.into_inner() as usize);
        // The errors on all rows.
        let mut whole = Front::default();
        let all: Vec<&Candidate> = front.all().chain(front.best()).collect();
        let scored: Vec<Candidate> =
            all.into_par_iter().filter_map(|candidate| problem.candidate(candidate.expr.clone())).collect();
        scored.into_iter().for_each(|candidate| {
            whole.offer(candidate);
        });
        (whole, reason)
    }

    fn run_on(&self, problem: &Problem<'_>, observe: &(dyn Fn(&Front) + Sync)) -> (Front, StopReason) {
        let mut front = Front::default();
        let offer = |front: &mut Front, list: Vec<Expr>| {
            for expr in list {
                if let Some(candidate) = problem.candidate(expr).filter(|c| problem.is_complete(&c.expr)) {
                    front.offer(candidate);
                }
            }
        };
        let merge = |front: &mut Front, list: &[Front]| {
            for candidate in list.iter().flat_map(Front::all).filter(|c| problem.is_complete(&c.expr)) {
                front.offer(candidate.clone());
            }
        };
        offer(&mut front, self.simple(problem));
        if let Shape::Template(shape) = &problem.shape {
            let rng = |chain: usize| generator(self.seed, 3, chain as u64);
            let fill = |chain| template::fill(problem, shape, 12, &mut rng(chain), self.budget);
            let filled: Vec<Front> = (0..CHAINS).into_par_iter().map(fill).collect();
            merge(&mut front, &filled);
            observe(&front);
            return (front, self.reason());
        }
        let uses = |engine: Engine| self.engines.0.contains(&engine);
        let first: Vec<Vec<Expr>> = [Engine::Exact, Engine::TwoLevel, Engine::Decompose]
            .into_par_iter()
            .map(|engine| match engine {
                _ if !uses(engine) => Vec::new(),
                Engine::Exact => exact::propose(problem, self.budget),
                Engine::TwoLevel => two_level::propose(problem, &mut generator(self.seed, 1, 0), self.budget),
                _ => decompose::propose(problem, &mut generator(self.seed, 2, 0), self.budget),
            })
            .collect();
        first.into_iter().for_each(|list| offer(&mut front, list));
        observe(&front);
        let mut idle = 0;
        let mut round = 0;
        let improving = [Engine::Local, Engine::Genetic, Engine::Learned].into_iter().any(uses);
        while idle < self.patience && !self.budget.is_spent() && improving {
            let before = front.best().map(|best| best.score);
            let found = self.round(problem, &front, round);
            merge(&mut front, &found);
            let improved = front.best().map(|best| best.score) < before;
            idle = if improved { 0 } else { idle + 1 };
            round += 1;
            observe(&front);
        }
        let kept: Vec<Expr> =
            front.pareto().iter().map(|list| &list[0]).chain(front.best()).map(|c| c.expr.clone()).collect();
        offer(&mut front, kept.iter().map(factored).collect());
        if uses(Engine::Exact) {
            let shorter = kept.iter().filter_map(|expr| exact::shortened(problem, expr, self.budget));
            offer(&mut front, shorter.collect());
        }
        (front, self.reason())
    }

    fn reason(&self) -> StopReason {
        if self.budget.is_spent() { StopReason::Limit } else { StopReason::Converged }
    }

    /// Formulae to begin with: constants, the given one, and the required columns.
    fn simple(&self, problem: &Problem<'_>) -> Vec<Expr> {
        let mut list = vec![Expr::Const(false), Expr::Const(true)];
        list.extend(self.start.cloned());
        list.extend(
            (0..problem.rows.features() as u32).flat_map(|f| [Expr::positive(f), Expr::Literal(f, true)]),
        );
        let must: Vec<Expr> = problem
            .must
            .iter()
            .filter_map(|name| problem.features.iter().position(|feature| feature.column == *name))
            .map(|feature| Expr::positive(feature as u32))
            .collect();
        if must.len() > 1 {
            list.extend([Join::And, Join::Or].map(|join| Expr::join(join, must.clone())));
        }
        list
    }

    /// Chains from good and from random formulae, side by side.
    fn round(&self, problem: &Problem<'_>, front: &Front, round: u64) -> Vec<Front> {
        let all: Vec<Candidate> = front.all().cloned().collect();
        let Some(best) = front.best() else { return Vec::new() };
        let pareto: Vec<Candidate> = front.pareto().iter().map(|list| list[0].clone()).collect();
        (0..=CHAINS)
            .into_par_iter()
            .map(|chain| {
                let rng = &mut generator(self.seed, 10 + round, chain as u64);
                let genetic = chain >= CHAINS - 2;
                let uses = |engine: Engine| self.engines.0.contains(&engine);
                if self.budget.is_spent() {
                    return Front::default();
                }
                if chain == CHAINS {
                    let other = &pareto[below(rng, pareto.len())];
                    return match (uses(Engine::Learned), round % 4) {
                        (false, _) => Front::default(),
                        (true, 3) => learned::explore(problem, best, self.seed ^ round, self.budget),
                        (true, 0 | 2) => learned::improve(problem, best, LEARNED_PLACES, rng, self.budget),
                        (true, _) => learned::improve(problem, other, LEARNED_PLACES, rng, self.budget),
                    };
                }
                match (genetic && uses(Engine::Genetic), uses(Engine::Local)) {
                    (true, _) => {
                        let parents: Vec<Candidate> = all.iter().chain([best]).cloned().collect();
                        genetic::evolve(problem, &parents, 12, rng, self.budget)
                    }
                    (false, true) => {
                        let start = match chain {
                            0 | 1 => best,
                            2 | 3 => &pareto[below(rng, pareto.len())],
                            4 => &pareto[pareto.len() - 1],
                            _ => &all[below(rng, all.len())],
                        };
                        local::anneal(problem, start.clone(), STEPS, rng, self.budget)
                    }
                    (false, false) => Front::default(),
                }
            })
            .collect()
    }
}

/// Some of the rows, chosen by their weight and at random.
fn thinned(rows: &Rows, seed: u64) -> Rows {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let difference = |at: usize| rows.weights()[at][0].abs_diff(rows.weights()[at][1]);
    // Half of the rows are those with the largest weights, which come first; the rest is random.
    let heavy = SEARCHED_ROWS / 2;
    order[heavy..].sort_by_key(|&at| logicvae_logic::mix64(seed ^ at as u64));
    order.truncate(SEARCHED_ROWS);
    order.sort_by_key(|&at| (std::cmp::Reverse(difference(at)), at));
    rows.selected(&order, rows.weights())
}

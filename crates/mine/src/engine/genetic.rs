//! Crossover: subformulae of good formulae are tried in the places of others.

use logicvae_logic::Budget;
use rand_chacha::ChaCha8Rng;

use super::local::descend;
use crate::expr::Expr;
use crate::front::Front;
use crate::goal::Place;
use crate::problem::{Candidate, Problem};
use crate::random::below;

/// The number of subformulae that are tried in one place.
const TRIED: usize = 64;

/// Several rounds of crossover between good formulae, each followed by a few steps downhill.
pub(crate) fn evolve(
    problem: &Problem<'_>,
    parents: &[Candidate],
    rounds: usize,
    rng: &mut ChaCha8Rng,
    budget: &Budget,
) -> Front {
    let mut front = Front::default();
    let mut parts: Vec<Expr> = Vec::new();
    for parent in parents {
        parent.expr.visit(&mut |part| {
            if part.literals() > 1 {
                parts.extend([part.clone(), part.negated()]);
            }
        });
    }
    parts.sort_unstable();
    parts.dedup();
    if parts.is_empty() || parents.is_empty() {
        return front;
    }
    for _ in 0..rounds {
        if budget.is_spent() {
            break;
        }
        let mother = &parents[below(rng, parents.len())].expr;
        let paths = mother.paths();
        let path = &paths[below(rng, paths.len())];
        let values = mother.values(problem.rows);
        let goal = Place::at(problem.rows, mother, path).goal(problem.rows, &values);
        let mut best: Option<Candidate> = None;
        for _ in 0..TRIED.min(parts.len()) {
            let part = &parts[below(rng, parts.len())];
            let child = mother.with(path, part.clone());
            let errors = goal.errors(goal.benefit(&part.values(problem.rows)));
            if !problem.allows(&child) || child == *mother {
                continue;
            }
            let Some(candidate) = problem.scored(child, errors) else { continue };
            front.offer(candidate.clone());
            if best.as_ref().is_none_or(|best| candidate.score < best.score) {
                best = Some(candidate);
            }
        }
        if let Some(best) = best {
            front.merge(&descend(problem, best, 10, rng, budget));
        }
    }
    front
}

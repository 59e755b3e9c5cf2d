//! A small inconsistent subset of formulae that cannot all be true together.

use batsat::Lit;

use super::Relations;
use crate::budget::{Budget, Unknown};
use crate::decide::{Answer, Solver};

/// How long to look for a smaller inconsistent subset than the first minimal one.
const SECONDS_FOR_SMALLEST: f64 = 3.0;

/// Decides whether all formulae can be true together, and finds a minimal inconsistent subset if not.
pub(super) fn find(solver: &mut Solver, roots: &[Lit], budget: &Budget, found: &mut Relations) {
    if let Some(&never_true) = found.unsatisfiable.first() {
        (found.consistent, found.core, found.core_is_smallest) = (Some(false), vec![never_true], true);
        return;
    }
    let mut conflict = Conflict { solver, roots };
    let all: Vec<usize> = (0..roots.len()).collect();
    match conflict.ask(&all) {
        Ok(None) => found.consistent = Some(true),
        Err(Unknown) => {}
        Ok(Some(core)) => {
            found.consistent = Some(false);
            found.core = conflict.minimal(core);
            let limited = budget.at_most(SECONDS_FOR_SMALLEST);
            if let Ok(smallest) = conflict.smallest(&limited, found.core.len()) {
                found.core_is_smallest = true;
                found.core = smallest.unwrap_or(std::mem::take(&mut found.core));
            }
        }
    }
}

struct Conflict<'a> {
    solver: &'a mut Solver,
    roots: &'a [Lit],
}

impl Conflict<'_> {
    /// `None` if these formulae can be true together; otherwise some of them that cannot.
    fn ask(&mut self, formulae: &[usize]) -> Result<Option<Vec<usize>>, Unknown> {
        let literals: Vec<Lit> = formulae.iter().map(|&at| self.roots[at]).collect();
        Ok(match self.solver.ask(&literals)? {
            Answer::Model(_) => None,
            Answer::Core(used) => {
                Some(formulae.iter().copied().filter(|&at| used.contains(&self.roots[at])).collect())
            }
        })
    }

    /// Leaves out one formula after the other as long as the rest is inconsistent. If the budget is spent on
    /// the way, what is left may not be minimal.
    fn minimal(&mut self, mut core: Vec<usize>) -> Vec<usize> {
        let mut at = 0;
        while at < core.len() {
            let mut rest = core.clone();
            rest.remove(at);
            match self.ask(&rest) {
                Ok(Some(smaller)) => {
                    // What comes before `at` is needed, so it is in every smaller core.
                    core = smaller;
                }
                Ok(None) => at += 1,
                Err(Unknown) => break,
            }
        }
        core
    }

    /// A smallest inconsistent subset if it has fewer than `bound` formulae, or `None` if there is none.
    ///
    /// An inconsistent subset contains a formula of every set whose removal makes the rest consistent. So a
    /// smallest set that meets all such sets found so far is a lower bound; if it is inconsistent, it is the
    /// answer, and if not, it leads to another such set.
    fn smallest(&mut self, budget: &Budget, bound: usize) -> Result<Option<Vec<usize>>, Unknown> {
        let mut removals: Vec<Vec<usize>> = Vec::new();
        loop {
            let Some(mut chosen) = smallest_hitting_set(&removals, bound, budget)? else { return Ok(None) };
            if self.ask(&chosen)?.is_some() {
                chosen.sort_unstable();
                return Ok(Some(chosen));
            }
            // Add formulae as long as they are consistent with those chosen; the others are a removal.
            let mut removal = Vec::new();
            let others: Vec<usize> = (0..self.roots.len()).filter(|at| !chosen.contains(at)).collect();
            for at in others {
                if budget.is_spent() {
                    return Err(Unknown);
                }
                chosen.push(at);
                if self.ask(&chosen)?.is_some() {
                    chosen.pop();
                    removal.push(at);
                }
            }
            removals.push(removal);
        }
    }
}

/// A smallest set that has an element of every given set, if it has fewer than `bound` elements.
fn smallest_hitting_set(
    sets: &[Vec<usize>],
    bound: usize,
    budget: &Budget,
) -> Result<Option<Vec<usize>>, Unknown> {
    // Deepening by size: the first solution is a smallest one. The depth is below `bound`.
    for size in 0..bound {
        let mut chosen = Vec::new();
        if hit(sets, size, &mut chosen, budget)? {
            return Ok(Some(chosen));
        }
    }
    Ok(None)
}

fn hit(sets: &[Vec<usize>], left: usize, chosen: &mut Vec<usize>, budget: &Budget) -> Result<bool, Unknown> {
    if budget.is_spent() {
        return Err(Unknown);
    }
    let missed = sets.iter().filter(|set| !set.iter().any(|at| chosen.contains(at)));
    let Some(set) = missed.min_by_key(|set| set.len()) else { return Ok(true) };
    if left == 0 {
        return Ok(false);
    }
    for &at in set {
        chosen.push(at);
        if hit(sets, left - 1, chosen, budget)? {
            return Ok(true);
        }
        chosen.pop();
    }
    Ok(false)
}

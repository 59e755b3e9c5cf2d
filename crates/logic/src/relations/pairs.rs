//! Relations between two formulae.

use batsat::Lit;

use super::Relations;
use super::samples::Samples;
use crate::budget::{Budget, Unknown};
use crate::decide::{Answer, Solver};
use crate::eval::truth_tables;
use crate::formula::Formula;
use crate::node::Var;

/// Up to this number of variables, two formulae are compared by truth tables (64 words each), which takes
/// less time than a question to the solver.
const TABLE_VARIABLES: usize = 12;

/// About this number of pairs is listed; more are undecided. Ten thousand equal formulae have 50 million
/// pairs.
const MAX_LISTED: usize = 1_000_000;

/// About this number of pairs is looked at; more are undecided.
const MAX_PAIRS: usize = 1 << 30;

/// Truth tables of pairs with more nodes take longer than a question to the solver.
const TABLE_NODES: usize = 1 << 12;

/// How many pairs are looked at between two looks at the clock.
const PATIENCE: usize = 64;

/// Finds the relations between all pairs of formulae.
pub(super) fn find(
    formulae: &[Formula],
    variables: usize,
    solver: &mut Solver,
    roots: &[Lit],
    budget: &Budget,
    found: &mut Relations,
) {
    let mut search = Search { formulae, solver, roots, samples: Samples::new(formulae, variables) };
    let mut ordinary = Vec::new();
    for at in 0..formulae.len() {
        match (search.can_be(at, true), search.can_be(at, false)) {
            (Ok(false), _) => found.unsatisfiable.push(at),
            (_, Ok(false)) => found.tautologies.push(at),
            _ => ordinary.push(at),
        }
    }
    let used: Vec<Vec<usize>> = formulae.iter().map(positions).collect();
    let mut in_first = vec![false; variables];
    let mut seen = 0usize;
    'all: for (number, &a) in ordinary.iter().enumerate() {
        used[a].iter().for_each(|&position| in_first[position] = true);
        for (after, &b) in ordinary[number + 1..].iter().enumerate() {
            seen += 1;
            let listed = found.equivalent.len() + found.entails.len() + found.contradicts.len();
            let stop = listed > MAX_LISTED || seen > MAX_PAIRS;
            if stop || (seen % PATIENCE == 1 && budget.is_spent()) {
                // All pairs that are left, also those without a common variable.
                let left = ordinary.len() - number - 1;
                found.undecided += left - after + left * left.saturating_sub(1) / 2;
                break 'all;
            }
            // Formulae without a common variable that are sometimes true and sometimes false are unrelated.
            if !used[b].iter().any(|&position| in_first[position]) {
                continue;
            }
            match search.relation(a, b) {
                Ok(None) => {}
                Ok(Some(Relation::Equivalent)) => found.equivalent.push((a, b)),
                Ok(Some(Relation::Entails)) => found.entails.push((a, b)),
                Ok(Some(Relation::Follows)) => found.entails.push((b, a)),
                Ok(Some(Relation::Contradicts)) => found.contradicts.push((a, b)),
                Err(Unknown) => found.undecided += 1,
            }
        }
        used[a].iter().for_each(|&position| in_first[position] = false);
    }
    found.entails.sort_unstable();
}

/// How two formulae are related.
enum Relation {
    Equivalent,
    Entails,
    Follows,
    Contradicts,
}

struct Search<'a> {
    formulae: &'a [Formula],
    solver: &'a mut Solver,
    roots: &'a [Lit],
    samples: Samples<'a>,
}

impl Search<'_> {
    /// Whether the formula has this value at some assignment.
    fn can_be(&mut self, at: usize, value: bool) -> Result<bool, Unknown> {
        let seen = if value { self.samples.some_true(at) } else { self.samples.some_false(at) };
        if seen {
            return Ok(true);
        }
        let root = if value { self.roots[at] } else { !self.roots[at] };
        self.ask(&[root])
    }

    fn relation(&mut self, a: usize, b: usize) -> Result<Option<Relation>, Unknown> {
        let (forward, backward) = (!self.samples.first_only(a, b), !self.samples.first_only(b, a));
        let disjoint = !self.samples.both_true(a, b);
        if !(forward || backward || disjoint) {
            return Ok(None);
        }
        let (forward, backward, disjoint) = match self.by_table(a, b) {
            Some(exact) => exact,
            None => {
                let (x, y) = (self.roots[a], self.roots[b]);
                let forward = forward && !self.ask(&[x, !y])?;
                let backward = backward && !self.ask(&[y, !x])?;
                (forward, backward, disjoint && !self.ask(&[x, y])?)
            }
        };
        Ok(match (forward, backward, disjoint) {
            (true, true, _) => Some(Relation::Equivalent),
            (true, false, _) => Some(Relation::Entails),
            (false, true, _) => Some(Relation::Follows),
            (false, false, true) => Some(Relation::Contradicts),
            _ => None,
        })
    }

    /// Whether the second follows from the first, the first from the second, and whether they are never true
    /// together; `None` if they are too large, or have too many variables, for truth
    /// tables.
    fn by_table(&self, a: usize, b: usize) -> Option<(bool, bool, bool)> {
        let (first, second) = (&self.formulae[a], &self.formulae[b]);
        if first.size() + second.size() > TABLE_NODES {
            return None;
        }
        let (pair, variables) = (first & second).compact();
        if variables.len() > TABLE_VARIABLES {
            return None;
        }
        let both = [pair.subformula(1)?, pair.subformula(1 + first.size())?];
        let tables = truth_tables(&both, variables.len()).ok()?;
        let never = |test: fn(u64, u64) -> u64| {
            tables.row(0).iter().zip(tables.row(1)).all(|(x, y)| test(*x, *y) == 0)
        };
        Some((never(|x, y| x & !y), never(|x, y| !x & y), never(|x, y| x & y)))
    }

    /// Whether the literals can be true together. If so, the assignment is added to the samples.
    fn ask(&mut self, literals: &[Lit]) -> Result<bool, Unknown> {
        match self.solver.ask(literals)? {
            Answer::Model(values) => {
                self.samples.add(values);
                Ok(true)
            }
            Answer::Core(_) => Ok(false),
        }
    }
}

fn positions(formula: &Formula) -> Vec<usize> {
    formula.variables().into_iter().map(Var::position).collect()
}

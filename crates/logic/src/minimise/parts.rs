//! Minimising the parts of a large expression that have few variables.

use std::collections::BTreeSet;

use super::exact::ExactTable;
use super::expression::{Expression, XOR};
use super::search::Search;
use super::{EXACT, Operators, SEARCHED};
use crate::budget::Budget;
use crate::node::{AND, NOT, OR, TRUE, VAR, Var};

/// The time for one part of five or six variables, in seconds.
const SECONDS: f64 = 0.05;

/// Replaces every part of up to six variables by the best expression found for it. The largest such parts
/// are taken first, from the root down, until the budget is spent.
pub(super) fn minimised(expression: Expression, operators: Operators, budget: &Budget) -> Expression {
    let parts = parts(&expression);
    let codes = expression.codes();
    let (mut out, mut at) = (Vec::with_capacity(codes.len()), 0);
    while at < codes.len() {
        let Part { size, variables } = &parts[at];
        let part = &codes[at..at + size];
        let Some(variables) = variables.as_ref().filter(|_| *size >= 3) else {
            out.push(codes[at]);
            at += 1;
            continue;
        };
        if budget.is_spent() {
            out.extend_from_slice(&codes[at..]);
            break;
        }
        let found = smallest(&Expression::from_codes(part.to_vec()), variables, operators, budget);
        let found = found.filter(|found| found.size() < *size);
        out.extend_from_slice(found.as_ref().map_or(part, Expression::codes));
        at += size;
    }
    Expression::from_codes(out)
}

/// The best expression of a part.
fn smallest(
    part: &Expression,
    variables: &[Var],
    operators: Operators,
    budget: &Budget,
) -> Option<Expression> {
    let inner: Vec<Var> = (1..=variables.len() as u32).filter_map(|index| Var::new(index).ok()).collect();
    let largest = variables.last().map_or(0, |var| var.position() + 1);
    let mut to_inner = vec![Var::FIRST; largest];
    variables.iter().zip(&inner).for_each(|(outer, inner)| to_inner[outer.position()] = *inner);
    let compact = part.renamed(&to_inner);
    let table = super::search::truth_table(&compact);
    let found = if variables.len() <= EXACT {
        ExactTable::shared(operators).expression(table as u16)?
    } else {
        let limited = budget.at_most(SECONDS);
        let mut search = Search::new(variables.len(), operators, &limited).with_hard_limit(budget);
        search.run(table, Some(compact))?.expression
    };
    Some(found.renamed(variables))
}

/// The subtree at a position.
struct Part {
    size: usize,
    /// Its variables in order; `None` if they are too many to search.
    variables: Option<Vec<Var>>,
}

/// The subtrees at all positions, computed from the leaves up.
fn parts(expression: &Expression) -> Vec<Part> {
    let codes = expression.codes();
    let mut parts: Vec<Part> = Vec::with_capacity(codes.len()); // from the last to the first
    for (number, &code) in codes.iter().rev().enumerate() {
        let at = |offset: usize| &parts[number - offset];
        parts.push(match code {
            TRUE => Part { size: 1, variables: Some(Vec::new()) },
            NOT => Part { size: 1 + at(1).size, variables: at(1).variables.clone() },
            AND | OR | XOR => {
                let left = at(1);
                let right = at(1 + left.size);
                let variables = match (&left.variables, &right.variables) {
                    (Some(left), Some(right)) => union(left, right),
                    _ => None,
                };
                Part { size: 1 + left.size + right.size, variables }
            }
            _ => Part { size: 1, variables: Var::new(code - VAR).ok().map(|var| vec![var]) },
        });
    }
    parts.reverse();
    parts
}

/// The variables of two lists, unless they are too many.
fn union(left: &[Var], right: &[Var]) -> Option<Vec<Var>> {
    let all: BTreeSet<Var> = left.iter().chain(right).copied().collect();
    (all.len() <= SEARCHED).then(|| all.into_iter().collect())
}

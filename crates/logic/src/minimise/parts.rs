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
/// are taken first, from the root down.
pub(super) fn minimised(mut expression: Expression, operators: Operators, budget: &Budget) -> Expression {
    let mut at = 0;
    while at < expression.size() {
        let Some(variables) = few_variables(&expression, at) else {
            at += 1;
            continue;
        };
        let part = expression.subtree(at);
        if part.size() < 3 {
            at += 1;
            continue;
        }
        if let Some(found) = smallest(&part, &variables, operators, budget)
            && found.size() < part.size()
        {
            expression = expression.with_subtree(at, &found);
        }
        at = expression.end(at);
    }
    expression
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
        Search::new(variables.len(), operators, &limited).run(table, Some(compact))?.expression
    };
    Some(found.renamed(variables))
}

/// The variables of the part at a position; `None` if they are too many to search. Large parts are not read
/// to their end, so that large expressions do not take quadratic time.
fn few_variables(expression: &Expression, at: usize) -> Option<Vec<Var>> {
    let mut variables = BTreeSet::new();
    let mut open = 1;
    for &code in &expression.codes()[at..] {
        match code {
            NOT => {}
            AND | OR | XOR => open += 1,
            TRUE => open -= 1,
            _ => {
                open -= 1;
                variables.insert(Var::new(code - VAR).ok()?);
            }
        }
        if variables.len() > SEARCHED {
            return None;
        }
        if open == 0 {
            break;
        }
    }
    Some(variables.into_iter().collect())
}

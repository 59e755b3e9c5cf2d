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
        let part = expression.subtree(at);
        let variables = variables(&part);
        if part.size() < 3 || variables.len() > SEARCHED {
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

fn variables(expression: &Expression) -> Vec<Var> {
    let leaf = |&code: &u32| match code {
        TRUE | NOT | AND | OR | XOR => None,
        _ => Var::new(code - VAR).ok(),
    };
    expression.codes().iter().filter_map(leaf).collect::<BTreeSet<Var>>().into_iter().collect()
}

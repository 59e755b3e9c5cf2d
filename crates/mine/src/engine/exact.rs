//! The best formula over four or five features, by enumeration of all small functions.
//!
//! Given the benefit of every combination of values of the features (see [`Goal`]), the errors of a
//! function are known without looking at rows. So the best function of every size is found by one pass over
//! all functions, smallest first. Combinations that do not occur have benefit 0: they are don't-cares.

use std::sync::OnceLock;

use logicvae_logic::{BinaryOperator, Budget, Expression, SmallFunctions, minimise_table};

use crate::expr::{Expr, Join};
use crate::goal::{Goal, Place};
use crate::problem::{MineOperators, Problem};

/// The number of choices of features that are kept while features are added.
const BEAM: usize = 10;
/// How long formulae of five and six features are minimised.
const EFFORT: usize = 4;

/// All small functions of four or five features, computed once for each set of operators.
fn functions(five: bool, operators: MineOperators) -> &'static SmallFunctions {
    static TABLES: [OnceLock<SmallFunctions>; 8] = [const { OnceLock::new() }; 8];
    let at = usize::from(five) * 4 + usize::from(operators.xor) * 2 + usize::from(operators.not);
    TABLES[at].get_or_init(|| SmallFunctions::new(4 + usize::from(five), operators.basic()))
}

/// The best function of each size over some features, four or five, for a goal. A larger one is listed only
/// if it has fewer errors.
pub(crate) fn best_functions(problem: &Problem<'_>, goal: &Goal, features: &[usize]) -> Vec<(Expr, u64)> {
    let cells = goal.cells(problem.rows, features);
    let five = features.len() > 4;
    let small = functions(five, problem.operators);
    // The benefit of eight cells at a time. Functions of four variables use 16 bits, of fewer they repeat.
    let bytes = if five { 4 } else { 2 };
    let cell = |at: usize| if at < cells.len() { cells[at] } else { 0 };
    let sums: Vec<[i64; 256]> = (0..bytes)
        .map(|byte| {
            std::array::from_fn(|set| {
                (0..8).filter(|bit| set >> bit & 1 == 1).map(|bit| cell(byte * 8 + bit)).sum()
            })
        })
        .collect();
    // With fewer than four features, a function must not depend on the others: its table repeats.
    let period = cells.len().min(16);
    let repeats = |table: u32| period >= 16 || (table ^ table >> period) & ((1 << (16 - period)) - 1) == 0;
    let mut best = i64::MIN;
    let mut found: Vec<(usize, i64)> = Vec::new();
    for (at, &table) in small.tables().iter().enumerate().filter(|(_, table)| five || repeats(**table)) {
        let byte = |index: usize| sums[index][(table >> (8 * index) & 255) as usize];
        let benefit = if five { byte(0) + byte(1) + byte(2) + byte(3) } else { byte(0) + byte(1) };
        if benefit > best {
            best = benefit;
            // Of one size, only the best one stays.
            if found.last().is_some_and(|&(last, _)| small.size(last) == small.size(at)) {
                found.pop();
            }
            found.push((at, benefit));
        }
    }
    let expr = |&(at, benefit): &(usize, i64)| {
        (converted(&small.expression(at), &|position| features[position] as u32), goal.errors(benefit))
    };
    found.iter().map(expr).collect()
}

/// An expression over variables as a formula over features.
pub(crate) fn converted(expression: &Expression, feature: &impl Fn(usize) -> u32) -> Expr {
    expression.fold(
        |var| var.map_or(Expr::Const(true), |var| Expr::positive(feature(var.position()))),
        |inner| inner.negated(),
        |operator, left, right| {
            let join = match operator {
                BinaryOperator::And => Join::And,
                BinaryOperator::Or => Join::Or,
                BinaryOperator::Xor => Join::Xor(false),
            };
            Expr::join(join, vec![left, right])
        },
    )
}

/// Formulae over promising choices of features, for the whole table.
pub(crate) fn propose(problem: &Problem<'_>, budget: &Budget) -> Vec<Expr> {
    let goal = whole(problem);
    let mut found = Vec::new();
    let count = problem.rows.features();
    if count <= 6 {
        found.extend(whole_table(problem, &goal, budget));
    }
    for list in promising(problem, &goal, budget) {
        found.extend(best_functions(problem, &goal, &list).into_iter().map(|(expr, _)| expr));
        if budget.is_spent() {
            break;
        }
    }
    found
}

/// The goal of the whole formula.
pub(crate) fn whole(problem: &Problem<'_>) -> Goal {
    let nothing = vec![0; problem.rows.words()];
    Place::root(problem.rows).goal(problem.rows, &nothing)
}

/// With at most six features: the smallest formula that is right wherever it can be, and wherever the
/// evidence is stronger than one row.
fn whole_table(problem: &Problem<'_>, goal: &Goal, budget: &Budget) -> Vec<Expr> {
    let features: Vec<usize> = (0..problem.rows.features()).collect();
    let cells = goal.cells(problem.rows, &features);
    let strongest = cells.iter().map(|cell| cell.abs()).max().unwrap_or(0);
    let limits = [1, 2, 3].into_iter().filter(|&limit| limit <= strongest);
    let table = |limit: i64| {
        let bits = |wanted: &dyn Fn(i64) -> bool| {
            (0..cells.len()).filter(|&at| wanted(cells[at])).fold(0u64, |bits, at| bits | 1 << at)
        };
        (bits(&|cell| cell >= limit), bits(&|cell| cell <= -limit))
    };
    let minimised = limits.filter_map(|limit| {
        let (on, off) = table(limit);
        let effort = if limit == 1 { EFFORT } else { 2 };
        minimise_table(on, off, features.len(), problem.operators.basic(), effort, budget).ok()
    });
    minimised.map(|found| converted(&found.expression, &|position| position as u32)).collect()
}

/// A formula with at most six features, made smaller: another one with the same values at all rows.
pub(crate) fn shortened(problem: &Problem<'_>, expr: &Expr, budget: &Budget) -> Option<Expr> {
    let features = expr.features();
    if features.is_empty() || features.len() > 6 {
        return None;
    }
    let rows = problem.rows;
    let (mut on, mut off) = (0u64, 0u64);
    let values = expr.values(rows);
    for row in 0..rows.len() {
        let bit = |f: u32| rows.column(f as usize)[row / 64] >> (row % 64) & 1;
        let cell: u64 = features.iter().enumerate().map(|(at, &f)| bit(f) << at).sum();
        match values[row / 64] >> (row % 64) & 1 {
            1 => on |= 1 << cell,
            _ => off |= 1 << cell,
        }
    }
    let found = minimise_table(on, off, features.len(), problem.operators.basic(), 3, budget).ok()?;
    Some(converted(&found.expression, &|position| features[position]))
}

/// Choices of four and five features that explain the labels best. Starting from pairs, features are added
/// one at a time, and the best choices are kept. What counts is the benefit that the best function of the
/// features could have, whatever its size.
fn promising(problem: &Problem<'_>, goal: &Goal, budget: &Budget) -> Vec<Vec<usize>> {
    let rows = problem.rows;
    let count = rows.features();
    let ideal =
        |features: &[usize]| -> i64 { goal.cells(rows, features).iter().map(|cell| (*cell).max(0)).sum() };
    if count <= 4 {
        return vec![(0..count).collect()];
    }
    // All pairs, from their conjunctions.
    let singles = goal.singles(rows);
    let listed: Vec<usize> = (0..count.min(200)).collect();
    let both = goal.pairs(rows, &listed);
    let mut pairs: Vec<(i64, Vec<usize>)> = Vec::new();
    for second in 1..listed.len() {
        for first in 0..second {
            let q = both[second * (second - 1) / 2 + first];
            let (a, b) = (singles[first], singles[second]);
            let cells = [q, a - q, b - q, goal.all - a - b + q];
            pairs.push((cells.iter().map(|cell| (*cell).max(0)).sum(), vec![first, second]));
        }
    }
    let keep = |list: &mut Vec<(i64, Vec<usize>)>, width: usize| {
        list.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        list.dedup_by(|a, b| a.1 == b.1);
        list.truncate(width);
    };
    keep(&mut pairs, BEAM);
    let mut result = Vec::new();
    let mut beam = pairs;
    for size in 3..=5.min(count) {
        let mut next = Vec::new();
        for (_, features) in &beam {
            for feature in (0..count).filter(|feature| !features.contains(feature)) {
                let mut more = features.clone();
                more.push(feature);
                more.sort_unstable();
                next.push((ideal(&more), more));
            }
            if budget.is_spent() {
                return result;
            }
        }
        keep(&mut next, BEAM);
        if size >= 4 {
            let width = if size == 4 { 6 } else { 3 };
            result.extend(next.iter().take(width).map(|(_, features)| features.clone()));
        }
        beam = next;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::RowCounter;
    use crate::score::Score;
    use crate::shape::Shape;

    #[test]
    fn fewer_than_four_features_are_enough() {
        for features in 1..=3usize {
            for labels in 1..(1u32 << (1 << features)) - 1 {
                let mut counter = RowCounter::default();
                (0..1u64 << features).for_each(|row| counter.add(&[row], labels >> row & 1 == 1, 1));
                let rows = counter.finish(features);
                let problem = Problem {
                    rows: &rows,
                    features: &[],
                    score: Score::for_rows(&rows),
                    operators: MineOperators::default(),
                    max_size: 60,
                    must: Vec::new(),
                    shape: Shape::Any,
                    evaluated: Default::default(),
                };
                let list: Vec<usize> = (0..features).collect();
                let found = best_functions(&problem, &whole(&problem), &list);
                let (last, errors) = found.last().expect("a function");
                assert_eq!((*errors, rows.errors(&last.values(&rows))), (0, 0), "{labels:b}");
            }
        }
    }
}

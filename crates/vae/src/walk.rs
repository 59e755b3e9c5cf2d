//! Walks from one meaning to another.
//!
//! On the straight line between two semantic vectors, all assignments at which the formulae differ change
//! their value at once, in the middle. A walk that a reader can follow changes them a few at a time, in an
//! order that passes through meanings with short formulae.
//!
//! A walk is a list of truth tables. Each lies between the one before and the last: a value changes at most
//! once, and only where the two ends differ. Among all walks with evenly spaced steps, a beam search selects
//! one whose meanings have short formulae.

use logicvae_logic::{Formula, ShortestFormulae};

use crate::decoder::generate::Decoded;
use crate::error::VaeError;
use crate::model::{Expressed, Model};
use crate::semantics::Condition;

/// The size up to which the shortest formula of a meaning is known. Other meanings are not visited.
const TABULATED: u8 = 11;
/// The number of partial walks that are kept.
const BEAM: usize = 64;
/// What one assignment of deviation from even spacing costs, in nodes.
const DEVIATION: f64 = 2.0;

/// A part of a walk.
#[derive(Clone)]
struct Partial {
    tables: Vec<u64>,
    cost: f64,
}

/// The number of formulae that are tried for each meaning.
const TRIED: usize = 10;

impl Model {
    /// A walk from one formula to another, whose first and last points are these formulae. Each meaning on
    /// the way is expressed by the shortest formula that the model finds for it; where the meaning stays the
    /// same, so does the formula. The model must [read meanings](Model::reads_meanings).
    pub fn walk(&self, from: &Formula, to: &Formula, steps: usize) -> Result<Vec<Decoded>, VaeError> {
        let variables = self.config().variables;
        let table = |formula: &Formula| {
            let table = formula.truth_table(variables as usize).map(|table| table.words()[0]);
            table.map_err(|e| VaeError::Input(e.to_string()))
        };
        let tables = tables(table(from)?, table(to)?, variables, steps);
        let values = |table: &u64| (0..1 << variables).map(|bit| table >> bit & 1 == 1).collect();
        let conditions: Vec<Condition> = tables.iter().map(|table| Condition::Table(values(table))).collect();
        let expressed = self.express(&self.conditions(&conditions)?, TRIED)?;
        let given = |f: &Formula| Decoded { formula: Some(f.clone()), log_probability: 0.0, count: 1 };
        let mut found: Vec<Decoded> = Vec::with_capacity(steps);
        for (number, list) in expressed.into_iter().enumerate() {
            let before = found.last().filter(|_| tables[number] == tables[number - 1]);
            let next = match (number, before, list.into_iter().next()) {
                (0, _, _) => given(from),
                (last, _, _) if last + 1 == steps => given(to),
                (_, Some(before), _) => before.clone(),
                (_, None, Some(Expressed { formula, log_probability, .. })) => {
                    Decoded { formula: Some(formula), log_probability, count: 1 }
                }
                (_, None, None) => Decoded { formula: None, log_probability: f64::NEG_INFINITY, count: 1 },
            };
            found.push(next);
        }
        Ok(found)
    }
}

/// The truth tables of a walk with `steps` points, of which the first and the last are given. `variables` is
/// at most 6.
fn tables(from: u64, to: u64, variables: u32, steps: usize) -> Vec<u64> {
    let mask = u64::MAX >> (64 - (1u32 << variables));
    let (from, to) = (from & mask, to & mask);
    if steps < 2 {
        return vec![from; steps];
    }
    let all = ShortestFormulae::new(variables as usize, TABULATED).functions();
    let between = |&(table, _): &(u64, usize)| (table ^ from) & !(from ^ to) == 0;
    let candidates: Vec<(u64, usize)> = all.into_iter().filter(between).collect();
    let distance = (from ^ to).count_ones() as f64;
    let mut beam = vec![Partial { tables: vec![from], cost: 0.0 }];
    for step in 1..steps - 1 {
        let wanted = distance * step as f64 / (steps - 1) as f64;
        let mut next: Vec<Partial> = Vec::new();
        for partial in &beam {
            let last = *partial.tables.last().unwrap_or(&from);
            let left = last ^ to;
            let mut extend = |table: u64, size: usize| {
                let gone = f64::from((from ^ table).count_ones());
                let cost = partial.cost + size as f64 + DEVIATION * (gone - wanted).abs();
                let tables = partial.tables.iter().copied().chain([table]).collect();
                next.push(Partial { tables, cost });
            };
            // Staying is always possible, but a reader wants to see something change.
            extend(last, 2 * usize::from(TABULATED));
            for &(table, size) in candidates.iter().filter(|(table, _)| (table ^ last) & !left == 0) {
                extend(table, size);
            }
        }
        next.sort_by(|a, b| a.cost.total_cmp(&b.cost).then_with(|| a.tables.cmp(&b.tables)));
        next.dedup_by(|a, b| a.tables.last() == b.tables.last());
        next.truncate(BEAM);
        beam = next;
    }
    let mut tables = beam.into_iter().next().map_or_else(Vec::new, |best| best.tables);
    tables.push(to);
    tables
}

#[cfg(test)]
mod tests {
    #[test]
    fn values_change_at_most_once_and_in_even_steps() {
        let table = |text: &str| -> u64 {
            let formula: logicvae_logic::Formula = text.parse().unwrap();
            formula.truth_table(5).unwrap().words()[0]
        };
        let (from, to) = (table("x1 & x2 & x3"), table("!x1 | x4 & x5"));
        let tables = super::tables(from, to, 5, 9);
        assert_eq!((tables.len(), tables[0], tables[8]), (9, from, to));
        let distance = (from ^ to).count_ones();
        for pair in tables.windows(2) {
            assert_eq!((pair[0] ^ pair[1]) & !(pair[0] ^ to), 0, "a value changes twice");
            assert!((pair[0] ^ pair[1]).count_ones() <= distance / 2, "a step is too large");
        }
        assert_eq!(super::tables(from, from, 5, 4), [from; 4]);
        assert_eq!(super::tables(from, to, 5, 2), [from, to]);
        // From x1 & x2 to x1 | x2 over x1 or x2.
        assert!([0b1010, 0b1100].contains(&super::tables(0b1000, 0b1110, 2, 3)[1]));
    }
}

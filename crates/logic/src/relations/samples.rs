//! The values of all formulae at sampled assignments, which refute most relations at once.

use crate::eval::{Assignment, Assignments};
use crate::formula::Formula;

/// The number of random assignments. Fewer are drawn for so many formulae and variables that their values
/// would take more than this number of bits.
const COUNT: usize = 4096;
const BITS: usize = 1 << 30;
const SEED: u64 = 17;

pub(super) struct Samples<'a> {
    formulae: &'a [Formula],
    /// For each formula, its values at the assignments, 64 in a word.
    values: Vec<Vec<u64>>,
    /// The number of assignments in the last word.
    last: usize,
}

impl<'a> Samples<'a> {
    pub fn new(formulae: &'a [Formula], variables: usize) -> Self {
        let count = (BITS / (formulae.len() + variables).max(1)).min(COUNT) / 64 * 64;
        let drawn =
            Assignments::uniform(variables, count.max(64), SEED).and_then(|all| all.evaluate(formulae));
        let values = match drawn {
            Ok(matrix) => (0..formulae.len()).map(|row| matrix.row(row).to_vec()).collect(),
            Err(_) => vec![Vec::new(); formulae.len()],
        };
        Self { formulae, values, last: 64 }
    }

    /// Adds an assignment.
    pub fn add(&mut self, assignment: Vec<bool>) {
        let assignment: Assignment = assignment.into();
        if self.last == 64 {
            self.last = 0;
            // Every bit of a new word repeats the first assignment in it, so that none is an invalid value.
            for (formula, values) in self.formulae.iter().zip(&mut self.values) {
                values.push(if formula.evaluate(&assignment).unwrap_or_default() { u64::MAX } else { 0 });
            }
        } else {
            for (formula, values) in self.formulae.iter().zip(&mut self.values) {
                let bit = 1 << self.last;
                if let Some(word) = values.last_mut() {
                    let value = formula.evaluate(&assignment).unwrap_or_default();
                    *word = if value { *word | bit } else { *word & !bit };
                }
            }
        }
        self.last += 1;
    }

    /// Whether some sampled assignment makes the formula true.
    pub fn some_true(&self, at: usize) -> bool {
        self.values[at].iter().any(|&word| word != 0)
    }

    /// Whether some sampled assignment makes the formula false.
    pub fn some_false(&self, at: usize) -> bool {
        self.values[at].iter().any(|&word| word != u64::MAX)
    }

    /// Whether both are true at some sampled assignment.
    pub fn both_true(&self, a: usize, b: usize) -> bool {
        self.values[a].iter().zip(&self.values[b]).any(|(x, y)| x & y != 0)
    }

    /// Whether the first is true and the second false at some sampled assignment.
    pub fn first_only(&self, a: usize, b: usize) -> bool {
        self.values[a].iter().zip(&self.values[b]).any(|(x, y)| x & !y != 0)
    }
}

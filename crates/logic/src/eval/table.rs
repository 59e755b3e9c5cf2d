//! The value at every assignment.

use std::fmt::{self, Write};

use thiserror::Error;

use super::batch::{Assignments, BatchError};
use crate::formula::Formula;

/// The most variables a truth table can have: 2²⁶ bits are 8 MiB.
pub const MAX_TABLE_VARIABLES: usize = 26;

/// A formula's values at all 2ⁿ assignments; number i sets `x_(b+1)` to bit b of i.
///
/// ```
/// let f: logicvae_logic::Formula = "x1 & !x2".parse().unwrap();
/// let table = f.truth_table(2)?;
/// assert_eq!(table.to_string(), "0100");
/// assert_eq!(table.count_ones(), 1);
/// # Ok::<(), logicvae_logic::TableError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TruthTable {
    variables: usize,
    words: Vec<u64>,
}

/// No truth table over so many, or so few, variables.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableError {
    /// Too many variables to write the table down.
    #[error("a truth table of {variables} variables is too large: at most {MAX_TABLE_VARIABLES}")]
    TooManyVariables {
        /// How many were asked for.
        variables: usize,
    },
    /// The formula has a variable that the table lacks.
    #[error(transparent)]
    Batch(#[from] BatchError),
}

impl Formula {
    /// Its values at all assignments of `x1..=x_variables`.
    pub fn truth_table(&self, variables: usize) -> Result<TruthTable, TableError> {
        let values = Assignments::all(variables)?.evaluate(std::slice::from_ref(self))?;
        Ok(TruthTable { variables, words: values.row(0).to_vec() })
    }
}

impl TruthTable {
    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// The number of assignments, 2ⁿ.
    pub fn len(&self) -> usize {
        1 << self.variables
    }

    /// Always false: even no variables have one assignment.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The bits, 64 a word; those past the end are 0.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The value at assignment number `index`.
    pub fn get(&self, index: usize) -> bool {
        assert!(index < self.len(), "assignment {index} of {}", self.len());
        self.words[index / 64] >> (index % 64) & 1 == 1
    }

    /// At how many assignments the formula is true.
    pub fn count_ones(&self) -> u64 {
        self.words.iter().map(|w| u64::from(w.count_ones())).sum()
    }

    /// The first assignment at which the formula is true.
    pub fn first_one(&self) -> Option<usize> {
        let word = self.words.iter().position(|&w| w != 0)?;
        Some(word * 64 + self.words[word].trailing_zeros() as usize)
    }

    /// The first assignment at which two tables over the same variables differ.
    pub fn first_difference(&self, other: &TruthTable) -> Option<usize> {
        assert_eq!(self.variables, other.variables, "tables over different variables");
        let word = self.words.iter().zip(&other.words).position(|(a, b)| a != b)?;
        Some(word * 64 + (self.words[word] ^ other.words[word]).trailing_zeros() as usize)
    }
}

impl fmt::Display for TruthTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.len()).try_for_each(|i| f.write_char(if self.get(i) { '1' } else { '0' }))
    }
}

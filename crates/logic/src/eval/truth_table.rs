//! Truth tables.

use std::fmt::{self, Write};

use thiserror::Error;

use super::batch::{Assignments, BatchError};
use crate::formula::Formula;

/// The largest number of variables of a truth table: 2²⁶ bits are 8 MiB.
pub(super) const MAX_TABLE_VARIABLES: usize = 26;

/// A formula's values at all 2ⁿ assignments. Assignment i sets `x_(b+1)` to bit b of i.
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

/// A truth table that cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableError {
    /// The table would be too large.
    #[error(
        "a truth table of {variables} variables is too large: use at most {MAX_TABLE_VARIABLES} variables"
    )]
    TooManyVariables {
        /// The requested number of variables.
        variables: usize,
    },
    /// The formula has a variable outside the table.
    #[error(transparent)]
    Batch(#[from] BatchError),
}

impl Formula {
    /// The values at all assignments to `x1..=x_variables`.
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

    /// Always false: with no variables there is still one assignment.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The bits, 64 per word; unused bits at the end are 0.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The value at assignment `index`.
    pub fn get(&self, index: usize) -> bool {
        assert!(index < self.len(), "there is no assignment {index}: there are {}", self.len());
        self.words[index / 64] >> (index % 64) & 1 == 1
    }

    /// The number of assignments at which the formula is true.
    pub fn count_ones(&self) -> u64 {
        self.words.iter().map(|w| u64::from(w.count_ones())).sum()
    }
}

impl fmt::Display for TruthTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.len()).try_for_each(|i| f.write_char(if self.get(i) { '1' } else { '0' }))
    }
}

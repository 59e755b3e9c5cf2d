//! Batches of assignments, and the evaluation of many formulae on them.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use thiserror::Error;

use super::assignment::Assignment;
use super::bit_matrix::BitMatrix;
use super::bit_parallel::{self, VariableOutOfRange};
use super::truth_table::{MAX_TABLE_VARIABLES, TableError};
use crate::formula::Formula;

/// A bit-packed list of assignments to the variables `x1..=x_n`: all 2ⁿ, a random sample, or observed data.
///
/// ```
/// use logicvae_logic::{Assignments, x};
/// let all = Assignments::all(2)?;
/// let values = all.evaluate(&[x(1) & x(2), x(1) | x(2)])?;
/// assert_eq!((values.count_ones(0), values.count_ones(1)), (1, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignments {
    variables: usize,
    len: usize,
    /// One row for each variable; `None` for all assignments, whose rows follow a pattern and are not stored.
    columns: Option<BitMatrix>,
}

/// Formulae and assignments that do not match, or an empty list of assignments.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BatchError {
    /// A formula has a variable without a value.
    #[error(
        "formula {formula} (`{text}`) has x{variable}, but there are only {variables} variables: \
         raise the number of variables, or leave the formula out"
    )]
    Variable {
        /// The position of the formula in the list, starting at 1.
        formula: usize,
        /// Its text, shortened.
        text: String,
        /// Its largest variable.
        variable: u32,
        /// The number of variables of the assignments.
        variables: usize,
    },
    /// An observed row whose length differs from the first row's.
    #[error("row {row} has {found} values, but the first row has {expected}: all rows need the same length")]
    Ragged {
        /// The row number, starting at 1.
        row: usize,
        /// Its length.
        found: usize,
        /// The length of the first row.
        expected: usize,
    },
    /// A bit matrix that would take too much memory.
    #[error(
        "{assignments} values of each of {rows} variables or formulae take more than {gibibytes} GiB: use \
         fewer"
    )]
    TooMany {
        /// The largest size.
        gibibytes: u64,
        /// The number of rows of the bit matrix.
        rows: usize,
        /// The number of bits in each row.
        assignments: usize,
    },
    /// An empty list of assignments.
    #[error("there are no assignments: at least one is needed")]
    Empty,
}

/// The truth tables of x1 to x6 over six variables, as 64-bit words. Over more variables, they repeat.
/// Assignment i sets x_(b+1) to bit b of i.
pub const VARIABLE_PATTERNS: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

impl Assignments {
    /// All 2ⁿ assignments to n variables. Assignment i sets `x_(b+1)` to bit b of i.
    pub fn all(variables: usize) -> Result<Self, TableError> {
        if variables > MAX_TABLE_VARIABLES {
            return Err(TableError::TooManyVariables { variables });
        }
        Ok(Self { variables, len: 1 << variables, columns: None })
    }

    /// Draws `count` assignments uniformly with replacement. With the same seed, a shorter list is a prefix
    /// of a longer one.
    pub fn uniform(variables: usize, count: usize, seed: u64) -> Result<Self, BatchError> {
        if count == 0 {
            return Err(BatchError::Empty);
        }
        // A formula of a few bytes, such as x6000000, must not take gigabytes.
        check_size(variables, count, 1)?;
        let mut columns = BitMatrix::zeros(variables, count);
        for variable in 0..variables {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(variable as u64);
            columns.row_mut(variable).fill_with(|| rng.next_u64());
            columns.clear_unused(variable);
        }
        Ok(Self { variables, len: count, columns: Some(columns) })
    }

    /// The given assignments, in order, such as rows of observed data.
    pub fn observed(rows: &[Assignment]) -> Result<Self, BatchError> {
        let variables = rows.first().ok_or(BatchError::Empty)?.len();
        let mut columns = BitMatrix::zeros(variables, rows.len());
        for (i, row) in rows.iter().enumerate() {
            if row.len() != variables {
                return Err(BatchError::Ragged { row: i + 1, found: row.len(), expected: variables });
            }
            for (variable, _) in row.values().iter().enumerate().filter(|(_, v)| **v) {
                columns.set(variable, i);
            }
        }
        Ok(Self { variables, len: rows.len(), columns: Some(columns) })
    }

    /// Assignments from a bit matrix with one row for each variable and one bit for each assignment.
    pub fn from_columns(columns: BitMatrix) -> Result<Self, BatchError> {
        if columns.bits() == 0 {
            return Err(BatchError::Empty);
        }
        Ok(Self { variables: columns.rows(), len: columns.bits(), columns: Some(columns) })
    }

    /// The bit matrix with one row for each variable; `None` for [`Assignments::all`].
    pub fn columns(&self) -> Option<&BitMatrix> {
        self.columns.as_ref()
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// The number of assignments, at least 1.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Always false: there is at least one assignment.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The assignment at this index.
    ///
    /// # Panics
    /// Panics if `index` is not below [`len`](Self::len).
    pub fn get(&self, index: usize) -> Assignment {
        assert!(index < self.len, "there is no assignment {index}: there are {}", self.len);
        match &self.columns {
            None => Assignment::from_index(index as u64, self.variables),
            Some(columns) => (0..self.variables).map(|v| columns.get(v, index)).collect::<Vec<_>>().into(),
        }
    }

    /// Evaluates every formula at every assignment: one row for each formula, one bit for each assignment.
    /// Runs in parallel; the result does not depend on the number of threads.
    pub fn evaluate(&self, formulae: &[Formula]) -> Result<BitMatrix, BatchError> {
        check_size(formulae.len(), self.len, 8)?;
        let mut values = BitMatrix::zeros(formulae.len(), self.len);
        self.evaluate_into(formulae, &mut values)?;
        Ok(values)
    }

    /// Like [`evaluate`](Self::evaluate), but reuses an existing matrix. Useful for processing a long list in
    /// chunks.
    pub fn evaluate_into(&self, formulae: &[Formula], values: &mut BitMatrix) -> Result<(), BatchError> {
        values.reshape(formulae.len(), self.len);
        let words = values.words_per_row();
        // Large enough to outweigh the cost of a task, small enough to keep all threads busy.
        const FORMULAE: usize = 128;
        // A task loads the rows of all variables, which takes as long as evaluating some formulae.
        let share = FORMULAE.max(self.variables / 8);
        let rows = values.words_mut().par_chunks_mut(share * words);
        let done = rows
            .zip(formulae.par_chunks(share))
            .try_for_each(|(out, part)| bit_parallel::evaluate(part, self, out, words));
        // Threads run in any order, so the first formula in the list is reported, not the first one found.
        done.map_err(|VariableOutOfRange| self.first_out_of_range(formulae))
    }

    fn first_out_of_range(&self, formulae: &[Formula]) -> BatchError {
        let is_out_of_range = |f: &Formula| f.max_variable() as usize > self.variables;
        let at = formulae.iter().position(is_out_of_range).unwrap_or_default();
        let formula = &formulae[at];
        let mut text: String = formula.to_string().chars().take(60).collect();
        if formula.size() > 30 {
            text.push('…');
        }
        BatchError::Variable {
            formula: at + 1,
            text,
            variable: formula.max_variable(),
            variables: self.variables,
        }
    }

    /// Writes words `block * W ..` of a variable's row. For all assignments, a row whose period is shorter
    /// than a block is the same in every block, so it is written only for the first block.
    pub(super) fn fill<const W: usize>(&self, variable: usize, block: usize, row: &mut [u64; W]) {
        match &self.columns {
            Some(columns) => {
                let words = &columns.row(variable)[block * W..];
                let kept = W.min(words.len());
                row[..kept].copy_from_slice(&words[..kept]);
            }
            None if variable < 6 => *row = [VARIABLE_PATTERNS[variable]; W],
            None => {
                let bit = variable - 6;
                if block == 0 || 1 << bit >= W {
                    *row = std::array::from_fn(|i| (((block * W + i) >> bit & 1) as u64).wrapping_neg());
                }
            }
        }
    }
}

/// Rejects a bit matrix above this size before it is allocated.
fn check_size(rows: usize, assignments: usize, gibibytes: u64) -> Result<(), BatchError> {
    match (assignments.div_ceil(64) as u64).checked_mul(rows as u64) {
        Some(words) if words <= gibibytes << 27 => Ok(()),
        _ => Err(BatchError::TooMany { rows, assignments, gibibytes }),
    }
}

/// The truth tables of many formulae over the same variables, one row for each formula.
pub fn truth_tables(formulae: &[Formula], variables: usize) -> Result<BitMatrix, TableError> {
    Ok(Assignments::all(variables)?.evaluate(formulae)?)
}

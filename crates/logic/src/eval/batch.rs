//! Many assignments at once, and many formulae on them.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use thiserror::Error;

use super::assignment::Assignment;
use super::lanes::{self, Unfit};
use super::matrix::BitMatrix;
use super::table::{MAX_TABLE_VARIABLES, TableError};
use crate::formula::Formula;

/// A list of assignments to the variables `x1..=x_n`, bit-packed: all 2ⁿ, or drawn, or observed.
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
    /// A row for each variable; `None` for all assignments, whose rows follow a pattern.
    columns: Option<BitMatrix>,
}

/// Formulae and assignments that do not fit together, or no assignments at all.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BatchError {
    /// A formula has a variable that the assignments do not cover.
    #[error(
        "formula {formula} (`{text}`) has x{variable}, but there are only {variables} variables: raise the number of variables, or leave the formula out"
    )]
    Variable {
        /// Its place in the list, from 1.
        formula: usize,
        /// Its text, shortened.
        text: String,
        /// Its largest variable.
        variable: u32,
        /// How many variables the assignments have.
        variables: usize,
    },
    /// An observed row of another length than the first.
    #[error("row {row} has {found} values, but the first row has {expected}")]
    Ragged {
        /// Its place, from 1.
        row: usize,
        /// Its length.
        found: usize,
        /// The length of the first row.
        expected: usize,
    },
    /// More bits than fit in memory.
    #[error("{assignments} values of each of {rows} variables or formulae take more than 8 GiB: use fewer")]
    TooMany {
        /// How many rows of bits.
        rows: usize,
        /// How many bits in a row.
        assignments: usize,
    },
    /// No assignments.
    #[error("there are no assignments: at least one is needed")]
    Empty,
}

/// Word patterns of x1..x6 when assignment i sets x_(b+1) to bit b of i.
const PATTERNS: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

impl Assignments {
    /// All 2ⁿ assignments of n variables; number i sets `x_(b+1)` to bit b of i.
    pub fn all(variables: usize) -> Result<Self, TableError> {
        if variables > MAX_TABLE_VARIABLES {
            return Err(TableError::TooManyVariables { variables });
        }
        Ok(Self { variables, len: 1 << variables, columns: None })
    }

    /// `count` assignments drawn uniformly, with replacement. The first assignments of a longer list from the same
    /// seed are the same.
    pub fn uniform(variables: usize, count: usize, seed: u64) -> Result<Self, BatchError> {
        if count == 0 {
            return Err(BatchError::Empty);
        }
        fits(variables, count)?;
        let mut columns = BitMatrix::zeros(variables, count);
        for variable in 0..variables {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(variable as u64);
            columns.row_mut(variable).fill_with(|| rng.next_u64());
            columns.clear_unused(variable);
        }
        Ok(Self { variables, len: count, columns: Some(columns) })
    }

    /// The given assignments, in their order: rows of observed data.
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

    /// Assignments from their bits: a row for each variable, a bit for each assignment.
    pub fn from_columns(columns: BitMatrix) -> Result<Self, BatchError> {
        if columns.bits() == 0 {
            return Err(BatchError::Empty);
        }
        Ok(Self { variables: columns.rows(), len: columns.bits(), columns: Some(columns) })
    }

    /// The bits, a row for each variable; `None` if these are all assignments there are.
    pub fn columns(&self) -> Option<&BitMatrix> {
        self.columns.as_ref()
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// The number of assignments; never 0.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Always false: there is at least one assignment.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Assignment number `index`.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Self::len).
    pub fn get(&self, index: usize) -> Assignment {
        assert!(index < self.len, "assignment {index} of {}", self.len);
        match &self.columns {
            None => Assignment::from_index(index as u64, self.variables),
            Some(columns) => (0..self.variables).map(|v| columns.get(v, index)).collect::<Vec<_>>().into(),
        }
    }

    /// The values of every formula: a row for each, a bit for each assignment. In parallel, with the same result for
    /// any number of threads.
    pub fn evaluate(&self, formulae: &[Formula]) -> Result<BitMatrix, BatchError> {
        fits(formulae.len(), self.len)?;
        let mut values = BitMatrix::zeros(formulae.len(), self.len);
        self.evaluate_into(formulae, &mut values)?;
        Ok(values)
    }

    /// As [`evaluate`](Self::evaluate), into a matrix that was used before: for long lists of formulae in parts.
    pub fn evaluate_into(&self, formulae: &[Formula], values: &mut BitMatrix) -> Result<(), BatchError> {
        values.reshape(formulae.len(), self.len);
        let words = values.words_per_row();
        // Enough formulae for a task to be worth its start, few enough to keep all threads busy.
        const FORMULAE: usize = 128;
        let rows = values.words_mut().par_chunks_mut(FORMULAE * words);
        let done = rows
            .zip(formulae.par_chunks(FORMULAE))
            .try_for_each(|(out, part)| lanes::evaluate(part, self, out, words));
        // Which thread is first is chance; which formula is first is not.
        done.map_err(|Unfit| self.first_unfit(formulae))
    }

    fn first_unfit(&self, formulae: &[Formula]) -> BatchError {
        let unfit = |f: &Formula| f.max_variable() as usize > self.variables;
        let at = formulae.iter().position(unfit).unwrap_or_default();
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

    /// Words `block * W ..` of a variable's row. For all assignments, rows of variables below the block's own span
    /// are the same in every block, so they are written in the first only.
    pub(super) fn fill<const W: usize>(&self, variable: usize, block: usize, row: &mut [u64; W]) {
        match &self.columns {
            Some(columns) => {
                let words = &columns.row(variable)[block * W..];
                let kept = W.min(words.len());
                row[..kept].copy_from_slice(&words[..kept]);
            }
            None if variable < 6 => *row = [PATTERNS[variable]; W],
            None => {
                let bit = variable - 6;
                if block == 0 || 1 << bit >= W {
                    *row = std::array::from_fn(|i| (((block * W + i) >> bit & 1) as u64).wrapping_neg());
                }
            }
        }
    }
}

/// Refuses a matrix of bits that would take more than 8 GiB, rather than running out of memory.
fn fits(rows: usize, assignments: usize) -> Result<(), BatchError> {
    match assignments.div_ceil(64).checked_mul(rows) {
        Some(words) if words <= 1 << 30 => Ok(()),
        _ => Err(BatchError::TooMany { rows, assignments }),
    }
}

/// The truth tables of many formulae over the same variables, one a row.
pub fn truth_tables(formulae: &[Formula], variables: usize) -> Result<BitMatrix, TableError> {
    Ok(Assignments::all(variables)?.evaluate(formulae)?)
}

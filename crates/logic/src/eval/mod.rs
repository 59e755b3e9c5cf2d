//! Semantics: evaluating a formula at one assignment, at a batch of assignments, or at all of them.

mod assignment;
mod batch;
mod lanes;
mod matrix;
#[cfg(target_arch = "x86_64")]
mod short;
mod single;
mod table;

pub use assignment::{Assignment, AssignmentError};
pub use batch::{Assignments, BatchError, truth_tables};
pub use matrix::BitMatrix;
pub use single::UnboundVariable;
pub use table::{MAX_TABLE_VARIABLES, TableError, TruthTable};

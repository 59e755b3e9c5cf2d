//! Semantics: evaluating a formula at one assignment, at a batch of assignments, or at all of them.

mod assignment;
mod batch;
mod bit_matrix;
#[allow(unsafe_code)] // calls functions compiled for AVX2 and AVX-512
mod bit_parallel;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // AVX-512 intrinsics
mod short_avx512;
mod single;
mod truth_table;

pub use assignment::{Assignment, AssignmentError};
pub use batch::{Assignments, BatchError, VARIABLE_PATTERNS, truth_tables};
pub use bit_matrix::BitMatrix;
pub use single::UnboundVariable;
pub use truth_table::{TableError, TruthTable};

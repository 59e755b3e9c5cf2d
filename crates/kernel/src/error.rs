//! What can be wrong with a request.

use std::io;

use logicvae_logic::{BatchError, ContainerError, SampleError, TableError};
use thiserror::Error;

use crate::form::MAX_SIGMA2;

/// A similarity or an embedding that cannot be had, and what would be right.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KernelError {
    /// A formula and the assignments do not fit together, or there are no assignments.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// Too many variables for all assignments.
    #[error("{0}; draw assignments instead (Monte Carlo)")]
    Table(#[from] TableError),
    /// Fewer formulae than are needed.
    #[error("too few formulae: {needed} needed")]
    NoFormulae {
        /// How many are needed, in words.
        needed: &'static str,
    },
    /// Weights that are no weights.
    #[error("weight {position} is {value}: weights are numbers of at least 0, and one of them above 0")]
    Weight {
        /// The place in the list, from 1.
        position: usize,
        /// The value that is none.
        value: f64,
    },
    /// Another number of weights than of assignments.
    #[error("there are {weights} weights for {assignments} assignments: give one for each")]
    WeightCount {
        /// How many weights.
        weights: usize,
        /// How many assignments.
        assignments: usize,
    },
    /// A width of the Gaussian that is none.
    #[error("sigma² must be a number above 0 and at most {MAX_SIGMA2}, not {0}")]
    Sigma(f64),
    /// ε or δ outside (0, 1).
    #[error("{name} must lie strictly between 0 and 1, not be {value}")]
    Probability {
        /// Which of them.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// No components at all.
    #[error("the number of components must be at least 1")]
    NoComponents,
    /// More components than the data have directions.
    #[error("{asked} components were asked for, but these formulae have only {rank}: ask for at most {rank}")]
    Rank {
        /// How many were asked for.
        asked: usize,
        /// How many there are.
        rank: usize,
    },
    /// An observation of another length than the embedding's assignments.
    #[error("an observation has {found} values, but the embedding has {expected} assignments")]
    Observation {
        /// How many there are.
        found: usize,
        /// How many are needed.
        expected: usize,
    },
    /// A matrix that would not fit.
    #[error(
        "{formulae} different formulae need a matrix of {gibibytes:.0} GiB: use fewer, or the plain kernel with fewer assignments"
    )]
    TooLarge {
        /// How many formulae.
        formulae: usize,
        /// What they need.
        gibibytes: f64,
    },
    /// The eigenvalue solver did not get there.
    #[error(
        "the eigenvalue solver stopped after {products} products with a residual of {residual:.1e} (wanted {wanted:.1e})"
    )]
    NotConverged {
        /// Blocks of products made.
        products: usize,
        /// What was reached, relative to the largest eigenvalue.
        residual: f64,
        /// What was wanted.
        wanted: f64,
    },
    /// The linear algebra library failed.
    #[error("linear algebra failed: {0}")]
    LinearAlgebra(String),
    /// A file that holds no embedding.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// Formulae could not be drawn.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// Writing or reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

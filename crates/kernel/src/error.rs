//! The error type of the crate.

use std::io;

use logicvae_logic::{BatchError, ContainerError, SampleError, TableError};
use thiserror::Error;

/// Above this width all similarities round to 1, so formulae can no longer be distinguished.
pub(crate) const MAX_SIGMA2: f64 = 1e6;

/// Why a similarity or an embedding could not be computed, and how to fix it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KernelError {
    /// The formulae and the assignments do not match, or there are no assignments.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// There are too many variables to enumerate all assignments.
    #[error("{0}, or sample the assignments (Monte Carlo)")]
    Table(#[from] TableError),
    /// There are too few formulae.
    #[error("too few formulae: {needed}")]
    NoFormulae {
        /// What is required.
        needed: &'static str,
    },
    /// There are too many formulae for a method that compares every pair.
    #[error("{formulae} formulae are too many to compare every pair: use at most {most}")]
    TooManyFormulae {
        /// The number of formulae.
        formulae: usize,
        /// The largest number.
        most: usize,
    },
    /// A `.npy` file that is not a matrix of numbers.
    #[error("{0}")]
    Npy(String),
    /// An invalid weight.
    #[error("weight {position} is {value}: weights must be finite and at least 0, and not all 0")]
    Weight {
        /// The position in the list, starting at 1.
        position: usize,
        /// The invalid value.
        value: f64,
    },
    /// The numbers of weights and assignments differ.
    #[error("there are {weights} weights for {assignments} assignments: give one for each")]
    WeightCount {
        /// The number of weights.
        weights: usize,
        /// The number of assignments.
        assignments: usize,
    },
    /// An invalid width of the Gaussian form.
    #[error("sigma² must be a number above 0 and at most {MAX_SIGMA2}, not {0}")]
    Sigma(f64),
    /// ε or δ outside (0, 1).
    #[error("{name} must be strictly between 0 and 1, not {value}")]
    Probability {
        /// The name of the parameter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// The number of components is 0.
    #[error("the number of components must be at least 1")]
    NoComponents,
    /// More components were requested than the rank of the centred data.
    #[error("{asked} components were asked for, but the pool has rank {rank}: ask for at most {rank}")]
    Rank {
        /// The requested number of components.
        asked: usize,
        /// The rank.
        rank: usize,
    },
    /// An observation with the wrong number of values.
    #[error(
        "an observation has {found} values, but the embedding has {expected} assignments: \
         give one value for each"
    )]
    Observation {
        /// The number of values.
        found: usize,
        /// The number of assignments.
        expected: usize,
    },
    /// The required matrix is too large.
    #[error(
        "{formulae} different formulae need a matrix of {gibibytes:.0} GiB: \
         use fewer, or the plain kernel with fewer assignments"
    )]
    TooLarge {
        /// The number of distinct formulae.
        formulae: usize,
        /// The size of the matrix.
        gibibytes: f64,
    },
    /// The eigenvalue solver did not converge.
    #[error(
        "the eigenvalue solver did not converge: after {products} block products \
         the residual is {residual:.1e} (wanted {wanted:.1e}); raise the tolerance or use fewer components"
    )]
    NotConverged {
        /// The number of block products computed.
        products: usize,
        /// The residual reached, relative to the largest eigenvalue.
        residual: f64,
        /// The requested tolerance.
        wanted: f64,
    },
    /// An error of the linear algebra library.
    #[error("linear algebra failed: {0}")]
    LinearAlgebra(String),
    /// A file that is not a valid embedding.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// Formulae could not be sampled.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// An I/O error.
    #[error(transparent)]
    Io(#[from] io::Error),
}

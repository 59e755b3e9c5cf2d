//! The dual way: in the space of the pool's different formulae.
//!
//! Let K be the similarities of the u different rows, c how often each occurs, R = √c·K·√c, q = √(c/N), and
//! P = I - q·qᵀ, which is the centring of all N rows as seen by the u different ones.
//!
//! - gram-pca: unit eigenvectors w of R·P·R; kernel-pca: those of P·R·P.
//! - The component is Σ_d (k_d - mean_d)·√c_d·w_d, for kernel-pca divided by √λ.

use logicvae_logic::BitMatrix;
use ndarray::{Array1, Array2, ArrayView2, Axis};
use rayon::prelude::*;

use super::fit::Fitted;
use super::{EmbeddingParams, Features, Method};
use crate::distinct::distinct_rows;
use crate::error::KernelError;
use crate::gram::Kernel;
use crate::linalg::{Eigen, eigen, leading, product};

/// Up to this size, a whole decomposition is as quick as a truncated one.
const SMALL: usize = 400;

/// Products in single precision are good to this, and twice as fast.
const SINGLE_PRECISION: f64 = 1e-6;

/// Matrices above this are refused rather than swapped.
const MAX_BYTES: f64 = 10.0 * (1u64 << 30) as f64;

pub(super) fn fit(kernel: &Kernel, pool: &BitMatrix, params: &EmbeddingParams) -> Result<Fitted, KernelError> {
    let (rows, counts) = distinct_rows(pool);
    let (u, n) = (rows.rows(), pool.rows() as f64);
    let bytes = 8.0 * u as f64 * u as f64;
    if bytes > MAX_BYTES {
        return Err(KernelError::TooLarge { formulae: u, gibibytes: bytes / (1u64 << 30) as f64 });
    }
    let counts: Array1<f64> = counts.into_iter().map(|c| c as f64).collect();
    let roots = counts.mapv(f64::sqrt);
    let q = roots.mapv(|r| r / n.sqrt());
    let mut scaled = kernel.gram_of_values(&rows);
    // One pass over the matrix: means of its columns (it is symmetric: of its rows), R, and what the variance needs.
    let lines: Vec<(f64, f64, f64)> = scaled
        .axis_iter_mut(Axis(0))
        .into_par_iter()
        .zip(roots.as_slice().unwrap_or_default())
        .map(|(mut line, root)| {
            let mean = line.dot(&counts) / n;
            line.zip_mut_with(&roots, |value, other| *value *= root * other);
            (mean, line.dot(&q), line.dot(&line))
        })
        .collect();
    let mean: Array1<f64> = lines.iter().map(|l| l.0).collect();
    let along: Array1<f64> = lines.iter().map(|l| l.1).collect();
    let squares: f64 = lines.iter().map(|l| l.2).sum();

    let total = match params.method {
        Method::GramPca => squares - along.dot(&along),
        Method::KernelPca => scaled.diag().sum() - q.dot(&along),
    };
    let whole = u <= SMALL || 3 * params.components > u;
    let matrix = if whole || params.tolerance < SINGLE_PRECISION {
        Matrix::Double(scaled)
    } else {
        Matrix::Single(scaled.mapv(|v| v as f32))
    };
    let problem = Problem { matrix, q, params };
    let Eigen { values, vectors } = problem.solve(u, whole)?;
    let values = values.mapv(|v| v.max(0.0));
    let mut projection = vectors * &roots.insert_axis(Axis(1));
    if params.method == Method::KernelPca {
        projection /= &values.mapv(|v| v.sqrt().max(f64::MIN_POSITIVE)).insert_axis(Axis(0));
    }
    Ok(Fitted {
        features: Features::Similarities(rows),
        mean,
        projection,
        variances: &values / (n - 1.0),
        total_variance: total / (n - 1.0),
    })
}

/// R, as precise as it has to be.
enum Matrix {
    Double(Array2<f64>),
    Single(Array2<f32>),
}

struct Problem<'a> {
    matrix: Matrix,
    q: Array1<f64>,
    params: &'a EmbeddingParams,
}

impl Problem<'_> {
    fn solve(&self, u: usize, whole: bool) -> Result<Eigen, KernelError> {
        let EmbeddingParams { backend, components, tolerance, .. } = *self.params;
        if whole {
            let identity = Array2::eye(u);
            return eigen(backend, &self.apply(identity.view()));
        }
        leading(backend, u, components.min(u), tolerance, |block| self.apply(block))
    }

    fn times(&self, block: ArrayView2<'_, f64>) -> Array2<f64> {
        let backend = self.params.backend;
        match &self.matrix {
            Matrix::Double(matrix) => product(backend, matrix.view(), block),
            Matrix::Single(matrix) => product(backend, matrix.view(), block.mapv(|v| v as f32).view()).mapv(f64::from),
        }
    }

    /// R·P·R or P·R·P times a block of vectors.
    fn apply(&self, block: ArrayView2<'_, f64>) -> Array2<f64> {
        match self.params.method {
            Method::GramPca => self.times(self.centred(self.times(block)).view()),
            Method::KernelPca => self.centred(self.times(self.centred(block.to_owned()).view())),
        }
    }

    fn centred(&self, mut block: Array2<f64>) -> Array2<f64> {
        let along = self.q.dot(&block).insert_axis(Axis(0));
        block -= &self.q.view().insert_axis(Axis(1)).dot(&along);
        block
    }
}

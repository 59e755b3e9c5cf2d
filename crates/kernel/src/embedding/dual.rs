//! The dual algorithm: it works in the space of the pool's distinct formulae.
//!
//! Let K be the similarities of the u distinct rows, c the number of occurrences of each, R = √c·K·√c,
//! q = √(c/N), and P = I - q·qᵀ, which is the centring of all N rows expressed in the u distinct ones.
//!
//! - gram-pca: unit eigenvectors w of R·P·R; kernel-pca: those of P·R·P.
//! - The component is Σ_d (k_d - mean_d)·√c_d·w_d, divided by √λ for kernel-pca.

use logicvae_logic::BitMatrix;
use ndarray::{Array1, Array2, ArrayView2, Axis};
use rayon::prelude::*;

use super::fit::Fitted;
use super::{EmbeddingParams, Features, Method};
use crate::distinct::distinct_rows;
use crate::error::KernelError;
use crate::gram::Kernel;
use crate::linalg::{Eigen, Scalar, eigen, leading_eigenpairs, product};

/// Up to this size, a full decomposition is as fast as a truncated one.
const SMALL: usize = 400;

/// Down to this tolerance, products in single precision are accurate enough; they are twice as fast.
const SINGLE_PRECISION: f64 = 1e-6;

/// Larger matrices are rejected, since they would make most machines swap. SECURITY.md names this limit.
const MAX_BYTES: f64 = 8.0 * (1u64 << 30) as f64;

pub(super) fn fit(
    kernel: &Kernel,
    pool: &BitMatrix,
    params: &EmbeddingParams,
) -> Result<Fitted, KernelError> {
    let (rows, counts) = distinct_rows(pool);
    let (u, n) = (rows.rows(), pool.rows() as f64);
    let counts: Array1<f64> = counts.into_iter().map(|c| c as f64).collect();
    let roots = counts.mapv(f64::sqrt);
    let q = roots.mapv(|r| r / n.sqrt());

    let whole = u <= SMALL || 3 * params.components > u;
    let source = GramSource { kernel, rows: &rows, counts: &counts, roots: &roots, q: &q };
    let (matrix, row_statistics) = if whole || params.tolerance < SINGLE_PRECISION {
        let (matrix, row_statistics) = source.matrix::<f64>()?;
        (Matrix::Double(matrix), row_statistics)
    } else {
        let (matrix, row_statistics) = source.matrix::<f32>()?;
        (Matrix::Single(matrix), row_statistics)
    };
    let sum = |term: &dyn Fn(&RowStatistics) -> f64| row_statistics.iter().map(term).sum::<f64>();
    let total = match params.method {
        Method::GramPca => sum(&|l| l.squares - l.along * l.along),
        Method::KernelPca => {
            sum(&|l| l.diagonal) - row_statistics.iter().zip(&q).map(|(l, q)| l.along * q).sum::<f64>()
        }
    };
    let mean = row_statistics.iter().map(|l| l.mean).collect();

    let Eigen { values, vectors } = Problem { matrix, q, params }.solve(u, whole)?;
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

/// Statistics of one row of R.
struct RowStatistics {
    /// The mean similarity with the pool.
    mean: f64,
    /// The row's entry of R·q.
    along: f64,
    squares: f64,
    diagonal: f64,
}

struct GramSource<'a> {
    kernel: &'a Kernel,
    rows: &'a BitMatrix,
    counts: &'a Array1<f64>,
    roots: &'a Array1<f64>,
    q: &'a Array1<f64>,
}

impl GramSource<'_> {
    /// Builds R in precision `T`, in blocks of rows, so that no second matrix of its size is allocated.
    fn matrix<T: Scalar>(&self) -> Result<(Array2<T>, Vec<RowStatistics>), KernelError> {
        const ROWS: usize = 256;
        let u = self.rows.rows();
        let bytes = size_of::<T>() as f64 * u as f64 * u as f64;
        if bytes > MAX_BYTES {
            return Err(KernelError::TooLarge { formulae: u, gibibytes: bytes / (1u64 << 30) as f64 });
        }
        let n = self.counts.sum();
        let words = self.rows.words_per_row();
        let mut matrix = Array2::zeros((u, u));
        let mut row_statistics = Vec::with_capacity(u);
        for (part, mut to) in matrix.axis_chunks_iter_mut(Axis(0), ROWS).enumerate() {
            let (first, height) = (part * ROWS, to.nrows());
            let block = self.rows.words()[first * words..(first + height) * words].to_vec();
            let block = BitMatrix::from_words(height, self.rows.bits(), block);
            let similarities = self.kernel.cross_of_values(&block, self.rows);
            let rows = to
                .axis_iter_mut(Axis(0))
                .into_par_iter()
                .zip(similarities.axis_iter(Axis(0)).into_par_iter())
                .enumerate();
            row_statistics.par_extend(rows.map(|(i, (mut to, line))| {
                let root = self.roots[first + i];
                let mean = line.dot(self.counts) / n;
                let scaled = &line * self.roots * root;
                to.zip_mut_with(&scaled, |to, value| *to = T::rounded(*value));
                RowStatistics {
                    mean,
                    along: scaled.dot(self.q),
                    squares: scaled.dot(&scaled),
                    diagonal: scaled[first + i],
                }
            }));
        }
        Ok((matrix, row_statistics))
    }
}

/// R, in the precision that the tolerance requires.
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
        leading_eigenpairs(backend, u, components.min(u), tolerance, |block| self.apply(block))
    }

    fn multiply(&self, block: ArrayView2<'_, f64>) -> Array2<f64> {
        let backend = self.params.backend;
        match &self.matrix {
            Matrix::Double(matrix) => product(backend, matrix.view(), block),
            Matrix::Single(matrix) => {
                product(backend, matrix.view(), block.mapv(|v| v as f32).view()).mapv(f64::from)
            }
        }
    }

    /// R·P·R or P·R·P times a block of vectors.
    fn apply(&self, block: ArrayView2<'_, f64>) -> Array2<f64> {
        match self.params.method {
            Method::GramPca => self.multiply(self.centre(self.multiply(block)).view()),
            Method::KernelPca => self.centre(self.multiply(self.centre(block.to_owned()).view())),
        }
    }

    fn centre(&self, mut block: Array2<f64>) -> Array2<f64> {
        let along = self.q.dot(&block).insert_axis(Axis(0));
        block -= &self.q.view().insert_axis(Axis(1)).dot(&along);
        block
    }
}

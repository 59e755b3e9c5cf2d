//! The dual way: in the space of the pool's different formulae.
//!
//! Let K be the similarities of the u different rows, c how often each occurs, R = √c·K·√c, q = √(c/N), and
//! P = I - q·qᵀ, which is the centring of all N rows as seen by the u different ones.
//!
//! - gram-pca: unit eigenvectors w of R·P·R; kernel-pca: those of P·R·P.
//! - The component is Σ_d (k_d - mean_d)·√c_d·w_d, for kernel-pca divided by √λ.

use logicvae_logic::BitMatrix;
use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::fit::Fitted;
use super::{EmbeddingParams, Features, Method};
use crate::distinct::distinct_rows;
use crate::error::KernelError;
use crate::gram::Kernel;
use crate::linalg::{Eigen, eigen, leading, product};

/// Up to this size, a whole decomposition is as quick as a truncated one.
const SMALL: usize = 400;

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
    let mean = scaled.dot(&counts) / n;
    scaled *= &roots.view().insert_axis(Axis(0));
    scaled *= &roots.view().insert_axis(Axis(1)); // R
    let along = scaled.dot(&q);

    let problem = Problem { scaled, q, params };
    let total = match params.method {
        Method::GramPca => problem.scaled.iter().map(|v| v * v).sum::<f64>() - along.dot(&along),
        Method::KernelPca => problem.scaled.diag().sum() - problem.q.dot(&along),
    };
    let Eigen { values, vectors } = problem.solve(u)?;
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

struct Problem<'a> {
    scaled: Array2<f64>,
    q: Array1<f64>,
    params: &'a EmbeddingParams,
}

impl Problem<'_> {
    fn solve(&self, u: usize) -> Result<Eigen, KernelError> {
        let wanted = self.params.components.min(u);
        if u <= SMALL || 3 * wanted > u {
            let identity = Array2::eye(u);
            return eigen(self.params.backend, &self.apply(identity.view()));
        }
        leading(self.params.backend, u, wanted, |block| self.apply(block))
    }

    /// R·P·R or P·R·P times a block of vectors.
    fn apply(&self, block: ArrayView2<'_, f64>) -> Array2<f64> {
        let times = |block: ArrayView2<'_, f64>| product(self.params.backend, self.scaled.view(), block);
        match self.params.method {
            Method::GramPca => times(self.centred(times(block)).view()),
            Method::KernelPca => self.centred(times(self.centred(block.to_owned()).view())),
        }
    }

    fn centred(&self, mut block: Array2<f64>) -> Array2<f64> {
        let along = self.q.dot(&block).insert_axis(Axis(0));
        block -= &self.q.view().insert_axis(Axis(1)).dot(&along);
        block
    }
}

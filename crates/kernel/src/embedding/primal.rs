//! The primal algorithm. The plain kernel is an inner product of ±1 vectors, so its principal components are
//! computed in the space of assignments; the cost of the decomposition does not depend on the number of
//! formulae.
//!
//! Let T be the pool's values ±√w (N × m), B = TᵀT, t the mean row, C = B - N·t·tᵀ. The Gram matrix is
//! G = T·Tᵀ.
//!
//! - kernel-pca: HGH = (HT)(HT)ᵀ, so an eigenvector q of C gives the component (row - t)·q.
//! - gram-pca: with B = Q·Λ·Qᵀ and F = Q·√Λ, the right singular vectors of HG are T·F⁻ᵀ·u for eigenvectors u
//!   of Fᵀ·C·F = Λ² - N·g·gᵀ, where g = Fᵀ·t, and the component is (row - t)·F·u. The matrix is diagonal
//!   minus rank one, so forming it needs no matrix product.

use logicvae_logic::BitMatrix;
use ndarray::{Array1, Array2, Axis, s};

use super::fit::Fitted;
use super::{EmbeddingParams, Features, Method};
use crate::domain::Domain;
use crate::error::KernelError;
use crate::form::Form;
use crate::gram::Kernel;
use crate::linalg::{eigen, product};

pub(super) fn fit(
    kernel: &Kernel,
    pool: &BitMatrix,
    params: &EmbeddingParams,
) -> Result<Fitted, KernelError> {
    let (n, m) = (pool.rows() as f64, pool.bits());
    let columns = pool.transposed();
    let roots: Array1<f64> = match kernel.domain().weights() {
        Some(weights) => weights.iter().map(|w| w.sqrt()).collect(),
        None => Array1::from_elem(m, (1.0 / m as f64).sqrt()),
    };
    // Inner products of columns are plain kernels of columns: XOR and population count over the N formulae.
    let among_columns = Kernel::new(Domain::exact(0)?, Form::Plain)?.gram_of_values(&columns);
    // The matrix B.
    let squares = among_columns * roots.view().insert_axis(Axis(0)) * roots.view().insert_axis(Axis(1)) * n;
    let mean: Array1<f64> = (0..m).map(|c| 2.0 * columns.count_ones(c) as f64 / n - 1.0).collect();
    let scaled_mean = &mean * &roots; // t

    let (values, directions) = match params.method {
        Method::KernelPca => {
            let centred = squares - outer(&scaled_mean) * n;
            let parts = eigen(params.backend, &centred)?;
            (parts.values, parts.vectors)
        }
        Method::GramPca => {
            let parts = eigen(params.backend, &squares)?;
            let largest = parts.values.first().copied().unwrap_or(0.0);
            let rank = parts.values.iter().take_while(|v| **v > 1e-12 * largest).count();
            let lambda = parts.values.slice(s![..rank]);
            let factor = &parts.vectors.slice(s![.., ..rank]) * &lambda.mapv(f64::sqrt); // F
            let g = factor.t().dot(&scaled_mean);
            let small = Array2::from_diag(&lambda.mapv(|v| v * v)) - outer(&g) * n;
            let inner = eigen(params.backend, &small)?;
            (inner.values, product(params.backend, factor.view(), inner.vectors.view()))
        }
    };
    let values = values.mapv(|v| v.max(0.0));
    Ok(Fitted {
        features: Features::Values,
        mean,
        projection: directions * &roots.insert_axis(Axis(1)),
        variances: &values / (n - 1.0),
        total_variance: values.sum() / (n - 1.0),
    })
}

fn outer(vector: &Array1<f64>) -> Array2<f64> {
    let column = vector.view().insert_axis(Axis(1));
    column.dot(&column.t())
}

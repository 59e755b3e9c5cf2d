//! The linear algebra that embeddings need, with two backends that pass the same conformance suite.
//!
//! Results do not depend on the number of threads: large products are split into parts of a fixed size, and
//! each part and each decomposition runs on one thread.

#[allow(unsafe_code)] // passes ndarray views to faer without copying
mod faer_backend;
mod lanczos;

#[cfg(feature = "lapack")]
mod lapack;

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::KernelError;

pub(crate) use lanczos::leading_eigenpairs;

/// The linear algebra library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Backend {
    /// faer: pure Rust.
    #[default]
    Faer,
    /// LAPACK and BLAS from the system's OpenBLAS.
    #[cfg(feature = "lapack")]
    Lapack,
}

impl Backend {
    /// All backends in this build.
    pub const ALL: &'static [Backend] = &[
        Backend::Faer,
        #[cfg(feature = "lapack")]
        Backend::Lapack,
    ];
}

/// Eigenvalues in descending order, with their eigenvectors as columns. The largest entry of each vector by
/// magnitude is positive, so that backends agree on signs.
#[derive(Clone, Debug)]
pub struct Eigen {
    /// The eigenvalues, in descending order.
    pub values: Array1<f64>,
    /// The eigenvectors, one per column.
    pub vectors: Array2<f64>,
}

/// The element type of matrices: `f64`, or `f32` if its precision is sufficient.
pub trait Scalar: faer::traits::ComplexField + ndarray::LinalgScalar + Send + Sync {
    /// Rounds to this type.
    fn rounded(value: f64) -> Self;
}

impl Scalar for f64 {
    fn rounded(value: f64) -> Self {
        value
    }
}

impl Scalar for f32 {
    fn rounded(value: f64) -> Self {
        value as f32
    }
}

/// The product of two matrices, computed in parallel over blocks of rows of a fixed size.
pub fn product<T: Scalar>(backend: Backend, left: ArrayView2<'_, T>, right: ArrayView2<'_, T>) -> Array2<T> {
    // Every part packs the right matrix again, so there should be few. Their number must not depend on the
    // threads.
    const PARTS: usize = 16;
    let rows = left.nrows().div_ceil(PARTS).max(16);
    let mut result = Array2::zeros((left.nrows(), right.ncols()));
    let parts = result
        .axis_chunks_iter_mut(Axis(0), rows)
        .into_par_iter()
        .zip(left.axis_chunks_iter(Axis(0), rows).into_par_iter());
    parts.for_each(|(to, left)| multiply(backend, left, right, to));
    result
}

fn multiply<T: Scalar>(
    backend: Backend,
    left: ArrayView2<'_, T>,
    right: ArrayView2<'_, T>,
    to: ArrayViewMut2<'_, T>,
) {
    match backend {
        Backend::Faer => faer_backend::multiply(left, right, to),
        #[cfg(feature = "lapack")]
        Backend::Lapack => lapack::multiply(left, right, to),
    }
}

/// All eigenvalues and eigenvectors of a symmetric matrix.
pub fn eigen(backend: Backend, symmetric: &Array2<f64>) -> Result<Eigen, KernelError> {
    let (values, vectors) = match backend {
        Backend::Faer => faer_backend::eigen(symmetric)?,
        #[cfg(feature = "lapack")]
        Backend::Lapack => lapack::eigen(symmetric)?,
    };
    // Both backends return them in ascending order.
    let values: Array1<f64> = values.iter().rev().copied().collect();
    let mut vectors = vectors.slice(ndarray::s![.., ..;-1]).to_owned();
    fix_signs(&mut vectors);
    Ok(Eigen { values, vectors })
}

/// Flips columns so that the largest entry by magnitude is positive; among equal entries the first decides.
pub(crate) fn fix_signs(vectors: &mut Array2<f64>) {
    for mut column in vectors.columns_mut() {
        let largest =
            column.iter().fold(0.0f64, |top, v| if v.abs() > top.abs() * (1.0 + 1e-9) { *v } else { top });
        if largest < 0.0 {
            column.mapv_inplace(|v| -v);
        }
    }
}

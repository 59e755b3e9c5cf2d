//! The backend of the feature `lapack`: the system's OpenBLAS through ndarray-linalg.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, ArrayViewMut2};
use ndarray_linalg::{Eigh, UPLO};

use super::Scalar;
use crate::error::KernelError;

pub(super) fn multiply<T: Scalar>(
    left: ArrayView2<'_, T>,
    right: ArrayView2<'_, T>,
    mut to: ArrayViewMut2<'_, T>,
) {
    general_mat_mul(T::one(), &left, &right, T::zero(), &mut to);
}

pub(super) fn eigen(symmetric: &Array2<f64>) -> Result<(Vec<f64>, Array2<f64>), KernelError> {
    let (values, vectors) =
        symmetric.eigh(UPLO::Lower).map_err(|e| KernelError::LinearAlgebra(e.to_string()))?;
    Ok((values.to_vec(), vectors))
}

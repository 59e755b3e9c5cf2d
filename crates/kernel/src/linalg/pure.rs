//! The default backend: faer.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par, Side};
use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use super::Real;
use crate::error::KernelError;

fn as_faer<'a, T: Real>(view: &'a ArrayView2<'_, T>) -> MatRef<'a, T> {
    let (rows, columns) = view.dim();
    let strides = view.strides();
    // SAFETY: pointer, shape and strides are those of a live view, and the result does not outlive it.
    unsafe { MatRef::from_raw_parts(view.as_ptr(), rows, columns, strides[0], strides[1]) }
}

pub(super) fn multiply<T: Real>(left: ArrayView2<'_, T>, right: ArrayView2<'_, T>, mut to: ArrayViewMut2<'_, T>) {
    let (rows, columns) = to.dim();
    let (row_stride, column_stride) = (to.strides()[0], to.strides()[1]);
    // SAFETY: pointer, shape and strides are those of a view that is borrowed mutably until the product is done.
    let target = unsafe { MatMut::from_raw_parts_mut(to.as_mut_ptr(), rows, columns, row_stride, column_stride) };
    matmul(target, Accum::Replace, as_faer(&left), as_faer(&right), faer::traits::math_utils::one(), Par::Seq);
}

pub(super) fn eigen(symmetric: &Array2<f64>) -> Result<(Vec<f64>, Array2<f64>), KernelError> {
    // faer decomposes with the global setting; one thread keeps results the same on every machine.
    let view = symmetric.view();
    let matrix = as_faer(&view);
    let failed = |e| KernelError::LinearAlgebra(format!("{e:?}"));
    faer::set_global_parallelism(Par::Seq);
    let parts = matrix.self_adjoint_eigen(Side::Lower).map_err(failed)?;
    let values = parts.S().column_vector().iter().copied().collect();
    let vectors = parts.U();
    Ok((values, Array2::from_shape_fn((vectors.nrows(), vectors.ncols()), |(i, j)| vectors[(i, j)])))
}

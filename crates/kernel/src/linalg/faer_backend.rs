//! The default backend: faer, which is pure Rust.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use super::Scalar;
use crate::error::KernelError;

fn as_faer<'a, T: Scalar>(view: &'a ArrayView2<'_, T>) -> MatRef<'a, T> {
    let (rows, columns) = view.dim();
    let strides = view.strides();
    // SAFETY: pointer, shape and strides are those of a live view, and the result does not outlive it.
    unsafe { MatRef::from_raw_parts(view.as_ptr(), rows, columns, strides[0], strides[1]) }
}

pub(super) fn multiply<T: Scalar>(
    left: ArrayView2<'_, T>,
    right: ArrayView2<'_, T>,
    mut to: ArrayViewMut2<'_, T>,
) {
    let (rows, columns) = to.dim();
    let (row_stride, column_stride) = (to.strides()[0], to.strides()[1]);
    // SAFETY: pointer, shape and strides are those of a view that is mutably borrowed until the product is
    // done.
    let target =
        unsafe { MatMut::from_raw_parts_mut(to.as_mut_ptr(), rows, columns, row_stride, column_stride) };
    matmul(
        target,
        Accum::Replace,
        as_faer(&left),
        as_faer(&right),
        faer::traits::math_utils::one(),
        Par::Seq,
    );
}

/// Always runs on one thread, regardless of faer's global setting, so that results do not depend on the
/// number of threads.
pub(super) fn eigen(symmetric: &Array2<f64>) -> Result<(Vec<f64>, Array2<f64>), KernelError> {
    let n = symmetric.nrows();
    let (mut values, mut vectors) = (Diag::zeros(n), Mat::zeros(n, n));
    let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    let view = symmetric.view();
    self_adjoint_evd(
        as_faer(&view),
        values.as_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        stack,
        Default::default(),
    )
    .map_err(|e| KernelError::LinearAlgebra(format!("{e:?}")))?;
    let values = values.column_vector().iter().copied().collect();
    Ok((values, Array2::from_shape_fn((n, n), |(i, j)| vectors[(i, j)])))
}

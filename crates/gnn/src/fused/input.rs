//! What a layer reads: the features of nodes, or the states of the layer below.

use crate::fused::pool::Buffer;
use crate::fused::product::{matrix, matrix_mut, multiply_shared};
use crate::fused::real::Real;
use crate::fused::rows::{add_scaled, row, row_mut, simd, transposed};
use crate::schedule::Schedule;

/// A layer's input, a row for each row of the schedule.
#[derive(Clone, Copy)]
pub(crate) enum Input<'a, T> {
    /// One-hot types, and marks where there are any: products with them are look-ups.
    Features(&'a Schedule),
    /// States of the layer below.
    States(&'a [T]),
}

impl<T: Real> Input<'_, T> {
    /// `x Wᵀ` for every row, with `weight` of `out` rows.
    pub(super) fn times_transposed(&self, weight: &[T], out: usize, rows: usize) -> Buffer<T> {
        let mut result = Buffer::unset(rows * out);
        match self {
            Input::Features(schedule) => {
                let columns = transposed(&[weight], out);
                let mark = columns.len() / out - 1;
                for (v, to) in result.chunks_exact_mut(out).enumerate() {
                    to.copy_from_slice(row(&columns, schedule.types[v] as usize, out));
                    if schedule.marks.get(v) == Some(&true) {
                        add_scaled(to, T::of(1.0), row(&columns, mark, out));
                    }
                }
            }
            Input::States(x) => {
                multiply_shared(matrix_mut(&mut result, rows), matrix(x, rows), matrix(weight, out).transpose());
            }
        }
        result
    }

    /// The gradient of the weight in [`Input::times_transposed`]: `gᵀ x`. Rows of `grad` have `stride` numbers, of which
    /// those from `from` count; `to` has `out` rows.
    pub(super) fn weight_gradient(&self, grad: &[T], (from, stride): (usize, usize), out: usize, to: &mut [T]) {
        let rows = grad.len() / stride;
        match self {
            Input::Features(schedule) => {
                let features = to.len() / out;
                let mut columns = Buffer::zeros(to.len());
                simd(
                    #[inline(always)]
                    || {
                        for v in 0..rows {
                            let g = &row(grad, v, stride)[from..from + out];
                            add_scaled(row_mut(&mut columns, schedule.types[v] as usize, out), T::of(1.0), g);
                            if schedule.marks.get(v) == Some(&true) {
                                add_scaled(row_mut(&mut columns, features - 1, out), T::of(1.0), g);
                            }
                        }
                    },
                );
                to.copy_from_slice(&transposed(&[&columns], features));
            }
            Input::States(x) => {
                let grad = matrix(grad, rows).subcols(from, out);
                multiply_shared(matrix_mut(to, out), grad.transpose(), matrix(x, rows));
            }
        }
    }
}

//! What a layer reads: the features of nodes, or the states of the layer below.

use std::ops::Range;

use candle_core::{DType, Device, Result, Tensor};

use crate::fused::pool::Buffer;
use crate::fused::product::{matrix, matrix_mut, multiply_shared};
use crate::fused::real::Real;
use crate::fused::rows::{add_scaled, row, row_mut, simd, transposed};

/// A layer's input, a row for each row of the schedule.
#[derive(Clone, Copy)]
pub enum Input<'a, T> {
    /// One-hot types, and marks where there are any: products with them are look-ups.
    Features(Features<'a>),
    /// States of the layer below.
    States(&'a [T]),
}

/// One-hot types of nodes, and marks where there are any. The weights that they meet are held by columns: those of all types,
/// and then those of marks, of which 1 is the last column, 2 that before it, and 0 is none.
#[derive(Clone, Copy)]
pub struct Features<'a> {
    /// The type of each row.
    pub types: &'a [u32],
    /// The mark of each row; empty if rows have no marks.
    pub marks: &'a [u32],
}

impl Features<'_> {
    /// The mark of a row, if it has one: its column, counted from the end.
    #[inline(always)]
    fn mark(&self, row: usize) -> Option<usize> {
        self.marks.get(row).filter(|&&mark| mark > 0).map(|&mark| mark as usize)
    }

    /// Some rows as numbers, one-hot types and then the mark where there are any: `[rows, width]`.
    pub fn one_hot(&self, rows: Range<usize>, width: usize, dtype: DType, device: &Device) -> Result<Tensor> {
        let mut values = vec![0f32; rows.len() * width];
        for (line, row) in values.chunks_exact_mut(width).zip(rows.clone()) {
            line[self.types[row] as usize] = 1.0;
            if let Some(mark) = self.mark(row) {
                line[width - mark] = 1.0;
            }
        }
        Tensor::from_vec(values, (rows.len(), width), device)?.to_dtype(dtype)
    }

    /// Sets `to` to the product of the row `v` with the weights.
    #[inline]
    pub fn look_up<T: Real>(&self, columns: &[T], v: usize, to: &mut [T]) {
        let out = to.len();
        to.copy_from_slice(row(columns, self.types[v] as usize, out));
        if let Some(mark) = self.mark(v) {
            add_scaled(to, T::of(1.0), row(columns, columns.len() / out - mark, out));
        }
    }

    /// Adds the gradients of products to those of the weights. Rows of `grad` have `stride` numbers, of which `out` from
    /// `from` on count.
    pub fn add_to_columns<T: Real>(
        &self,
        grad: &[T],
        (from, stride): (usize, usize),
        out: usize,
        columns: &mut [T],
    ) {
        let count = columns.len() / out;
        simd(
            #[inline(always)]
            || {
                for (v, g) in grad.chunks_exact(stride).enumerate() {
                    let g = &g[from..from + out];
                    add_scaled(row_mut(columns, self.types[v] as usize, out), T::of(1.0), g);
                    if let Some(mark) = self.mark(v) {
                        add_scaled(row_mut(columns, count - mark, out), T::of(1.0), g);
                    }
                }
            },
        );
    }
}

impl<T: Real> Input<'_, T> {
    /// `x Wᵀ` for every row, with `weight` of `out` rows.
    pub fn times_transposed(&self, weight: &[T], out: usize, rows: usize) -> Buffer<T> {
        let mut result = Buffer::unset(rows * out);
        match self {
            Input::Features(features) => {
                let columns = transposed(&[weight], out);
                for (v, to) in result.chunks_exact_mut(out).enumerate() {
                    features.look_up(&columns, v, to);
                }
            }
            Input::States(x) => {
                multiply_shared(
                    matrix_mut(&mut result, rows),
                    matrix(x, rows),
                    matrix(weight, out).transpose(),
                );
            }
        }
        result
    }

    /// The gradient of the weight in [`Input::times_transposed`]: `gᵀ x`. Rows of `grad` have `stride` numbers, of which
    /// those from `from` count; `to` has `out` rows.
    pub fn weight_gradient(&self, grad: &[T], (from, stride): (usize, usize), out: usize, to: &mut [T]) {
        let rows = grad.len() / stride;
        match self {
            Input::Features(features) => {
                let mut columns = Buffer::zeros(to.len());
                features.add_to_columns(grad, (from, stride), out, &mut columns);
                to.copy_from_slice(&transposed(&[&columns], to.len() / out));
            }
            Input::States(x) => {
                let grad = matrix(grad, rows).subcols(from, out);
                multiply_shared(matrix_mut(to, out), grad.transpose(), matrix(x, rows));
            }
        }
    }
}

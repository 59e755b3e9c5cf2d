//! One-hot features of nodes. A product of weights with them is a look-up, so they are never written out on
//! the CPU.

use std::ops::Range;

use candle_core::{DType, Device, Result, Tensor};

use crate::real::Real;
use crate::vector::{add_scaled, row, row_mut, simd};

/// The features of rows: a one-hot type and, where `marks` is not empty, a one-hot mark. Weights that
/// multiply them are stored by column: first one column per type, then those of the marks in reverse. Mark 1
/// is the last column, mark 2 the one before, and mark 0 has none.
#[derive(Clone, Copy, Debug)]
pub struct OneHot<'a> {
    /// The type of each row.
    pub types: &'a [u32],
    /// The mark of each row; empty if rows have no marks.
    pub marks: &'a [u32],
}

impl OneHot<'_> {
    /// The mark of a row if it is not 0: its column, counted from the end.
    #[inline(always)]
    fn mark(&self, row: usize) -> Option<usize> {
        self.marks.get(row).filter(|&&mark| mark > 0).map(|&mark| mark as usize)
    }

    /// Some rows as a tensor: `[rows, width]`.
    pub fn to_tensor(
        &self,
        rows: Range<usize>,
        width: usize,
        dtype: DType,
        device: &Device,
    ) -> Result<Tensor> {
        let mut values = vec![0f32; rows.len() * width];
        for (line, row) in values.chunks_exact_mut(width).zip(rows.clone()) {
            line[self.types[row] as usize] = 1.0;
            if let Some(mark) = self.mark(row) {
                line[width - mark] = 1.0;
            }
        }
        Tensor::from_vec(values, (rows.len(), width), device)?.to_dtype(dtype)
    }

    /// Writes the product of row `v` with the weights to `to`.
    #[inline]
    pub fn look_up<T: Real>(&self, columns: &[T], v: usize, to: &mut [T]) {
        let out = to.len();
        to.copy_from_slice(row(columns, self.types[v] as usize, out));
        if let Some(mark) = self.mark(v) {
            add_scaled(to, T::constant(1.0), row(columns, columns.len() / out - mark, out));
        }
    }

    /// Adds the gradients of products to those of the weights. Of each row of `grad`, which has `stride`
    /// numbers, the `out` numbers from `from` on are used.
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
                    add_scaled(row_mut(columns, self.types[v] as usize, out), T::constant(1.0), g);
                    if let Some(mark) = self.mark(v) {
                        add_scaled(row_mut(columns, count - mark, out), T::constant(1.0), g);
                    }
                }
            },
        );
    }
}

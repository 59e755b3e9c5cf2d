//! The input of a layer: features of nodes, or the states of the layer below.

use logicvae_compute::{Buffer, OneHot, Real, matrix, matrix_mut, multiply_shared, transposed};

/// The input of a layer, one row per row of the schedule.
#[derive(Clone, Copy)]
pub enum LayerInput<'a, T> {
    /// One-hot features. Products with them are look-ups.
    Features(OneHot<'a>),
    /// States of the layer below.
    States(&'a [T]),
}

impl<T: Real> LayerInput<'_, T> {
    /// `x Wᵀ` for every row, with `weight` of `out` rows.
    pub(crate) fn times_transposed(&self, weight: &[T], out: usize, rows: usize) -> Buffer<T> {
        let mut result = Buffer::unset(rows * out);
        match self {
            LayerInput::Features(features) => {
                let columns = transposed(&[weight], out);
                for (v, to) in result.chunks_exact_mut(out).enumerate() {
                    features.look_up(&columns, v, to);
                }
            }
            LayerInput::States(x) => {
                multiply_shared(
                    matrix_mut(&mut result, rows),
                    matrix(x, rows),
                    matrix(weight, out).transpose(),
                );
            }
        }
        result
    }

    /// The gradient of the weight in [`LayerInput::times_transposed`]: `gᵀ x`. Of each row of `grad`, which
    /// has `stride` numbers, the `out` numbers from `from` on are used; `to` has `out` rows.
    pub(crate) fn weight_gradient(
        &self,
        grad: &[T],
        (from, stride): (usize, usize),
        out: usize,
        to: &mut [T],
    ) {
        let rows = grad.len() / stride;
        match self {
            LayerInput::Features(features) => {
                let mut columns = Buffer::zeros(to.len());
                features.add_to_columns(grad, (from, stride), out, &mut columns);
                to.copy_from_slice(&transposed(&[&columns], to.len() / out));
            }
            LayerInput::States(x) => {
                let grad = matrix(grad, rows).subcols(from, out);
                multiply_shared(matrix_mut(to, out), grad.transpose(), matrix(x, rows));
            }
        }
    }
}

//! The GRU's operations on the CPU: loops that compute what the CUDA kernels of the same names compute.

use logicvae_compute::Real;

use crate::layer::edges::{EdgeSlices, gather_loop};

pub(super) fn gated_sum<T: Real>(edges: EdgeSlices<'_>, width: usize, gated: &[T]) -> Vec<T> {
    let mut out = vec![T::constant(0.0); edges.groups() * width];
    for (receiver, to) in out.chunks_exact_mut(width).enumerate() {
        for (_, sender, weight) in edges.group(receiver) {
            let (gate, map) = gated[sender * 2 * width..][..2 * width].split_at(width);
            for ((to, &g), &m) in to.iter_mut().zip(gate).zip(map) {
                *to += T::constant(weight) * g.sigmoid() * m;
            }
        }
    }
    out
}

/// `edges` grouped by sender.
pub(super) fn gated_sum_gradient<T: Real>(
    edges: EdgeSlices<'_>,
    width: usize,
    gated: &[T],
    grad: &[T],
) -> Vec<T> {
    let summed = gather_loop(edges, width, grad);
    let mut out = vec![T::constant(0.0); gated.len()];
    for ((to, gated), grad) in
        out.chunks_exact_mut(2 * width).zip(gated.chunks_exact(2 * width)).zip(summed.chunks_exact(width))
    {
        for i in 0..width {
            let s = gated[i].sigmoid();
            to[i] = grad[i] * gated[width + i] * s * (T::constant(1.0) - s);
            to[width + i] = grad[i] * s;
        }
    }
    out
}

/// r, z, n of one row and column.
fn gates<T: Real>(gi: &[T], gh: &[T], at: usize, width: usize) -> (T, T, T) {
    let r = (gi[at] + gh[at]).sigmoid();
    let z = (gi[at + width] + gh[at + width]).sigmoid();
    let n = Real::tanh(gi[at + 2 * width] + r * gh[at + 2 * width]);
    (r, z, n)
}

pub(super) fn gru_gates<T: Real>(width: usize, gi: &[T], gh: &[T], h: &[T]) -> Vec<T> {
    let index = |i: usize| i / width * 3 * width + i % width;
    let step = |(i, &h): (usize, &T)| {
        let (_, z, n) = gates(gi, gh, index(i), width);
        (T::constant(1.0) - z) * n + z * h
    };
    h.iter().enumerate().map(step).collect()
}

/// The gradients of gi, of gh and of h, one after another.
pub(super) fn gru_gates_gradient<T: Real>(width: usize, gi: &[T], gh: &[T], h: &[T], grad: &[T]) -> Vec<T> {
    let one = T::constant(1.0);
    let mut out = vec![T::constant(0.0); 2 * gi.len() + h.len()];
    let (to_gi, rest) = out.split_at_mut(gi.len());
    let (to_gh, to_h) = rest.split_at_mut(gi.len());
    for (i, (&h, &grad)) in h.iter().zip(grad).enumerate() {
        let at = i / width * 3 * width + i % width;
        let (r, z, n) = gates(gi, gh, at, width);
        let before_n = grad * (one - z) * (one - n * n);
        let before_r = before_n * gh[at + 2 * width] * r * (one - r);
        let before_z = grad * (h - n) * z * (one - z);
        for (k, (to_i, to_h)) in
            [(before_r, before_r), (before_z, before_z), (before_n, before_n * r)].into_iter().enumerate()
        {
            to_gi[at + k * width] = to_i;
            to_gh[at + k * width] = to_h;
        }
        to_h[i] = grad * z;
    }
    out
}

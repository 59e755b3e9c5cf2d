//! The fused passes of the gated recurrent unit. For its formulas see [`Gru`].

use faer::Accum;
use logicvae_compute::{
    Buffer, Factor, Real, add_rows, add_scaled, bias_gradients, gru_backward, gru_forward, matrix,
    matrix_mut, multiply, multiply_shared, product_gradient, row, row_mut, simd, transposed,
};

use super::{Gru, GruWeights};
use crate::layer::{Gradients, LayerContext, Tape, zeros_like};

/// What the backward pass needs. A *message* is σ(G h + b) ⊙ M h.
pub struct GruTape<T: Real> {
    layer: Gru,
    states: Buffer<T>,
    /// The senders' states, one row per product.
    inputs: Buffer<T>,
    /// For each product: σ(G h + b), then M h.
    gated: Buffer<T>,
    /// The sum of the messages that a family of rows receives.
    sums: Buffer<T>,
    /// For each row: r, z, n.
    gates: Buffer<T>,
    /// For each row: the part of n that r multiplies.
    reset: Buffer<T>,
}

pub struct GruGradients<'a, T: Real> {
    tape: &'a GruTape<T>,
    /// For each product: the gradient before the activation of the gate, then that of M h.
    gated: Buffer<T>,
    /// For each row: the four gradients of `gru_backward`.
    gates: Buffer<T>,
    /// For each family: the sum of the first three, which is the gradient of U s.
    hidden: Buffer<T>,
    /// The gradient of the initial states, if they were given. It has room for the widest level.
    initial: Option<Buffer<T>>,
}

/// The states of all rows.
pub(super) fn forward<T: Real>(layer: &Gru, cx: &LayerContext<'_, Gru, T>) -> GruTape<T> {
    let (h, schedule) = (layer.hidden, cx.schedule);
    let (rows, products) = (schedule.rows(), schedule.products);
    let GruWeights { input, recurrent, input_bias, recurrent_bias, gate, map, gate_bias } = cx.weights;
    // Becomes r, z, n in place.
    let mut gates = cx.input.times_transposed(input, 3 * h, rows);
    let (recurrent, gate_map) = (transposed(&[recurrent], 3 * h), transposed(&[gate, map], h));
    let (recurrent, gate_map) = (Factor::new(matrix(&recurrent, h)), Factor::new(matrix(&gate_map, h)));
    let widest = schedule.levels.iter().map(|l| l.families.len()).max().unwrap_or(0);
    // Zeros for the first level, whose rows receive nothing but their initial states.
    let mut hidden = Buffer::zeros(widest * 3 * h);
    let mut sums = Buffer::zeros(schedule.member.len() * h);
    if let Some(initial) = cx.initial {
        sums[..initial.len()].copy_from_slice(initial);
    }
    let mut reset = Buffer::unset(rows * h);
    let mut states = Buffer::unset(rows * h);
    let mut inputs = Buffer::unset(products * h);
    let mut gated = Buffer::unset(products * 2 * h);
    let mut messages = Buffer::unset(products * h);
    for (number, level) in schedule.levels.iter().enumerate() {
        let (families, count) = (level.families.clone(), level.families.len());
        simd(
            #[inline(always)]
            || {
                for family in families.clone() {
                    let sum = row_mut(&mut sums, family, h);
                    for e in schedule.entries(schedule.member[family] as usize) {
                        let product = schedule.product(e);
                        add_scaled(sum, T::constant(schedule.times[e]), row(&messages, product, h));
                    }
                }
            },
        );
        let hidden = &mut hidden[..count * 3 * h];
        // Otherwise the product would be zero.
        if number > 0 || cx.initial.is_some() {
            let sums = matrix(&sums[families.start * h..families.end * h], count);
            recurrent.multiply(matrix_mut(hidden, count), Accum::Replace, sums);
        }
        simd(
            #[inline(always)]
            || {
                for v in level.rows.clone() {
                    let family = schedule.family[v] as usize;
                    let gates = row_mut(&mut gates, v, 3 * h);
                    let hidden = row(hidden, family - families.start, 3 * h);
                    let (reset, state, sum) =
                        (row_mut(&mut reset, v, h), row_mut(&mut states, v, h), row(&sums, family, h));
                    gru_forward(gates, hidden, reset, state, sum, input_bias, recurrent_bias);
                }
            },
        );
        let (start, end) = (level.product, level.product + level.sending.len());
        let sent = &states[level.sending.start * h..level.sending.end * h];
        inputs[start * h..end * h].copy_from_slice(sent);
        let gated = &mut gated[start * 2 * h..end * 2 * h];
        gate_map.multiply(matrix_mut(gated, end - start), Accum::Replace, matrix(sent, end - start));
        simd(
            #[inline(always)]
            || {
                for (gated, message) in
                    gated.chunks_exact_mut(2 * h).zip(messages[start * h..end * h].chunks_exact_mut(h))
                {
                    let (gate, map) = gated.split_at_mut(h);
                    for (g, &b) in gate.iter_mut().zip(gate_bias) {
                        *g = (*g + b).sigmoid();
                    }
                    for ((message, &g), &m) in message.iter_mut().zip(&*gate).zip(&*map) {
                        *message = g * m;
                    }
                }
            },
        );
    }
    GruTape { layer: layer.clone(), states, inputs, gated, sums, gates, reset }
}

impl<T: Real> Tape<Gru, T> for GruTape<T> {
    type Gradients<'a> = GruGradients<'a, T>;

    fn states(&self) -> &[T] {
        &self.states
    }

    fn backward<'a>(&'a self, cx: &LayerContext<'_, Gru, T>, mut grad: Buffer<T>) -> GruGradients<'a, T> {
        let (h, schedule) = (self.layer.hidden, cx.schedule);
        let (rows, products) = (schedule.rows(), schedule.products);
        let recurrent = Factor::new(matrix(cx.weights.recurrent, 3 * h));
        let (gate, map) = (Factor::new(matrix(cx.weights.gate, h)), Factor::new(matrix(cx.weights.map, h)));
        let mut grad_messages = Buffer::zeros(products * h);
        let mut gated = Buffer::unset(products * 2 * h);
        let mut gates = Buffer::unset(rows * 4 * h);
        let mut hidden = Buffer::zeros(schedule.member.len() * 3 * h);
        let widest = schedule.levels.iter().map(|l| l.families.len()).max().unwrap_or(0);
        let mut grad_sums = Buffer::unset(widest * h);
        for (number, level) in schedule.levels.iter().enumerate().rev() {
            let (start, end) = (level.product, level.product + level.sending.len());
            simd(
                #[inline(always)]
                || {
                    for product in start..end {
                        let to = row_mut(&mut gated, product, 2 * h);
                        gate_gradient(to, row(&self.gated, product, 2 * h), row(&grad_messages, product, h));
                    }
                },
            );
            let level_gated = matrix(&gated[start * 2 * h..end * 2 * h], end - start);
            let mut sent = matrix_mut(&mut grad[level.sending.start * h..level.sending.end * h], end - start);
            if start < end {
                gate.multiply(sent.as_mut(), Accum::Add, level_gated.subcols(0, h));
                map.multiply(sent, Accum::Add, level_gated.subcols(h, h));
            }
            let (families, count) = (level.families.clone(), level.families.len());
            let grad_sums = &mut grad_sums[..count * h];
            grad_sums.fill(T::constant(0.0));
            simd(
                #[inline(always)]
                || {
                    for v in level.rows.clone() {
                        let family = schedule.family[v] as usize;
                        let (gate, reset, sum) =
                            (row(&self.gates, v, 3 * h), row(&self.reset, v, h), row(&self.sums, family, h));
                        let (to, to_sum) =
                            (row_mut(&mut gates, v, 4 * h), row_mut(grad_sums, family - families.start, h));
                        gru_backward(to, to_sum, row(&grad, v, h), gate, reset, sum);
                        add_scaled(row_mut(&mut hidden, family, 3 * h), T::constant(1.0), &to[..3 * h]);
                    }
                },
            );
            if number == 0 && cx.initial.is_none() {
                break;
            }
            let level_hidden = matrix(&hidden[families.start * 3 * h..families.end * 3 * h], count);
            recurrent.multiply(matrix_mut(grad_sums, count), Accum::Add, level_hidden);
            simd(
                #[inline(always)]
                || {
                    for (at, family) in families.enumerate() {
                        for e in schedule.entries(schedule.member[family] as usize) {
                            let product = schedule.product(e);
                            add_scaled(
                                row_mut(&mut grad_messages, product, h),
                                T::constant(schedule.times[e]),
                                row(grad_sums, at, h),
                            );
                        }
                    }
                },
            );
        }
        // The loop ended with the first level.
        let initial = cx.initial.map(|_| grad_sums);
        GruGradients { tape: self, gated, gates, hidden, initial }
    }
}

impl<T: Real> Gradients<Gru, T> for GruGradients<'_, T> {
    fn weights(&self, cx: &LayerContext<'_, Gru, T>) -> GruWeights<Vec<T>> {
        let (h, input) = (self.tape.layer.hidden, self.tape.layer.input);
        let mut to = cx.weights.map(|weight| zeros_like(weight));
        let (to_rz, to_n) = to.input.split_at_mut(2 * h * input);
        cx.input.weight_gradient(&self.gates, (0, 4 * h), 2 * h, to_rz);
        cx.input.weight_gradient(&self.gates, (3 * h, 4 * h), h, to_n);
        let mut bias = vec![T::constant(0.0); 4 * h];
        add_rows(&mut bias, &self.gates, 4 * h);
        bias_gradients(&bias, &mut to.input_bias, &mut to.recurrent_bias);
        product_gradient(&mut to.recurrent, &self.hidden, 0, &self.tape.sums, cx.schedule.member.len());
        product_gradient(&mut to.gate, &self.gated, 0, &self.tape.inputs, cx.schedule.products);
        product_gradient(&mut to.map, &self.gated, h, &self.tape.inputs, cx.schedule.products);
        add_rows(&mut to.gate_bias, &self.gated, 2 * h);
        to
    }

    fn initial(&self, cx: &LayerContext<'_, Gru, T>) -> Option<&[T]> {
        self.initial.as_ref().map(|grad| &grad[..cx.initial.map_or(0, <[T]>::len)])
    }

    fn input(&self, cx: &LayerContext<'_, Gru, T>) -> Buffer<T> {
        let (h, rows) = (self.tape.layer.hidden, cx.schedule.rows());
        let weight = matrix(cx.weights.input, 3 * h);
        let mut out = Buffer::unset(rows * self.tape.layer.input);
        let grad = matrix(&self.gates, rows);
        multiply_shared(matrix_mut(&mut out, rows), grad.subcols(0, 2 * h), weight.subrows(0, 2 * h));
        multiply(matrix_mut(&mut out, rows), Accum::Add, grad.subcols(3 * h, h), weight.subrows(2 * h, h));
        out
    }
}

/// The backward pass of σ(g) ⊙ m, for one message.
#[inline(always)]
fn gate_gradient<T: Real>(to: &mut [T], gated: &[T], grad: &[T]) {
    let h = grad.len();
    let ((gate, map), (to_gate, to_map)) = (gated.split_at(h), to.split_at_mut(h));
    for (((to, &g), &m), &d) in to_gate.iter_mut().zip(gate).zip(map).zip(grad) {
        *to = d * m * g * (T::constant(1.0) - g);
    }
    for ((to, &g), &d) in to_map.iter_mut().zip(gate).zip(grad) {
        *to = d * g;
    }
}

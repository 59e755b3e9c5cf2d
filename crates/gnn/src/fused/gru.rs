//! The fused gated recurrent unit. Formulas: [`Gru`].

use faer::Accum;

use crate::fused::pool::Buffer;
use crate::fused::product::{matrix, matrix_mut, multiply, multiply_shared, product_gradient};
use crate::fused::real::Real;
use crate::fused::rows::{add_rows, add_scaled, row, row_mut, simd, transposed};
use crate::fused::{Context, FusedLayer, Gradients, Tape};
use crate::layers::Gru;

/// What the backward pass needs. A *message* is σ(G h + b) ⊙ M h.
struct GruTape<T: Real> {
    layer: Gru,
    states: Buffer<T>,
    /// The senders' states, a row for each product.
    inputs: Buffer<T>,
    /// For each product: σ(G h + b), then M h.
    gated: Buffer<T>,
    /// The sum of the messages that a row receives.
    sums: Buffer<T>,
    /// For each row: r, z, n.
    gates: Buffer<T>,
    /// For each row: the part of n that r multiplies.
    reset: Buffer<T>,
}

struct GruGradients<'a, T: Real> {
    tape: &'a GruTape<T>,
    /// For each product: before the activation of the gate, then of M h.
    gated: Buffer<T>,
    /// For each row: before the activations of r and z, of `reset`, before the activation of n.
    gates: Buffer<T>,
}

/// The weights, in the order in which they are packed.
struct Weights<'a, T> {
    input: &'a [T],
    recurrent: &'a [T],
    input_bias: &'a [T],
    recurrent_bias: &'a [T],
    /// G, then M.
    gate_map: &'a [T],
    gate_bias: &'a [T],
}

impl Gru {
    fn weights<'a, T>(&self, packed: &'a [T]) -> Weights<'a, T> {
        let h = self.hidden;
        let (input, rest) = packed.split_at(3 * h * self.input);
        let (recurrent, rest) = rest.split_at(3 * h * h);
        let (input_bias, rest) = rest.split_at(3 * h);
        let (recurrent_bias, rest) = rest.split_at(3 * h);
        let (gate_map, gate_bias) = rest.split_at(2 * h * h);
        Weights { input, recurrent, input_bias, recurrent_bias, gate_map, gate_bias }
    }
}

impl<T: Real> FusedLayer<T> for Gru {
    fn forward(&self, cx: &Context<'_, T>) -> Box<dyn Tape<T>> {
        let (h, schedule) = (self.hidden, cx.schedule);
        let (rows, products) = (schedule.rows(), schedule.products);
        let weights = self.weights(cx.weights);
        // Becomes r, z, n in place.
        let mut gates = cx.input.times_transposed(weights.input, 3 * h, rows);
        let (recurrent, gate_map) = (transposed(weights.recurrent, 3 * h), transposed(weights.gate_map, 2 * h));
        let (recurrent, gate_map) = (matrix(&recurrent, h), matrix(&gate_map, h));
        let widest = schedule.levels.iter().map(|l| l.rows.len()).max().unwrap_or(0);
        // Zeros for the first level, whose rows receive nothing.
        let mut hidden = Buffer::zeros(widest * 3 * h);
        let mut sums = Buffer::zeros(rows * h);
        let mut reset = Buffer::unset(rows * h);
        let mut states = Buffer::unset(rows * h);
        let mut inputs = Buffer::unset(products * h);
        let mut gated = Buffer::unset(products * 2 * h);
        let mut messages = Buffer::unset(products * h);
        for (number, level) in schedule.levels.iter().enumerate() {
            let (rows, count) = (level.rows.clone(), level.rows.len());
            simd(|| {
                for v in rows.clone() {
                    let sum = row_mut(&mut sums, v, h);
                    for e in schedule.entries(v) {
                        let product = schedule.send[schedule.sources[e] as usize] as usize;
                        add_scaled(sum, T::of(schedule.times[e]), row(&messages, product, h));
                    }
                }
            });
            let hidden = &mut hidden[..count * 3 * h];
            // Rows of the first level receive nothing: the product would be zero.
            if number > 0 {
                multiply(matrix_mut(hidden, count), Accum::Replace, matrix(&sums[rows.start * h..rows.end * h], count), recurrent);
            }
            simd(|| {
                for (at, v) in rows.enumerate() {
                    let gates = row_mut(&mut gates, v, 3 * h);
                    let hidden = row(hidden, at, 3 * h);
                    let (reset, state, sum) = (row_mut(&mut reset, v, h), row_mut(&mut states, v, h), row(&sums, v, h));
                    update(gates, hidden, reset, state, sum, weights.input_bias, weights.recurrent_bias);
                }
            });
            let (start, end) = (level.product, level.product + level.sending.len());
            let sent = &states[level.sending.start * h..level.sending.end * h];
            inputs[start * h..end * h].copy_from_slice(sent);
            let gated = &mut gated[start * 2 * h..end * 2 * h];
            multiply(matrix_mut(gated, end - start), Accum::Replace, matrix(sent, end - start), gate_map);
            simd(|| {
                for (gated, message) in gated.chunks_exact_mut(2 * h).zip(messages[start * h..end * h].chunks_exact_mut(h)) {
                    let (gate, map) = gated.split_at_mut(h);
                    for i in 0..h {
                        gate[i] = (gate[i] + weights.gate_bias[i]).sigmoid();
                        message[i] = gate[i] * map[i];
                    }
                }
            });
        }
        Box::new(GruTape { layer: self.clone(), states, inputs, gated, sums, gates, reset })
    }
}

/// One row's gates and state. `gates` holds the input's part, and then r, z, n.
#[inline(always)]
fn update<T: Real>(
    gates: &mut [T],
    hidden: &[T],
    reset: &mut [T],
    state: &mut [T],
    sum: &[T],
    input_bias: &[T],
    recurrent_bias: &[T],
) {
    let h = state.len();
    let (r, rest) = gates.split_at_mut(h);
    let (z, n) = rest.split_at_mut(h);
    let (z, n) = (&mut z[..h], &mut n[..h]);
    let (hr, hz, hn) = (&hidden[..h], &hidden[h..2 * h], &hidden[2 * h..3 * h]);
    let (ir, iz, inn) = (&input_bias[..h], &input_bias[h..2 * h], &input_bias[2 * h..3 * h]);
    let (br, bz, bn) = (&recurrent_bias[..h], &recurrent_bias[h..2 * h], &recurrent_bias[2 * h..3 * h]);
    let (reset, sum) = (&mut reset[..h], &sum[..h]);
    for i in 0..h {
        r[i] = (r[i] + ir[i] + hr[i] + br[i]).sigmoid();
        z[i] = (z[i] + iz[i] + hz[i] + bz[i]).sigmoid();
        reset[i] = hn[i] + bn[i];
        n[i] = Real::tanh(n[i] + inn[i] + r[i] * reset[i]);
        state[i] = n[i] + z[i] * (sum[i] - n[i]);
    }
}

impl<T: Real> Tape<T> for GruTape<T> {
    fn states(&self) -> &[T] {
        &self.states
    }

    fn backward(&self, cx: &Context<'_, T>, mut grad: Buffer<T>) -> Box<dyn Gradients<T> + '_> {
        let (h, schedule) = (self.layer.hidden, cx.schedule);
        let (rows, products) = (schedule.rows(), schedule.products);
        let weights = self.layer.weights(cx.weights);
        let (recurrent, gate_map) = (matrix(weights.recurrent, 3 * h), matrix(weights.gate_map, 2 * h));
        let mut grad_messages = Buffer::zeros(products * h);
        let mut gated = Buffer::unset(products * 2 * h);
        let mut gates = Buffer::unset(rows * 4 * h);
        let widest = schedule.levels.iter().map(|l| l.rows.len()).max().unwrap_or(0);
        let mut grad_sums = Buffer::unset(widest * h);
        for (number, level) in schedule.levels.iter().enumerate().rev() {
            let (start, end) = (level.product, level.product + level.sending.len());
            simd(|| {
                for product in start..end {
                    let to = row_mut(&mut gated, product, 2 * h);
                    gate_gradient(to, row(&self.gated, product, 2 * h), row(&grad_messages, product, h));
                }
            });
            let sent = matrix_mut(&mut grad[level.sending.start * h..level.sending.end * h], end - start);
            multiply(sent, Accum::Add, matrix(&gated[start * 2 * h..end * 2 * h], end - start), gate_map);
            let (rows, count) = (level.rows.clone(), level.rows.len());
            simd(|| {
                for (at, v) in rows.clone().enumerate() {
                    let (to, to_sum) = (row_mut(&mut gates, v, 4 * h), row_mut(&mut grad_sums, at, h));
                    let (gate, reset, sum) = (row(&self.gates, v, 3 * h), row(&self.reset, v, h), row(&self.sums, v, h));
                    update_gradient(to, to_sum, row(&grad, v, h), gate, reset, sum);
                }
            });
            if number == 0 {
                break;
            }
            let level_gates = matrix(&gates[rows.start * 4 * h..rows.end * 4 * h], count).subcols(0, 3 * h);
            multiply(matrix_mut(&mut grad_sums[..count * h], count), Accum::Add, level_gates, recurrent);
            simd(|| {
                for (at, v) in rows.enumerate() {
                    for e in schedule.entries(v) {
                        let product = schedule.send[schedule.sources[e] as usize] as usize;
                        add_scaled(row_mut(&mut grad_messages, product, h), T::of(schedule.times[e]), row(&grad_sums, at, h));
                    }
                }
            });
        }
        Box::new(GruGradients { tape: self, gated, gates })
    }
}

impl<T: Real> Gradients<T> for GruGradients<'_, T> {
    fn weights(&self, cx: &Context<'_, T>, to: &mut [T]) {
        let (h, rows) = (self.tape.layer.hidden, cx.schedule.rows());
        let (input, rest) = to.split_at_mut(3 * h * self.tape.layer.input);
        let (recurrent, rest) = rest.split_at_mut(3 * h * h);
        let (input_bias, rest) = rest.split_at_mut(3 * h);
        let (recurrent_bias, rest) = rest.split_at_mut(3 * h);
        let (gate_map, gate_bias) = rest.split_at_mut(2 * h * h);
        let (input_rz, input_n) = input.split_at_mut(2 * h * self.tape.layer.input);
        cx.input.weight_gradient(&self.gates, (0, 4 * h), 2 * h, input_rz);
        cx.input.weight_gradient(&self.gates, (3 * h, 4 * h), h, input_n);
        let mut bias = vec![T::of(0.0); 4 * h];
        add_rows(&mut bias, &self.gates, 4 * h);
        recurrent_bias.copy_from_slice(&bias[..3 * h]);
        input_bias[..2 * h].copy_from_slice(&bias[..2 * h]);
        input_bias[2 * h..].copy_from_slice(&bias[3 * h..]);
        let grad_gates = matrix(&self.gates, rows).subcols(0, 3 * h);
        multiply_shared(matrix_mut(recurrent, 3 * h), grad_gates.transpose(), matrix(&self.tape.sums, rows));
        product_gradient(gate_map, 2 * h, &self.gated, &self.tape.inputs, cx.schedule.products);
        add_rows(gate_bias, &self.gated, 2 * h);
    }

    fn input(&self, cx: &Context<'_, T>) -> Buffer<T> {
        let (h, rows) = (self.tape.layer.hidden, cx.schedule.rows());
        let weight = matrix(self.tape.layer.weights(cx.weights).input, 3 * h);
        let mut out = Buffer::unset(rows * self.tape.layer.input);
        let grad = matrix(&self.gates, rows);
        multiply_shared(matrix_mut(&mut out, rows), grad.subcols(0, 2 * h), weight.subrows(0, 2 * h));
        multiply(matrix_mut(&mut out, rows), Accum::Add, grad.subcols(3 * h, h), weight.subrows(2 * h, h));
        out
    }
}

/// Back through σ(g) ⊙ m, for one message.
#[inline(always)]
fn gate_gradient<T: Real>(to: &mut [T], gated: &[T], grad: &[T]) {
    let h = grad.len();
    let ((gate, map), (to_gate, to_map)) = (gated.split_at(h), to.split_at_mut(h));
    let (map, to_map) = (&map[..h], &mut to_map[..h]);
    for i in 0..h {
        to_gate[i] = grad[i] * map[i] * gate[i] * (T::of(1.0) - gate[i]);
        to_map[i] = grad[i] * gate[i];
    }
}

/// Back through one row's gates, except for the product with the recurrent weights.
#[inline(always)]
fn update_gradient<T: Real>(to: &mut [T], to_sum: &mut [T], grad: &[T], gates: &[T], reset: &[T], sum: &[T]) {
    let (h, one) = (grad.len(), T::of(1.0));
    let (r, z, n) = (&gates[..h], &gates[h..2 * h], &gates[2 * h..3 * h]);
    let (to_r, rest) = to.split_at_mut(h);
    let (to_z, rest) = rest.split_at_mut(h);
    let (to_reset, to_n) = rest.split_at_mut(h);
    let (to_z, to_reset, to_n) = (&mut to_z[..h], &mut to_reset[..h], &mut to_n[..h]);
    let (to_sum, reset, sum) = (&mut to_sum[..h], &reset[..h], &sum[..h]);
    for i in 0..h {
        let before_n = grad[i] * (one - z[i]) * (one - n[i] * n[i]);
        to_n[i] = before_n;
        to_reset[i] = before_n * r[i];
        to_r[i] = before_n * reset[i] * r[i] * (one - r[i]);
        to_z[i] = grad[i] * (sum[i] - n[i]) * z[i] * (one - z[i]);
        to_sum[i] = grad[i] * z[i];
    }
}

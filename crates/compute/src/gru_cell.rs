//! The gated recurrent unit (GRU):
//!
//! r = σ(a_r + u_r), z = σ(a_z + u_z), n = tanh(a_n + r ⊙ u_n), h' = (1 − z) ⊙ n + z ⊙ h,
//!
//! where `a = W x + b` comes from the input `x` and `u = U h + c` from the previous state `h`. Rows of `W`
//! and `U` are those of r, z and n, in this order, as in PyTorch.

use candle_core::{Result, Tensor};
use candle_nn::ops::sigmoid;

use crate::named_weights;
use crate::real::Real;
use crate::tensor_data::linear;
use crate::weights::{Initial, uniform_fan_in};

named_weights! {
    /// The weights of a GRU.
    pub struct GruCellWeights {
        /// W: `[3 hidden, input]`.
        input: "weight_ih",
        /// U: `[3 hidden, hidden]`.
        recurrent: "weight_hh",
        /// b: `[3 hidden]`.
        input_bias: "bias_ih",
        /// c: `[3 hidden]`.
        recurrent_bias: "bias_hh",
    }
}

impl<W> GruCellWeights<W> {
    /// References to the weights.
    pub fn as_refs(&self) -> GruCellWeights<&W> {
        GruCellWeights {
            input: &self.input,
            recurrent: &self.recurrent,
            input_bias: &self.input_bias,
            recurrent_bias: &self.recurrent_bias,
        }
    }
}

impl GruCellWeights<Initial> {
    /// Shapes and initial values, as in PyTorch.
    pub fn initial(input: usize, hidden: usize) -> Self {
        let bound = uniform_fan_in(hidden);
        Self {
            input: Initial::uniform(&[3 * hidden, input], bound),
            recurrent: Initial::uniform(&[3 * hidden, hidden], bound),
            input_bias: Initial::uniform(&[3 * hidden], bound),
            recurrent_bias: Initial::uniform(&[3 * hidden], bound),
        }
    }
}

/// The readable form, in candle operations: from `x` `[rows, input]` and the previous states `h` `[rows,
/// hidden]` to the new states. The fused functions below are tested against it.
pub fn gru_reference(weights: &GruCellWeights<&Tensor>, x: &Tensor, h: &Tensor) -> Result<Tensor> {
    let hidden = h.dim(1)?;
    let from_input = linear(x, weights.input, Some(weights.input_bias))?; // [rows, 3 hidden]
    let from_state = linear(h, weights.recurrent, Some(weights.recurrent_bias))?; // [rows, 3 hidden]
    let part = |t: &Tensor, number: usize| t.narrow(1, number * hidden, hidden);
    let r = sigmoid(&(part(&from_input, 0)? + part(&from_state, 0)?)?)?;
    let z = sigmoid(&(part(&from_input, 1)? + part(&from_state, 1)?)?)?;
    let n = (part(&from_input, 2)? + (r * part(&from_state, 2)?)?)?.tanh()?;
    // (1 - z) n + z h
    &n + (z * (h - &n)?)?
}

/// The gates and the new state of one row. `gates` holds W x on entry and r, z, n on return; `hidden` is U h,
/// and `previous` is h. `reset` is set to u_n, the part of n that r multiplies.
#[inline(always)]
pub fn gru_forward<T: Real>(
    gates: &mut [T],
    hidden: &[T],
    reset: &mut [T],
    state: &mut [T],
    previous: &[T],
    input_bias: &[T],
    recurrent_bias: &[T],
) {
    let h = state.len();
    let (r, rest) = gates.split_at_mut(h);
    let (z, n) = rest.split_at_mut(h);
    let (hidden, input_bias, recurrent_bias) = (thirds(hidden), thirds(input_bias), thirds(recurrent_bias));
    // One loop per gate: each writes a slice that the compiler knows not to overlap with what it reads.
    gate(r, hidden[0], input_bias[0], recurrent_bias[0]);
    gate(z, hidden[1], input_bias[1], recurrent_bias[1]);
    for ((reset, &u), &b) in reset.iter_mut().zip(hidden[2]).zip(recurrent_bias[2]) {
        *reset = u + b;
    }
    for (((n, &b), &r), &reset) in n.iter_mut().zip(input_bias[2]).zip(&*r).zip(&*reset) {
        *n = Real::tanh(*n + b + r * reset);
    }
    for (((state, &n), &z), &previous) in state.iter_mut().zip(&*n).zip(&*z).zip(previous) {
        *state = n + z * (previous - n);
    }
}

#[inline(always)]
fn thirds<T>(list: &[T]) -> [&[T]; 3] {
    let third = list.len() / 3;
    [&list[..third], &list[third..2 * third], &list[2 * third..]]
}

/// σ of the parts from input and state, with their biases.
#[inline(always)]
fn gate<T: Real>(gate: &mut [T], hidden: &[T], input_bias: &[T], recurrent_bias: &[T]) {
    for (((g, &u), &b), &c) in gate.iter_mut().zip(hidden).zip(input_bias).zip(recurrent_bias) {
        *g = (*g + b + u + c).sigmoid();
    }
}

/// The backward pass of one row, without the product with the recurrent weights. Sets `to` to four gradients:
/// before the activation of r, before that of z, of `reset`, and before the activation of n. Adds the direct
/// part of the gradient of h to `to_previous`.
#[inline(always)]
pub fn gru_backward<T: Real>(
    to: &mut [T],
    to_previous: &mut [T],
    grad: &[T],
    gates: &[T],
    reset: &[T],
    previous: &[T],
) {
    let (h, one) = (grad.len(), T::constant(1.0));
    let [r, z, n] = thirds(gates);
    let (to_r, rest) = to.split_at_mut(h);
    let (to_z, rest) = rest.split_at_mut(h);
    let (to_reset, to_n) = rest.split_at_mut(h);
    for (((to, &g), &z), &n) in to_n.iter_mut().zip(grad).zip(z).zip(n) {
        *to = g * (one - z) * (one - n * n);
    }
    for ((to, &before), &r) in to_reset.iter_mut().zip(&*to_n).zip(r) {
        *to = before * r;
    }
    for (((to, &before), &r), &reset) in to_r.iter_mut().zip(&*to_n).zip(r).zip(reset) {
        *to = before * reset * r * (one - r);
    }
    for ((((to, &g), &z), &n), &s) in to_z.iter_mut().zip(grad).zip(z).zip(n).zip(previous) {
        *to = g * (s - n) * z * (one - z);
    }
    for ((to, &g), &z) in to_previous.iter_mut().zip(grad).zip(z) {
        *to += g * z;
    }
}

/// The gradients of the two biases, from the sums over all rows of the four gradients that [`gru_backward`]
/// sets.
pub fn bias_gradients<T: Real>(sums: &[T], input_bias: &mut [T], recurrent_bias: &mut [T]) {
    let h = sums.len() / 4;
    recurrent_bias.copy_from_slice(&sums[..3 * h]);
    input_bias[..2 * h].copy_from_slice(&sums[..2 * h]);
    input_bias[2 * h..].copy_from_slice(&sums[3 * h..]);
}

//! The gated recurrent unit, a row at a time: r = σ(a_r + u_r), z = σ(a_z + u_z), n = tanh(a_n + r ⊙ u_n),
//! h = (1 − z) ⊙ n + z ⊙ s, with `a` from the input and `u` from the hidden state `s`, each with its bias.

use crate::fused::real::Real;

/// One row's gates and state. `gates` holds the input's part, and then r, z, n; `reset` is set to the part of n that r
/// multiplies.
#[inline(always)]
pub fn update<T: Real>(
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
    let (hidden, input_bias, recurrent_bias) = (thirds(hidden), thirds(input_bias), thirds(recurrent_bias));
    // One loop a gate: each writes a list that the compiler knows to be apart from what it reads.
    gate(r, hidden[0], input_bias[0], recurrent_bias[0]);
    gate(z, hidden[1], input_bias[1], recurrent_bias[1]);
    for ((reset, &u), &b) in reset.iter_mut().zip(hidden[2]).zip(recurrent_bias[2]) {
        *reset = u + b;
    }
    for (((n, &b), &r), &reset) in n.iter_mut().zip(input_bias[2]).zip(&*r).zip(&*reset) {
        *n = Real::tanh(*n + b + r * reset);
    }
    for (((state, &n), &z), &sum) in state.iter_mut().zip(&*n).zip(&*z).zip(sum) {
        *state = n + z * (sum - n);
    }
}

#[inline(always)]
fn thirds<T>(list: &[T]) -> [&[T]; 3] {
    let third = list.len() / 3;
    [&list[..third], &list[third..2 * third], &list[2 * third..]]
}

/// σ of the input's and the hidden state's parts and their biases.
#[inline(always)]
fn gate<T: Real>(gate: &mut [T], hidden: &[T], input_bias: &[T], recurrent_bias: &[T]) {
    for (((g, &u), &b), &c) in gate.iter_mut().zip(hidden).zip(input_bias).zip(recurrent_bias) {
        *g = (*g + b + u + c).sigmoid();
    }
}

/// Back through one row, except for the product with the recurrent weights. Sets `to` to the gradients before the
/// activations of r and z, of `reset`, and before the activation of n; adds to `to_sum`.
#[inline(always)]
pub fn update_gradient<T: Real>(
    to: &mut [T],
    to_sum: &mut [T],
    grad: &[T],
    gates: &[T],
    reset: &[T],
    sum: &[T],
) {
    let (h, one) = (grad.len(), T::of(1.0));
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
    for ((((to, &g), &z), &n), &s) in to_z.iter_mut().zip(grad).zip(z).zip(n).zip(sum) {
        *to = g * (s - n) * z * (one - z);
    }
    for ((to, &g), &z) in to_sum.iter_mut().zip(grad).zip(z) {
        *to += g * z;
    }
}

/// Splits the sums over all rows of what [`update_gradient`] sets into the gradients of the two biases.
pub fn bias_gradients<T: Real>(sums: &[T], input_bias: &mut [T], recurrent_bias: &mut [T]) {
    let h = sums.len() / 4;
    recurrent_bias.copy_from_slice(&sums[..3 * h]);
    input_bias[..2 * h].copy_from_slice(&sums[..2 * h]);
    input_bias[2 * h..].copy_from_slice(&sums[3 * h..]);
}

//! The states of trees whose prefix is read by a recurrent unit, in depth-first order, with all gradients:
//! `h_t = GRU([x_t; h_parent], h_(t-1))`; START reads h₀ in place of both states.

use faer::Accum;
use logicvae_gnn::fused::{
    Buffer, Factor, Real, add_rows, add_scaled, bias_gradients, matrix, matrix_mut, multiply_shared,
    product_gradient, row, row_mut, simd, transposed, update, update_gradient,
};

use crate::decoder::forest::Prefix;

/// What the backward pass needs. Products with a parent's state are computed once for all its children: first those of
/// h₀, the parents of START, and then those of all parents.
pub(super) struct PrefixTape<T: Real> {
    pub states: Buffer<T>,
    /// For each row: the state before it.
    before: Buffer<T>,
    /// For each row: r, z, n.
    gates: Buffer<T>,
    reset: Buffer<T>,
    /// h₀ and the states of parents.
    parents: Buffer<T>,
}

/// The weights, in the order of the GRU's: of the input (features, then parent), of the state before, and their biases.
type Weights<'a, T> = &'a [&'a [T]];

impl<T: Real> PrefixTape<T> {
    /// `h0`: a row for each tree, in the order of the shard.
    pub fn forward(order: &Prefix, weights: Weights<'_, T>, h0: &[T], parent_rows: &[u32]) -> Self {
        let trees = order.steps[1];
        let h = h0.len() / trees;
        let rows = order.types.len();
        let slots = trees + parent_rows.len();
        // By columns: features first, then those of the parent's state.
        let input = transposed(&[weights[0]], 3 * h);
        let (features, parent_weight) = input.split_at(input.len() - 3 * h * h);
        let recurrent = transposed(&[weights[1]], 3 * h);
        let (parent_weight, recurrent) =
            (Factor::new(matrix(parent_weight, h)), Factor::new(matrix(&recurrent, h)));

        let mut parents = Buffer::unset(slots * h);
        let mut from_parents = Buffer::unset(slots * 3 * h);
        parents[..trees * h].copy_from_slice(h0);
        parent_weight.multiply(
            matrix_mut(&mut from_parents[..trees * 3 * h], trees),
            Accum::Replace,
            matrix(h0, trees),
        );
        let mut states = Buffer::unset(rows * h);
        let mut before = Buffer::unset(rows * h);
        let mut gates = Buffer::unset(rows * 3 * h);
        let mut reset = Buffer::unset(rows * h);
        let mut hidden = Buffer::unset(trees * 3 * h);
        let mut earlier = 0;
        for (step, range) in order.steps.windows(2).enumerate() {
            let (from, to) = (range[0], range[1]);
            let count = to - from;
            let source = if step == 0 { h0 } else { &states[earlier * h..(earlier + count) * h] };
            before[from * h..to * h].copy_from_slice(source);
            earlier = from;
            let hidden = &mut hidden[..count * 3 * h];
            recurrent.multiply(
                matrix_mut(hidden, count),
                Accum::Replace,
                matrix(&before[from * h..to * h], count),
            );
            simd(
                #[inline(always)]
                || {
                    for v in from..to {
                        let gates = row_mut(&mut gates, v, 3 * h);
                        order.features().look_up(features, v, gates);
                        add_scaled(
                            gates,
                            T::of(1.0),
                            row(&from_parents, slot(order.parent[v], v, trees), 3 * h),
                        );
                        let (reset, state) = (row_mut(&mut reset, v, h), row_mut(&mut states, v, h));
                        update(
                            gates,
                            row(hidden, v - from, 3 * h),
                            reset,
                            state,
                            row(&before, v, h),
                            weights[2],
                            weights[3],
                        );
                    }
                },
            );
            let new = order.parents[step]..order.parents[step + 1];
            for number in new.clone() {
                let state = row(&states, parent_rows[number] as usize, h);
                row_mut(&mut parents, trees + number, h).copy_from_slice(state);
            }
            let (first, last) = (trees + new.start, trees + new.end);
            let to = matrix_mut(&mut from_parents[first * 3 * h..last * 3 * h], new.len());
            parent_weight.multiply(to, Accum::Replace, matrix(&parents[first * h..last * h], new.len()));
        }
        Self { states, before, gates, reset, parents }
    }

    /// Adds the weights' gradients to `to`, if they are wanted; gives that of h₀. `grad` is that of the states.
    pub fn backward(
        &self,
        order: &Prefix,
        weights: Weights<'_, T>,
        parent_rows: &[u32],
        mut grad: Buffer<T>,
        to: Option<&mut [Vec<T>]>,
    ) -> Buffer<T> {
        let trees = order.steps[1];
        let rows = order.types.len();
        let h = grad.len() / rows;
        let slots = trees + parent_rows.len();
        let input = matrix(weights[0], 3 * h);
        let features = input.ncols() - h;
        let parent_weight = Factor::new(input.subcols(features, h));
        let recurrent = Factor::new(matrix(weights[1], 3 * h));
        // Before the activations of r and z, of `reset`, before the activation of n.
        let mut gates = Buffer::unset(rows * 4 * h);
        let mut from_parents = Buffer::zeros(slots * 3 * h);
        let mut to_parents = Buffer::unset(trees * h);
        let mut to_start = Buffer::zeros(trees * h);
        for (step, range) in order.steps.windows(2).enumerate().rev() {
            let (from, end) = (range[0], range[1]);
            let count = end - from;
            // All children of this step's parents stand later, so their gradients are complete.
            let new = order.parents[step]..order.parents[step + 1];
            if !new.is_empty() {
                let (first, last) = (trees + new.start, trees + new.end);
                let to = &mut to_parents[..new.len() * h];
                let given = matrix(&from_parents[first * 3 * h..last * 3 * h], new.len());
                parent_weight.multiply(matrix_mut(to, new.len()), Accum::Replace, given);
                for (number, to) in new.zip(to.chunks_exact(h)) {
                    add_scaled(row_mut(&mut grad, parent_rows[number] as usize, h), T::of(1.0), to);
                }
            }
            let (earlier, later) = grad.split_at_mut(from * h);
            let before = match step {
                0 => &mut to_start[..],
                _ => &mut earlier[order.steps[step - 1] * h..][..count * h],
            };
            simd(
                #[inline(always)]
                || {
                    for v in from..end {
                        let to = row_mut(&mut gates, v, 4 * h);
                        let to_before = row_mut(before, v - from, h);
                        let (g, s) = (row(later, v - from, h), row(&self.before, v, h));
                        update_gradient(
                            to,
                            to_before,
                            g,
                            row(&self.gates, v, 3 * h),
                            row(&self.reset, v, h),
                            s,
                        );
                        let given = row_mut(&mut from_parents, slot(order.parent[v], v, trees), 3 * h);
                        add_scaled(&mut given[..2 * h], T::of(1.0), &to[..2 * h]);
                        add_scaled(&mut given[2 * h..], T::of(1.0), &to[3 * h..]);
                    }
                },
            );
            let level = matrix(&gates[from * 4 * h..end * 4 * h], count).subcols(0, 3 * h);
            recurrent.multiply(matrix_mut(before, count), Accum::Add, level);
        }
        let first = matrix(&from_parents[..trees * 3 * h], trees);
        parent_weight.multiply(matrix_mut(&mut to_start, trees), Accum::Add, first);
        if let Some(to) = to {
            self.weights(order, to, &gates, &from_parents, features);
        }
        to_start
    }

    fn weights(&self, order: &Prefix, to: &mut [Vec<T>], gates: &[T], from_parents: &[T], features: usize) {
        let rows = order.types.len();
        let h = self.states.len() / rows;
        let slots = self.parents.len() / h;
        let [input, recurrent, input_bias, recurrent_bias, ..] = to else {
            unreachable!("a GRU has four weights")
        };
        // By columns, as the forward pass reads them.
        let mut columns = Buffer::zeros(input.len());
        let (feature_columns, parent_columns) = columns.split_at_mut(features * 3 * h);
        let mut parts = Buffer::zeros(features * 3 * h);
        let (rz, n) = parts.split_at_mut(features * 2 * h);
        order.features().add_to_columns(gates, (0, 4 * h), 2 * h, rz);
        order.features().add_to_columns(gates, (3 * h, 4 * h), h, n);
        for (number, column) in feature_columns.chunks_exact_mut(3 * h).enumerate() {
            column[..2 * h].copy_from_slice(row(rz, number, 2 * h));
            column[2 * h..].copy_from_slice(row(n, number, h));
        }
        let parents = matrix(&self.parents, slots).transpose();
        multiply_shared(matrix_mut(parent_columns, h), parents, matrix(from_parents, slots));
        input.copy_from_slice(&transposed(&[&columns], features + h));
        product_gradient(recurrent, gates, 0, &self.before, rows);
        let mut bias = vec![T::of(0.0); 4 * h];
        add_rows(&mut bias, gates, 4 * h);
        bias_gradients(&bias, input_bias, recurrent_bias);
    }
}

/// Where the product with a row's parent stands. START's parent is the tree's h₀, and START stands at the tree's number.
#[inline(always)]
fn slot(parent: u32, row: usize, trees: usize) -> usize {
    if parent == u32::MAX { row } else { trees + parent as usize }
}

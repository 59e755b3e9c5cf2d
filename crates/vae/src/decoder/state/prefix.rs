//! Node states of a recurrent decoder: a GRU reads the nodes in depth-first order,
//! `h_t = GRU([x_t; h_parent], h_(t-1))`. START reads h₀ in place of both states.

use candle_core::{Result, Tensor};
use faer::Accum;
use logicvae_compute::{
    Buffer, Factor, Real, add_rows, add_scaled, bias_gradients, gru_backward, gru_forward, gru_reference,
    matrix, matrix_mut, multiply_shared, product_gradient, row, row_mut, simd, transposed,
};

use super::PrefixWeights;
use crate::decoder::forest::{Prefix, Shard};

/// Reference: the states of all rows, position by position.
pub fn reference(
    weights: &PrefixWeights<Tensor>,
    features: usize,
    shard: &Shard,
    order: &Prefix,
    h0: &Tensor,
) -> Result<Tensor> {
    let weights = weights.as_refs();
    let mut states: Option<Tensor> = None;
    let mut before = h0.clone();
    for range in order.steps.windows(2) {
        let rows = range[0]..range[1];
        let count = rows.len();
        let parents = match &states {
            None => h0.clone(),
            Some(states) => {
                let parents: Vec<u32> =
                    rows.clone().map(|row| shard.parents[order.parent[row] as usize]).collect();
                states.index_select(&Tensor::new(parents, h0.device())?, 0)?
            }
        };
        let features = order.features().to_tensor(rows, features, h0.dtype(), h0.device())?;
        let x = Tensor::cat(&[&features, &parents], 1)?;
        before = gru_reference(&weights, &x, &before.narrow(0, 0, count)?)?;
        states = Some(match states {
            None => before.clone(),
            Some(states) => Tensor::cat(&[&states, &before], 0)?,
        });
    }
    states.ok_or_else(|| candle_core::Error::Msg("a forest has a tree".into()))
}

/// Fused: what the backward pass needs. Products with a parent's state are computed once for all its
/// children. Those of h₀, which is the parent of START, come first, then those of all other parents.
pub struct PrefixTape<T: Real> {
    pub states: Buffer<T>,
    /// For each row: the state before it.
    before: Buffer<T>,
    /// For each row: r, z, n.
    gates: Buffer<T>,
    reset: Buffer<T>,
    /// h₀ and the states of parents.
    parents: Buffer<T>,
}

impl<T: Real> PrefixTape<T> {
    /// `h0` has one row per tree, in the order of the shard.
    pub fn forward(order: &Prefix, weights: &PrefixWeights<&[T]>, h0: &[T], parent_rows: &[u32]) -> Self {
        let trees = order.steps[1];
        let h = h0.len() / trees;
        let rows = order.types.len();
        let slots = trees + parent_rows.len();
        // Stored by column: first the features, then the parent's state.
        let input = transposed(&[weights.input], 3 * h);
        let (features, parent_weight) = input.split_at(input.len() - 3 * h * h);
        let recurrent = transposed(&[weights.recurrent], 3 * h);
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
                            T::constant(1.0),
                            row(&from_parents, slot(order.parent[v], v, trees), 3 * h),
                        );
                        let (reset, state) = (row_mut(&mut reset, v, h), row_mut(&mut states, v, h));
                        gru_forward(
                            gates,
                            row(hidden, v - from, 3 * h),
                            reset,
                            state,
                            row(&before, v, h),
                            weights.input_bias,
                            weights.recurrent_bias,
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

    /// The gradient of h₀ and, if wanted, those of the weights. `grad` is the gradient of the states.
    pub fn backward(
        &self,
        order: &Prefix,
        weights: &PrefixWeights<&[T]>,
        parent_rows: &[u32],
        mut grad: Buffer<T>,
        weights_wanted: bool,
    ) -> (Buffer<T>, Option<PrefixWeights<Vec<T>>>) {
        let trees = order.steps[1];
        let rows = order.types.len();
        let h = grad.len() / rows;
        let slots = trees + parent_rows.len();
        let input = matrix(weights.input, 3 * h);
        let features = input.ncols() - h;
        let parent_weight = Factor::new(input.subcols(features, h));
        let recurrent = Factor::new(matrix(weights.recurrent, 3 * h));
        // The four gradients of `gru_backward` for each row.
        let mut gates = Buffer::unset(rows * 4 * h);
        let mut from_parents = Buffer::zeros(slots * 3 * h);
        let mut to_parents = Buffer::unset(trees * h);
        let mut to_start = Buffer::zeros(trees * h);
        for (step, range) in order.steps.windows(2).enumerate().rev() {
            let (from, end) = (range[0], range[1]);
            let count = end - from;
            // All children of this step's parents come later, so their gradients are complete.
            let new = order.parents[step]..order.parents[step + 1];
            if !new.is_empty() {
                let (first, last) = (trees + new.start, trees + new.end);
                let to = &mut to_parents[..new.len() * h];
                let given = matrix(&from_parents[first * 3 * h..last * 3 * h], new.len());
                parent_weight.multiply(matrix_mut(to, new.len()), Accum::Replace, given);
                for (number, to) in new.zip(to.chunks_exact(h)) {
                    add_scaled(row_mut(&mut grad, parent_rows[number] as usize, h), T::constant(1.0), to);
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
                        gru_backward(to, to_before, g, row(&self.gates, v, 3 * h), row(&self.reset, v, h), s);
                        let given = row_mut(&mut from_parents, slot(order.parent[v], v, trees), 3 * h);
                        add_scaled(&mut given[..2 * h], T::constant(1.0), &to[..2 * h]);
                        add_scaled(&mut given[2 * h..], T::constant(1.0), &to[3 * h..]);
                    }
                },
            );
            let level = matrix(&gates[from * 4 * h..end * 4 * h], count).subcols(0, 3 * h);
            recurrent.multiply(matrix_mut(before, count), Accum::Add, level);
        }
        let first = matrix(&from_parents[..trees * 3 * h], trees);
        parent_weight.multiply(matrix_mut(&mut to_start, trees), Accum::Add, first);
        let to_weights =
            weights_wanted.then(|| self.weight_gradients(order, weights, &gates, &from_parents, features));
        (to_start, to_weights)
    }

    fn weight_gradients(
        &self,
        order: &Prefix,
        weights: &PrefixWeights<&[T]>,
        gates: &[T],
        from_parents: &[T],
        features: usize,
    ) -> PrefixWeights<Vec<T>> {
        let mut to = weights.map(|weight| vec![T::constant(0.0); weight.len()]);
        let rows = order.types.len();
        let h = self.states.len() / rows;
        let slots = self.parents.len() / h;
        // Stored by column, as the forward pass reads them.
        let mut columns = Buffer::zeros(to.input.len());
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
        to.input.copy_from_slice(&transposed(&[&columns], features + h));
        product_gradient(&mut to.recurrent, gates, 0, &self.before, rows);
        let mut bias = vec![T::constant(0.0); 4 * h];
        add_rows(&mut bias, gates, 4 * h);
        bias_gradients(&bias, &mut to.input_bias, &mut to.recurrent_bias);
        to
    }
}

/// The index of the product with a row's parent. The parent of START is the tree's h₀, and the row of START
/// is the tree's index.
#[inline(always)]
fn slot(parent: u32, row: usize, trees: usize) -> usize {
    if parent == u32::MAX { row } else { trees + parent as usize }
}

/// Generation: the weights of one step by what they multiply. Each is stored by column.
pub struct PrefixColumns {
    /// `[features, 3 hidden]`.
    pub features: Vec<f32>,
    /// `[hidden, 3 hidden]`: from the parent's state to the gates.
    pub from_parent: Vec<f32>,
    /// `[hidden, 3 hidden]`: from the previous state to the gates.
    pub recurrent: Vec<f32>,
}

impl PrefixColumns {
    pub fn new(weights: &PrefixWeights<Vec<f32>>, hidden: usize) -> Self {
        let input = transposed(&[&weights.input], 3 * hidden);
        let (features, from_parent) = input.split_at(input.len() - 3 * hidden * hidden);
        let recurrent = transposed(&[&weights.recurrent], 3 * hidden);
        Self { features: features.to_vec(), from_parent: from_parent.to_vec(), recurrent: recurrent.to_vec() }
    }
}

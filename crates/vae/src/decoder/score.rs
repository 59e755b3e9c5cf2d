//! The type of the next node: `MLP([graph state; state of its parent; goal])`, its negative log-likelihood, and all gradients.
//!
//! The first layer's product with a parent's state is computed once for all its children.

use faer::Accum;
use logicvae_gnn::fused::{
    Buffer, Factor, Real, add_rows, add_scaled, matrix, matrix_mut, multiply, row, row_mut, simd,
};

use crate::config::GraphState;
use crate::decoder::forest::Shard;
use crate::decoder::goals::Goal;

/// What the backward pass needs.
pub(super) struct ScoreTape<T: Real> {
    /// The graph state at each target.
    graph: Buffer<T>,
    /// The states of parents.
    parents: Buffer<T>,
    /// The hidden layer at each target, after ReLU.
    hidden: Buffer<T>,
    /// The probabilities of classes at each target.
    chances: Buffer<T>,
    /// The goals of targets, if they are told.
    goals: Buffer<T>,
    width: usize,
}

/// The weights: `[hidden, 2 width + goals]`, its bias, `[classes, hidden]`, its bias.
type Weights<'a, T> = &'a [&'a [T]];

impl<T: Real> ScoreTape<T> {
    /// Adds each tree's negative log-likelihood to `to`, in the order of the shard.
    pub fn forward(
        shard: &Shard,
        state: GraphState,
        weights: Weights<'_, T>,
        states: &[T],
        width: usize,
        goals: &[Goal],
        to: &mut [T],
    ) -> Self {
        let [first, first_bias, second, second_bias] = *weights else {
            unreachable!("the type network has four weights")
        };
        let (targets, parents, inner, classes) =
            (shard.targets.len(), shard.parents.len(), first_bias.len(), second_bias.len());
        let graph = graph_states(shard, state, states, width);
        let mut parent_states = Buffer::unset(parents * width);
        for (to, &parent) in parent_states.chunks_exact_mut(width).zip(&shard.parents) {
            to.copy_from_slice(row(states, parent as usize, width));
        }
        let first = matrix(first, inner);
        let mut from_parents = Buffer::unset(parents * inner);
        let by_parent = first.subcols(width, width).transpose();
        Factor::new(by_parent).multiply(
            matrix_mut(&mut from_parents, parents),
            Accum::Replace,
            matrix(&parent_states, parents),
        );
        simd(
            #[inline(always)]
            || from_parents.chunks_exact_mut(inner).for_each(|line| add_scaled(line, T::of(1.0), first_bias)),
        );
        let mut hidden = Buffer::unset(targets * inner);
        let by_graph = first.subcols(0, width).transpose();
        Factor::new(by_graph).multiply(
            matrix_mut(&mut hidden, targets),
            Accum::Replace,
            matrix(&graph, targets),
        );
        let told = first.ncols() - 2 * width;
        let mut goal_features = Buffer::zeros(0);
        if told > 0 {
            goal_features = shard.goal_features(goals, told);
            let by_goal = first.subcols(2 * width, told).transpose();
            multiply(matrix_mut(&mut hidden, targets), Accum::Add, matrix(&goal_features, targets), by_goal);
        }
        simd(
            #[inline(always)]
            || {
                for (line, target) in hidden.chunks_exact_mut(inner).zip(&shard.targets) {
                    for (x, &p) in line.iter_mut().zip(row(&from_parents, target.parent as usize, inner)) {
                        let sum = *x + p;
                        *x = if sum > T::of(0.0) { sum } else { T::of(0.0) };
                    }
                }
            },
        );
        let mut chances = Buffer::unset(targets * classes);
        let by_class = matrix(second, classes).transpose();
        multiply(matrix_mut(&mut chances, targets), Accum::Replace, matrix(&hidden, targets), by_class);
        for (to, range) in to.iter_mut().zip(shard.starts.windows(2)) {
            for number in range[0]..range[1] {
                let logits = row_mut(&mut chances, number, classes);
                add_scaled(logits, T::of(1.0), second_bias);
                *to += to_chances(logits, shard.targets[number].class as usize);
            }
        }
        Self { graph, parents: parent_states, hidden, chances, goals: goal_features, width }
    }

    /// The gradient of the states, from that of each tree's negative log-likelihood. Adds the weights' gradients to `to`, if
    /// they are wanted.
    pub fn backward(
        self,
        shard: &Shard,
        state: GraphState,
        weights: Weights<'_, T>,
        rows: usize,
        grad: &[T],
        to: Option<&mut [Vec<T>]>,
    ) -> Buffer<T> {
        let Self { graph, parents: parent_states, hidden, mut chances, goals, width } = self;
        let [first, first_bias, second, second_bias] = *weights else {
            unreachable!("the type network has four weights")
        };
        let (targets, parents, inner, classes) =
            (shard.targets.len(), shard.parents.len(), first_bias.len(), second_bias.len());
        for (range, &g) in shard.starts.windows(2).zip(grad) {
            for number in range[0]..range[1] {
                let line = row_mut(&mut chances, number, classes);
                line[shard.targets[number].class as usize] -= T::of(1.0);
                line.iter_mut().for_each(|c| *c *= g);
            }
        }
        let logits = matrix(&chances, targets);
        let mut grad_hidden = Buffer::unset(targets * inner);
        multiply(matrix_mut(&mut grad_hidden, targets), Accum::Replace, logits, matrix(second, classes));
        let mut grad_parents = Buffer::zeros(parents * inner);
        simd(
            #[inline(always)]
            || {
                let lines = grad_hidden.chunks_exact_mut(inner).zip(hidden.chunks_exact(inner));
                for ((to, hidden), target) in lines.zip(&shard.targets) {
                    for (to, &x) in to.iter_mut().zip(hidden) {
                        *to = if x > T::of(0.0) { *to } else { T::of(0.0) };
                    }
                    add_scaled(row_mut(&mut grad_parents, target.parent as usize, inner), T::of(1.0), to);
                }
            },
        );
        let first = matrix(first, inner);
        let mut grad_graph = Buffer::unset(targets * width);
        let by_graph = Factor::new(first.subcols(0, width));
        by_graph.multiply(
            matrix_mut(&mut grad_graph, targets),
            Accum::Replace,
            matrix(&grad_hidden, targets),
        );
        let mut grad_parent_states = Buffer::unset(parents * width);
        let by_parent = Factor::new(first.subcols(width, width));
        by_parent.multiply(
            matrix_mut(&mut grad_parent_states, parents),
            Accum::Replace,
            matrix(&grad_parents, parents),
        );
        let mut out = Buffer::zeros(rows * width);
        graph_state_gradients(shard, state, grad_graph, width, &mut out);
        for (grad, &parent) in grad_parent_states.chunks_exact(width).zip(&shard.parents) {
            add_scaled(row_mut(&mut out, parent as usize, width), T::of(1.0), grad);
        }
        if let Some([to_first, to_first_bias, to_second, to_second_bias]) = to {
            let mut to_first = matrix_mut(to_first, inner);
            let grad = matrix(&grad_hidden, targets).transpose();
            Factor::new(matrix(&graph, targets)).multiply(
                to_first.as_mut().subcols_mut(0, width),
                Accum::Add,
                grad,
            );
            if !goals.is_empty() {
                let told = to_first.ncols() - 2 * width;
                multiply(
                    to_first.as_mut().subcols_mut(2 * width, told),
                    Accum::Add,
                    grad,
                    matrix(&goals, targets),
                );
            }
            let grad = matrix(&grad_parents, parents).transpose();
            Factor::new(matrix(&parent_states, parents)).multiply(
                to_first.subcols_mut(width, width),
                Accum::Add,
                grad,
            );
            add_rows(to_first_bias, &grad_hidden, inner);
            multiply(
                matrix_mut(to_second, classes),
                Accum::Add,
                logits.transpose(),
                matrix(&hidden, targets),
            );
            add_rows(to_second_bias, &chances, classes);
        }
        out
    }
}

/// The graph state that each target is predicted from.
fn graph_states<T: Real>(shard: &Shard, state: GraphState, states: &[T], width: usize) -> Buffer<T> {
    let mut graph = Buffer::unset(shard.targets.len() * width);
    for (to, target) in graph.chunks_exact_mut(width).zip(&shard.targets) {
        to.copy_from_slice(row(states, target.before as usize, width));
    }
    if state == GraphState::Sum {
        for range in shard.starts.windows(2) {
            for number in range[0] + 1..range[1] {
                let (before, now) = graph.split_at_mut(number * width);
                add_scaled(&mut now[..width], T::of(1.0), row(before, number - 1, width));
            }
        }
    }
    graph
}

/// Adds the gradients of the graph states to those of the states.
fn graph_state_gradients<T: Real>(
    shard: &Shard,
    state: GraphState,
    mut grad: Buffer<T>,
    width: usize,
    to: &mut [T],
) {
    if state == GraphState::Sum {
        for range in shard.starts.windows(2) {
            for number in (range[0] + 1..range[1]).rev() {
                let (before, now) = grad.split_at_mut(number * width);
                add_scaled(row_mut(before, number - 1, width), T::of(1.0), &now[..width]);
            }
        }
    }
    for (grad, target) in grad.chunks_exact(width).zip(&shard.targets) {
        add_scaled(row_mut(to, target.before as usize, width), T::of(1.0), grad);
    }
}

/// Turns logits into probabilities; gives the negative logarithm of one of them.
fn to_chances<T: Real>(logits: &mut [T], class: usize) -> T {
    let top = logits.iter().copied().fold(logits[0], Real::max);
    let of_class = logits[class] - top;
    let mut sum = T::of(0.0);
    for x in logits.iter_mut() {
        *x = Real::exp(*x - top);
        sum += *x;
    }
    logits.iter_mut().for_each(|x| *x /= sum);
    Real::ln(sum) - of_class
}

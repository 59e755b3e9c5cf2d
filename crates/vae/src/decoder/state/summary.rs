//! The graph state: what the type network knows of the tree so far. It is the newest node's state, or the sum
//! of all states so far.

use candle_core::{Result, Tensor};
use logicvae_compute::{Buffer, Real, add_scaled, row, row_mut};

use crate::config::GraphState;
use crate::decoder::forest::Shard;

/// Reference: the graph state that each target is predicted from, given the states of the nodes before the
/// targets: `[targets, hidden]`.
pub fn reference(shard: &Shard, state: GraphState, newest: Tensor) -> Result<Tensor> {
    if state != GraphState::Sum {
        return Ok(newest);
    }
    let trees: Result<Vec<Tensor>> = shard
        .starts
        .windows(2)
        .map(|range| newest.narrow(0, range[0], range[1] - range[0])?.cumsum(0))
        .collect();
    Tensor::cat(&trees?, 0)
}

/// Fused: the graph state that each target is predicted from.
pub fn forward<T: Real>(shard: &Shard, state: GraphState, states: &[T], width: usize) -> Buffer<T> {
    let mut graph = Buffer::unset(shard.targets.len() * width);
    for (to, target) in graph.chunks_exact_mut(width).zip(&shard.targets) {
        to.copy_from_slice(row(states, target.before as usize, width));
    }
    if state == GraphState::Sum {
        for range in shard.starts.windows(2) {
            for number in range[0] + 1..range[1] {
                let (before, now) = graph.split_at_mut(number * width);
                add_scaled(&mut now[..width], T::constant(1.0), row(before, number - 1, width));
            }
        }
    }
    graph
}

/// Fused: adds the gradients of the graph states to those of the node states.
pub fn backward<T: Real>(shard: &Shard, state: GraphState, mut grad: Buffer<T>, width: usize, to: &mut [T]) {
    if state == GraphState::Sum {
        for range in shard.starts.windows(2) {
            for number in (range[0] + 1..range[1]).rev() {
                let (before, now) = grad.split_at_mut(number * width);
                add_scaled(row_mut(before, number - 1, width), T::constant(1.0), &now[..width]);
            }
        }
    }
    for (grad, target) in grad.chunks_exact(width).zip(&shard.targets) {
        add_scaled(row_mut(to, target.before as usize, width), T::constant(1.0), grad);
    }
}

/// Generation: the graph state after a node, in place of its state in `newest`; `before` is the graph state
/// before it.
pub fn step(state: GraphState, before: &[f32], newest: &mut [f32]) {
    if state == GraphState::Sum {
        newest.iter_mut().zip(before).for_each(|(g, &s)| *g += s);
    }
}

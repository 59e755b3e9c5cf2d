//! The teacher-forced decoder as one operation: from h₀ and the weights to the negative log-likelihood of every tree.

use std::sync::Arc;

use candle_core::Shape;
use logicvae_gnn::fused::{
    Buffer, Context, FusedLayer, Input, Operation, Real, Tape, add_scaled, row, row_mut,
};
use logicvae_gnn::layers::Gru;
use rayon::prelude::*;

use crate::config::GraphState;
use crate::decoder::forest::{Forest, Order, Shard};
use crate::decoder::goals::Goal;
use crate::decoder::prefix::PrefixTape;
use crate::decoder::score::ScoreTape;

/// The inputs are h₀, a row for each tree; the weights of the states; the four of the type network.
pub(super) struct Likelihood {
    pub forest: Arc<Forest>,
    pub state: GraphState,
    pub layer: Gru,
    /// The goal of each tree, if the decoder is told.
    pub goals: Vec<Goal>,
}

/// What the forward pass of one shard leaves.
pub(super) struct ShardTape<T: Real> {
    h0: Vec<T>,
    states: States<T>,
    score: ScoreTape<T>,
}

enum States<T: Real> {
    Tree(Box<dyn Tape<T>>),
    Prefix(PrefixTape<T>),
}

/// Weights of the type network.
const SCORE: usize = 4;

impl<T: Real> Operation<T> for Likelihood
where
    Gru: FusedLayer<T>,
{
    type Memory = Vec<ShardTape<T>>;

    fn forward(&self, inputs: &[&[T]]) -> (Vec<T>, Shape, Self::Memory) {
        let shards: Vec<(Vec<T>, ShardTape<T>)> =
            self.forest.shards.par_iter().map(|shard| self.shard_forward(shard, inputs)).collect();
        let mut nll = vec![T::of(0.0); self.forest.graphs];
        let mut tapes = Vec::with_capacity(shards.len());
        for (shard, (values, tape)) in self.forest.shards.iter().zip(shards) {
            shard.graphs.iter().zip(values).for_each(|(&graph, value)| nll[graph] = value);
            tapes.push(tape);
        }
        (nll, self.forest.graphs.into(), tapes)
    }

    fn backward(&self, inputs: &[&[T]], wanted: &[bool], tapes: Self::Memory, grad: &[T]) -> Vec<Vec<T>> {
        let weights_wanted = wanted[1..].iter().any(|&w| w);
        let shards: Vec<(Buffer<T>, Vec<Vec<T>>)> = (self.forest.shards.par_iter().zip(tapes))
            .map(|(shard, tape)| self.shard_backward(shard, tape, inputs, grad, weights_wanted))
            .collect();
        let h = self.layer.hidden;
        let mut h0 = vec![T::of(0.0); inputs[0].len()];
        for (shard, (part, _)) in self.forest.shards.iter().zip(&shards) {
            for (number, &graph) in shard.graphs.iter().enumerate() {
                row_mut(&mut h0, graph, h).copy_from_slice(row(part, number, h));
            }
        }
        let mut parts = shards.into_iter().map(|(_, weights)| weights);
        let mut weights = parts.next().unwrap_or_default();
        for part in parts {
            weights.par_iter_mut().zip(part).for_each(|(to, part)| add_scaled(to, T::of(1.0), &part));
        }
        if !weights_wanted {
            weights = vec![Vec::new(); inputs.len() - 1];
        }
        std::iter::once(h0).chain(weights).collect()
    }
}

impl Likelihood {
    /// The trees' negative log-likelihoods, in the order of the shard.
    fn shard_forward<T: Real>(&self, shard: &Shard, inputs: &[&[T]]) -> (Vec<T>, ShardTape<T>)
    where
        Gru: FusedLayer<T>,
    {
        let h = self.layer.hidden;
        let (weights, score_weights) = inputs[1..].split_at(inputs.len() - 1 - SCORE);
        let h0: Vec<T> = shard.graphs.iter().flat_map(|&graph| row(inputs[0], graph, h)).copied().collect();
        let states = match &shard.order {
            Order::Tree(schedule) => {
                let input = Input::Features(schedule.features());
                States::Tree(self.layer.forward(&Context { schedule, input, weights, initial: Some(&h0) }))
            }
            Order::Prefix(order) => States::Prefix(PrefixTape::forward(order, weights, &h0, &shard.parents)),
        };
        let mut nll = vec![T::of(0.0); shard.graphs.len()];
        let score =
            ScoreTape::forward(shard, self.state, score_weights, states.all(), h, &self.goals, &mut nll);
        (nll, ShardTape { h0, states, score })
    }

    /// The gradients of h₀, in the order of the shard, and of the weights.
    fn shard_backward<T: Real>(
        &self,
        shard: &Shard,
        tape: ShardTape<T>,
        inputs: &[&[T]],
        grad: &[T],
        weights_wanted: bool,
    ) -> (Buffer<T>, Vec<Vec<T>>)
    where
        Gru: FusedLayer<T>,
    {
        let h = self.layer.hidden;
        let ShardTape { h0, states, score } = tape;
        let (weights, score_weights) = inputs[1..].split_at(inputs.len() - 1 - SCORE);
        let lengths = inputs[1..].iter().map(|weight| if weights_wanted { weight.len() } else { 0 });
        let mut to: Vec<Vec<T>> = lengths.map(|length| vec![T::of(0.0); length]).collect();
        let (to_states, to_score) = to.split_at_mut(weights.len());
        let grad: Vec<T> = shard.graphs.iter().map(|&graph| grad[graph]).collect();
        let rows = states.all().len() / h;
        let grad =
            score.backward(shard, self.state, score_weights, rows, &grad, weights_wanted.then_some(to_score));
        let grad_h0 = match (&shard.order, &states) {
            (Order::Tree(schedule), States::Tree(tape)) => {
                let input = Input::Features(schedule.features());
                let cx = Context { schedule, input, weights, initial: Some(&h0) };
                let gradients = tape.backward(&cx, grad);
                if weights_wanted {
                    gradients.weights(&cx, to_states);
                }
                let mut out = Buffer::zeros(h0.len());
                out.copy_from_slice(gradients.initial(&cx).unwrap_or_default());
                out
            }
            (Order::Prefix(order), States::Prefix(tape)) => {
                tape.backward(order, weights, &shard.parents, grad, weights_wanted.then_some(to_states))
            }
            _ => unreachable!("a shard's states are computed in its order"),
        };
        (grad_h0, to)
    }
}

impl<T: Real> States<T> {
    fn all(&self) -> &[T] {
        match self {
            States::Tree(tape) => tape.states(),
            States::Prefix(tape) => &tape.states,
        }
    }
}

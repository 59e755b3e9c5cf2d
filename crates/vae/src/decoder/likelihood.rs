//! The teacher-forced decoder as one fused operation: from h₀ and the weights to the negative log-likelihood
//! of every tree.

use std::sync::Arc;

use candle_core::Shape;
use logicvae_compute::{Buffer, Operation, Real, WeightSet, add_scaled, row, row_mut};
use rayon::prelude::*;

use super::forest::{Forest, Order, Shard};
use super::goals::Goal;
use super::state::StateWeights;
use super::state::prefix::PrefixTape;
use super::state::tree::TreeTape;
use super::type_network::{TypeNetworkInputs, TypeNetworkTape, TypeNetworkWeights};
use crate::config::GraphState;

/// Its inputs are h₀, with one row per tree, the weights of the states, and those of the type network.
pub(super) struct Likelihood {
    pub forest: Arc<Forest>,
    pub graph_state: GraphState,
    pub features: usize,
    pub type_inputs: TypeNetworkInputs,
    /// The goal of each tree, if the decoder is goal-conditioned.
    pub goals: Vec<Goal>,
}

/// The inputs of the operation by name.
struct Inputs<'a, T> {
    h0: &'a [T],
    state: StateWeights<&'a [T]>,
    types: TypeNetworkWeights<&'a [T]>,
}

/// What the forward pass of one shard stores.
pub(super) struct ShardTape<T: Real> {
    h0: Vec<T>,
    states: StateTape<T>,
    types: TypeNetworkTape<T>,
}

enum StateTape<T: Real> {
    Tree(TreeTape<T>),
    Prefix(PrefixTape<T>),
}

impl<T: Real> StateTape<T> {
    /// The states of all rows.
    fn states(&self) -> &[T] {
        match self {
            StateTape::Tree(tape) => tape.states(),
            StateTape::Prefix(tape) => &tape.states,
        }
    }
}

impl<T: Real> Operation<T> for Likelihood {
    type Memory = Vec<ShardTape<T>>;

    fn forward(&self, inputs: &[&[T]]) -> (Vec<T>, Shape, Self::Memory) {
        let inputs = self.named(inputs);
        let shards: Vec<(Vec<T>, ShardTape<T>)> =
            self.forest.shards.par_iter().map(|shard| self.shard_forward(shard, &inputs)).collect();
        let mut nll = vec![T::constant(0.0); self.forest.graphs];
        let mut tapes = Vec::with_capacity(shards.len());
        for (shard, (values, tape)) in self.forest.shards.iter().zip(shards) {
            shard.graphs.iter().zip(values).for_each(|(&graph, value)| nll[graph] = value);
            tapes.push(tape);
        }
        (nll, self.forest.graphs.into(), tapes)
    }

    fn backward(&self, inputs: &[&[T]], wanted: &[bool], tapes: Self::Memory, grad: &[T]) -> Vec<Vec<T>> {
        let weights_wanted = wanted[1..].iter().any(|&w| w);
        let named = self.named(inputs);
        let shards: Vec<(Buffer<T>, Vec<Vec<T>>)> = (self.forest.shards.par_iter().zip(tapes))
            .map(|(shard, tape)| self.shard_backward(shard, tape, &named, grad, weights_wanted))
            .collect();
        let h = self.type_inputs.hidden;
        let mut h0 = vec![T::constant(0.0); named.h0.len()];
        for (shard, (part, _)) in self.forest.shards.iter().zip(&shards) {
            for (number, &graph) in shard.graphs.iter().enumerate() {
                row_mut(&mut h0, graph, h).copy_from_slice(row(part, number, h));
            }
        }
        let mut parts = shards.into_iter().map(|(_, weights)| weights);
        let mut weights = parts.next().unwrap_or_default();
        for part in parts {
            weights.par_iter_mut().zip(part).for_each(|(to, part)| add_scaled(to, T::constant(1.0), &part));
        }
        if !weights_wanted {
            weights = vec![Vec::new(); inputs.len() - 1];
        }
        std::iter::once(h0).chain(weights).collect()
    }
}

impl Likelihood {
    fn named<'a, T: Real>(&self, inputs: &[&'a [T]]) -> Inputs<'a, T> {
        let mut weights = inputs[1..].iter().copied();
        Inputs {
            h0: inputs[0],
            state: StateWeights::take_from(self.graph_state, &mut weights),
            types: TypeNetworkWeights::take_from(&mut weights),
        }
    }

    /// The negative log-likelihoods of a shard's trees, in its order.
    fn shard_forward<T: Real>(&self, shard: &Shard, inputs: &Inputs<'_, T>) -> (Vec<T>, ShardTape<T>) {
        let h = self.type_inputs.hidden;
        let h0: Vec<T> = shard.graphs.iter().flat_map(|&graph| row(inputs.h0, graph, h)).copied().collect();
        let states = match (&shard.order, &inputs.state) {
            (Order::Tree(schedule), StateWeights::Tree(weights)) => {
                StateTape::Tree(TreeTape::forward(schedule, weights, &h0, (self.features, h)))
            }
            (Order::Prefix(order), StateWeights::Prefix(weights)) => {
                StateTape::Prefix(PrefixTape::forward(order, weights, &h0, &shard.parents))
            }
            _ => unreachable!("the order of a shard suits the decoder's graph state"),
        };
        let mut nll = vec![T::constant(0.0); shard.graphs.len()];
        let (state, goals) = (self.graph_state, &self.goals);
        let types = TypeNetworkTape::forward(
            shard,
            state,
            &inputs.types,
            states.states(),
            self.type_inputs,
            goals,
            &mut nll,
        );
        (nll, ShardTape { h0, states, types })
    }

    /// The gradients of h₀, in the order of the shard, and of the weights, which are empty if they are not
    /// wanted.
    fn shard_backward<T: Real>(
        &self,
        shard: &Shard,
        tape: ShardTape<T>,
        inputs: &Inputs<'_, T>,
        grad: &[T],
        weights_wanted: bool,
    ) -> (Buffer<T>, Vec<Vec<T>>) {
        let ShardTape { h0, states, types } = tape;
        let grad: Vec<T> = shard.graphs.iter().map(|&graph| grad[graph]).collect();
        let rows = states.states().len() / self.type_inputs.hidden;
        let (grad, to_types) =
            types.backward(shard, self.graph_state, &inputs.types, rows, &grad, weights_wanted);
        let (to_h0, to_state) = match (&shard.order, &inputs.state, &states) {
            (Order::Tree(schedule), StateWeights::Tree(weights), StateTape::Tree(tape)) => {
                let (to_h0, to) = tape.backward(schedule, weights, &h0, grad, weights_wanted);
                (to_h0, to.map(StateWeights::Tree))
            }
            (Order::Prefix(order), StateWeights::Prefix(weights), StateTape::Prefix(tape)) => {
                let (to_h0, to) = tape.backward(order, weights, &shard.parents, grad, weights_wanted);
                (to_h0, to.map(StateWeights::Prefix))
            }
            _ => unreachable!("the order of a shard suits the decoder's graph state"),
        };
        let to_state = to_state.map(StateWeights::into_fields).unwrap_or_default();
        let to_types = to_types.into_iter().flat_map(WeightSet::into_fields);
        (to_h0, to_state.into_iter().chain(to_types).collect())
    }
}

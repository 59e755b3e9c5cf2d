//! The fused encoder on the CPU: all layers, both directions and the readout as one operation.
//!
//! All levels of a layer run in one call, on buffers that hold every row, so nothing is allocated per level.
//! Three things make it fast. Products with the layer below are one matrix product for all levels. A message
//! is multiplied once for its sender, however many nodes receive it. And the backward pass stores the inputs
//! of each level's products next to each other, so the gradient of each weight is one matrix product too.
//!
//! The two directions run in parallel, and so do the gradients of a layer's weights and the layer below. The
//! work is divided in the same way for any number of threads, so the bits of the result never depend on it.

use std::sync::Arc;

use candle_core::{Result, Shape, Tensor};
use logicvae_compute::{Buffer, Operation, Real, WeightSet, add_scaled, apply, row, row_mut};

use super::{Batch, Ordered};
use crate::graph::Schedule;
use crate::layer::{Gradients, Layer, LayerContext, LayerInput, Tape};

/// Encodes a batch: `[graphs, output]`. `weights` are those of all layers, direction by direction.
pub(super) fn encode<L: Layer>(layers: &Arc<Vec<L>>, batch: &Batch, weights: Vec<Tensor>) -> Result<Tensor> {
    apply("encode-graphs", Encoding { layers: layers.clone(), batch: batch.clone() }, weights)
}

/// The encoding of a batch, as an operation on the weights.
struct Encoding<L> {
    layers: Arc<Vec<L>>,
    batch: Batch,
}

/// The layers of one direction, with their weights as slices.
struct DirectionPass<'a, L: Layer, T: Real> {
    layers: &'a [L],
    weights: Vec<L::Weights<&'a [T]>>,
    ordered: &'a Ordered,
}

impl<L: Layer> Encoding<L> {
    /// One pass per direction. `weights` is the flat list that the operation received.
    fn directions<'a, T: Real>(&'a self, weights: &[&'a [T]]) -> Vec<DirectionPass<'a, L, T>> {
        let mut weights = weights.iter().copied();
        let pass = |ordered| DirectionPass {
            layers: &self.layers,
            weights: self.layers.iter().map(|_| L::Weights::take_from(&mut weights)).collect(),
            ordered,
        };
        self.batch.directions.iter().map(pass).collect()
    }

    fn width(&self) -> usize {
        self.layers.last().map_or(0, Layer::width)
    }
}

impl<'a, L: Layer, T: Real> DirectionPass<'a, L, T> {
    /// What a layer reads, given the tapes of the layers below it.
    fn context<'b>(&'b self, below: &'b [L::Tape<T>]) -> LayerContext<'b, L, T> {
        let schedule: &Schedule = &self.ordered.schedule;
        let input = match below.last() {
            None => LayerInput::Features(schedule.features()),
            Some(tape) => LayerInput::States(tape.states()),
        };
        // `copied` would keep the longer lifetime of the inputs.
        #[allow(clippy::map_clone)]
        let mut slices = self.weights[below.len()].fields().map(|&slice| -> &'b [T] { slice });
        let weights = L::Weights::take_from(&mut slices);
        LayerContext { schedule, input, weights, initial: None }
    }

    /// Layer after layer.
    fn forward(&self) -> Vec<L::Tape<T>> {
        let mut tapes = Vec::with_capacity(self.layers.len());
        for layer in self.layers {
            let tape = layer.forward(&self.context(&tapes));
            tapes.push(tape);
        }
        tapes
    }

    /// From the gradient of the last layer's states to those of all weights, in their order.
    fn backward(&self, tapes: &[L::Tape<T>], grad: Buffer<T>) -> Vec<Vec<T>> {
        let Some((tape, below)) = tapes.split_last() else { return Vec::new() };
        let cx = self.context(below);
        let gradients = tape.backward(&cx, grad);
        let own = || gradients.weights(&cx).into_fields().collect::<Vec<Vec<T>>>();
        if below.is_empty() {
            return own();
        }
        let (own, mut all) = rayon::join(own, || self.backward(below, gradients.input(&cx)));
        all.extend(own);
        all
    }
}

impl<L: Layer, T: Real> Operation<T> for Encoding<L> {
    /// The tapes of each direction.
    type Memory = Vec<Vec<L::Tape<T>>>;

    fn forward(&self, weights: &[&[T]]) -> (Vec<T>, Shape, Self::Memory) {
        let directions = self.directions(weights);
        let tapes = match &directions[..] {
            [down, up] => {
                let (down, up) = rayon::join(|| down.forward(), || up.forward());
                vec![down, up]
            }
            directions => directions.iter().map(DirectionPass::forward).collect(),
        };
        let (graphs, width) = (self.batch.graphs(), self.width());
        let stride = width * directions.len();
        let mut out = vec![T::constant(0.0); graphs * stride];
        for (number, (direction, tapes)) in directions.iter().zip(&tapes).enumerate() {
            if let Some(last) = tapes.last() {
                read_out(direction.ordered, last.states(), width, &mut out, (number * width, stride));
            }
        }
        (out, (graphs, stride).into(), tapes)
    }

    fn backward(&self, weights: &[&[T]], _: &[bool], tapes: Self::Memory, grad: &[T]) -> Vec<Vec<T>> {
        let (directions, width) = (self.directions(weights), self.width());
        let stride = width * directions.len();
        let run = |number: usize| {
            let direction = &directions[number];
            let grad = read_out_gradient(direction.ordered, grad, width, (number * width, stride));
            direction.backward(&tapes[number], grad)
        };
        match directions.len() {
            2 => {
                let (mut down, up) = rayon::join(|| run(0), || run(1));
                down.extend(up);
                down
            }
            _ => run(0),
        }
    }
}

/// Adds up node states to one vector per graph. The vector starts at `from` in each row of `to`, which has
/// `stride` numbers.
fn read_out<T: Real>(
    ordered: &Ordered,
    states: &[T],
    width: usize,
    to: &mut [T],
    (from, stride): (usize, usize),
) {
    for graph in 0..ordered.readout.graphs() {
        let to = &mut row_mut(to, graph, stride)[from..from + width];
        for (v, times) in ordered.readout.rows(graph) {
            add_scaled(to, T::constant(times), row(states, v, width));
        }
    }
}

/// The gradient of the states, given that of the vectors.
fn read_out_gradient<T: Real>(
    ordered: &Ordered,
    grad: &[T],
    width: usize,
    (from, stride): (usize, usize),
) -> Buffer<T> {
    let mut to = Buffer::zeros(ordered.schedule.rows() * width);
    for graph in 0..ordered.readout.graphs() {
        let g = &row(grad, graph, stride)[from..from + width];
        for (v, times) in ordered.readout.rows(graph) {
            add_scaled(row_mut(&mut to, v, width), T::constant(times), g);
        }
    }
    to
}

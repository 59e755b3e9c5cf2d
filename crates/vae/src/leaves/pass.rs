//! One pass of messages over a batch of trees whose nodes have arbitrary inputs.

use std::sync::Arc;

use candle_core::{Device, Result, Shape, Tensor};
use candle_nn::VarBuilder;
use logicvae_compute::{Buffer, Operation, Real, WeightSet, apply, build_weights};
use logicvae_gnn::layer::{Gradients, Gru, GruWeights, Layer, LayerContext, LayerInput, Tape};
use logicvae_gnn::{Dag, Direction, GraphError, Schedule, ScheduleOptions};

/// A batch in the order of one direction. Cheap to clone.
#[derive(Clone)]
pub(super) struct Order {
    schedule: Arc<Schedule>,
    /// The node of each row, and the row of each node.
    node_of: Tensor,
    row_of: Tensor,
}

impl Order {
    pub fn new(trees: &Dag, direction: Direction, device: &Device) -> std::result::Result<Self, GraphError> {
        // Nodes with equal features can have different inputs, so none are merged.
        let options = ScheduleOptions { merge: false, by_degree: false, linear: false };
        let schedule = Schedule::new(trees, direction, &options)?;
        let mut node_of = vec![0; schedule.rows()];
        schedule.row_of().iter().enumerate().for_each(|(node, &row)| node_of[row as usize] = node as u32);
        let row_of = Tensor::new(schedule.row_of(), device)?;
        Ok(Self { node_of: Tensor::new(node_of, device)?, row_of, schedule: Arc::new(schedule) })
    }
}

/// A GRU layer with its weights.
#[derive(Clone)]
pub(super) struct Pass {
    layer: Gru,
    weights: GruWeights<Tensor>,
}

impl Pass {
    pub fn new(input: usize, hidden: usize, vb: &VarBuilder<'_>) -> Result<Self> {
        let layer = Gru { input, hidden };
        let weights = build_weights(&layer.initial_weights(), vb)?;
        Ok(Self { layer, weights })
    }

    /// From inputs, whose columns are concatenated, to states: one row per node. On the CPU it is one fused
    /// operation.
    pub fn run(&self, inputs: &[&Tensor], order: &Order) -> Result<Tensor> {
        let x = Tensor::cat(inputs, 1)?.index_select(&order.node_of, 0)?;
        let states = if x.device().is_cpu() {
            let operation = Fused { schedule: order.schedule.clone(), layer: self.layer.clone() };
            let weights = self.weights.fields().cloned();
            apply("tree-pass", operation, std::iter::once(x).chain(weights).collect())?
        } else {
            self.layer.reference(&self.weights, &x, &order.schedule)?
        };
        states.index_select(&order.row_of, 0)
    }
}

/// The pass as an operation on its input and weights.
struct Fused {
    schedule: Arc<Schedule>,
    layer: Gru,
}

impl Fused {
    fn context<'a, T: Real>(&'a self, inputs: &[&'a [T]]) -> LayerContext<'a, Gru, T> {
        LayerContext {
            schedule: &self.schedule,
            input: LayerInput::States(inputs[0]),
            weights: GruWeights::take_from(&mut inputs[1..].iter().copied()),
            initial: None,
        }
    }
}

impl<T: Real> Operation<T> for Fused {
    type Memory = <Gru as Layer>::Tape<T>;

    fn forward(&self, inputs: &[&[T]]) -> (Vec<T>, Shape, Self::Memory) {
        let tape = self.layer.forward(&self.context(inputs));
        (tape.states().to_vec(), Shape::from((self.schedule.rows(), self.layer.hidden)), tape)
    }

    fn backward(&self, inputs: &[&[T]], _: &[bool], tape: Self::Memory, grad: &[T]) -> Vec<Vec<T>> {
        let cx = self.context(inputs);
        let mut states_grad = Buffer::unset(grad.len());
        states_grad.copy_from_slice(grad);
        let gradients = tape.backward(&cx, states_grad);
        let (input, weights) = rayon::join(|| gradients.input(&cx).to_vec(), || gradients.weights(&cx));
        std::iter::once(input).chain(weights.into_fields()).collect()
    }
}

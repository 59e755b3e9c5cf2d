//! One asynchronous pass over a batch of trees whose nodes have inputs of their own.

use std::sync::Arc;

use candle_core::{Result, Shape, Tensor};
use candle_nn::VarBuilder;
use logicvae_gnn::fused::{Buffer, Context, FusedLayer, Input, Operation, Real, Tape, apply};
use logicvae_gnn::layers::{Gru, Layer};
use logicvae_gnn::{Dag, Direction, GraphError, Schedule, ScheduleOptions};

/// A direction of a batch. Cheap to clone.
#[derive(Clone)]
pub(super) struct Order {
    schedule: Arc<Schedule>,
    /// The node of each row, and the row of each node.
    node_of: Tensor,
    row_of: Tensor,
}

impl Order {
    pub fn new(
        trees: &Dag,
        direction: Direction,
        device: &candle_core::Device,
    ) -> std::result::Result<Self, GraphError> {
        // Inputs differ between nodes that look alike, so none are merged.
        let options = ScheduleOptions { merge: false, by_degree: false, linear: false };
        let schedule = Schedule::new(trees, direction, &options)?;
        let mut node_of = vec![0; schedule.rows()];
        schedule.row_of().iter().enumerate().for_each(|(node, &row)| node_of[row as usize] = node as u32);
        let row_of = Tensor::new(schedule.row_of(), device)?;
        Ok(Self { node_of: Tensor::new(node_of, device)?, row_of, schedule: Arc::new(schedule) })
    }
}

/// A layer that reads any input, with its weights.
#[derive(Clone)]
pub(super) struct Pass {
    layer: Gru,
    weights: Vec<Tensor>,
}

impl Pass {
    pub fn new(input: usize, hidden: usize, vb: &VarBuilder<'_>) -> Result<Self> {
        let layer = Gru { input, hidden };
        let weights: Result<Vec<Tensor>> = layer
            .parameters()
            .iter()
            .map(|p| vb.get_with_hints(p.shape.as_slice(), p.name, p.init))
            .collect();
        Ok(Self { layer, weights: weights? })
    }

    /// From inputs, whose columns are joined, to states: a row for each node. On the CPU by one fused operation.
    pub fn run(&self, inputs: &[&Tensor], order: &Order) -> Result<Tensor> {
        let x = Tensor::cat(inputs, 1)?.index_select(&order.node_of, 0)?;
        let states = if x.device().is_cpu() {
            let operation = Fused { schedule: order.schedule.clone(), layer: self.layer.clone() };
            apply("tree-pass", operation, std::iter::once(x).chain(self.weights.iter().cloned()).collect())?
        } else {
            self.layer.plain(&self.weights, &x, &order.schedule)?
        };
        states.index_select(&order.row_of, 0)
    }
}

/// The pass as an operation on its inputs and weights.
struct Fused {
    schedule: Arc<Schedule>,
    layer: Gru,
}

impl Fused {
    fn context<'a, T: Real>(&'a self, inputs: &'a [&'a [T]]) -> Context<'a, T> {
        Context {
            schedule: &self.schedule,
            input: Input::States(inputs[0]),
            weights: &inputs[1..],
            initial: None,
        }
    }
}

impl<T: Real> Operation<T> for Fused
where
    Gru: FusedLayer<T>,
{
    type Memory = Box<dyn Tape<T>>;

    fn forward(&self, inputs: &[&[T]]) -> (Vec<T>, Shape, Self::Memory) {
        let tape = self.layer.forward(&self.context(inputs));
        (tape.states().to_vec(), Shape::from((self.schedule.rows(), self.layer.hidden)), tape)
    }

    fn backward(&self, inputs: &[&[T]], _: &[bool], tape: Self::Memory, grad: &[T]) -> Vec<Vec<T>> {
        let cx = self.context(inputs);
        let mut given = Buffer::unset(grad.len());
        given.copy_from_slice(grad);
        let gradients = tape.backward(&cx, given);
        let mut weights: Vec<Vec<T>> =
            inputs[1..].iter().map(|weight| vec![T::of(0.0); weight.len()]).collect();
        let (input, ()) =
            rayon::join(|| gradients.input(&cx).to_vec(), || gradients.weights(&cx, &mut weights));
        std::iter::once(input).chain(weights).collect()
    }
}

//! The layers of an encoder with their weights, for each direction.

use std::sync::Arc;

use candle_core::{Device, Result, Tensor};
use candle_nn::VarBuilder;
use logicvae_compute::{WeightSet, build_weights};

use super::{Batch, Ordered, fused};
use crate::graph::{Schedule, ScheduleOptions};
use crate::layer::Layer;
use crate::layer::edges::LevelEdges;

/// Layers of one kind, with weights for one or two directions.
pub(super) struct Stack<L: Layer> {
    layers: Arc<Vec<L>>,
    down: Vec<L::Weights<Tensor>>,
    /// Only in a bidirectional encoder.
    up: Option<Vec<L::Weights<Tensor>>>,
}

/// A stack of any kind.
pub(super) trait Network: Send + Sync {
    /// Where the weights are.
    fn device(&self) -> &Device;
    /// What a schedule must respect for these layers.
    fn schedule_options(&self) -> ScheduleOptions;
    /// The number of multiplications in the matrix products of a training step.
    fn multiplications(&self, schedule: &Schedule) -> u64;
    /// Encodes a batch in one fused operation.
    fn fused(&self, batch: &Batch) -> Result<Tensor>;
    /// Encodes a batch layer by layer, by the reference or by operations on edges.
    fn by_layers(&self, batch: &Batch, features: usize, reference: bool) -> Result<Tensor>;
}

impl<L: Layer> Stack<L> {
    pub fn new(layers: Vec<L>, bidirectional: bool, vb: &VarBuilder<'_>) -> Result<Self> {
        let direction = |name: &str| -> Result<Vec<L::Weights<Tensor>>> {
            let vb = vb.pp(name).pp("stack");
            let numbered = layers.iter().enumerate();
            numbered.map(|(number, layer)| build_weights(&layer.initial_weights(), &vb.pp(number))).collect()
        };
        let down = direction("down")?;
        let up = bidirectional.then(|| direction("up")).transpose()?;
        Ok(Self { layers: Arc::new(layers), down, up })
    }

    /// The weights of each direction.
    fn directions(&self) -> impl Iterator<Item = &Vec<L::Weights<Tensor>>> {
        std::iter::once(&self.down).chain(&self.up)
    }

    fn any_weight(&self) -> &Tensor {
        self.down[0].fields().next().expect("a layer has weights")
    }
}

impl<L: Layer> Network for Stack<L> {
    fn device(&self) -> &Device {
        self.any_weight().device()
    }

    fn schedule_options(&self) -> ScheduleOptions {
        ScheduleOptions { merge: true, by_degree: L::USES_DEGREES, linear: L::IS_LINEAR }
    }

    fn multiplications(&self, schedule: &Schedule) -> u64 {
        let numbered = self.layers.iter().enumerate();
        numbered.map(|(number, layer)| layer.multiplications(schedule, number > 0)).sum()
    }

    fn fused(&self, batch: &Batch) -> Result<Tensor> {
        let weights = self.directions().flatten().flat_map(|layer| layer.fields().cloned()).collect();
        fused::encode(&self.layers, batch, weights)
    }

    fn by_layers(&self, batch: &Batch, features: usize, reference: bool) -> Result<Tensor> {
        let (dtype, device) = (self.any_weight().dtype(), self.device());
        let mut outputs = Vec::new();
        for (ordered, weights) in batch.directions.iter().zip(self.directions()) {
            let schedule = &ordered.schedule;
            let mut x = schedule.features().to_tensor(0..schedule.rows(), features, dtype, device)?;
            for (layer, weights) in self.layers.iter().zip(weights) {
                x = match reference {
                    true => layer.reference(weights, &x, schedule)?,
                    false => {
                        layer.by_edge_ops(weights, &x, schedule, &LevelEdges::levels::<L>(schedule, &x)?)?
                    }
                };
            }
            outputs.push(read_out(ordered, &x)?);
        }
        Tensor::cat(&outputs, 1)
    }
}

/// From node states to one vector per graph, in candle operations.
fn read_out(ordered: &Ordered, states: &Tensor) -> Result<Tensor> {
    let readout = &ordered.readout;
    let (device, dtype, count) = (states.device(), states.dtype(), readout.rows.len());
    let zeros = Tensor::zeros((readout.graphs(), states.dim(1)?), dtype, device)?;
    if count == 0 {
        return Ok(zeros);
    }
    let graph: Vec<u32> =
        (0..readout.graphs()).flat_map(|g| readout.rows(g).map(move |_| g as u32)).collect();
    let times = Tensor::from_slice(&readout.times, (count, 1), device)?.to_dtype(dtype)?;
    let rows =
        states.index_select(&Tensor::new(readout.rows.as_slice(), device)?, 0)?.broadcast_mul(&times)?;
    zeros.index_add(&Tensor::new(graph, device)?, &rows, 0)
}

//! Encoders: layers in one or two directions, and a read-out.

use std::sync::Arc;

use candle_core::{Result, Tensor};
use candle_nn::VarBuilder;

use crate::config::EncoderConfig;
use crate::dag::Dag;
use crate::error::GraphError;
use crate::fused;
use crate::kernels;
use crate::layers::Layer;
use crate::readout::ReadoutRows;
use crate::schedule::{Direction, Schedule, ScheduleOptions};

/// Who computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Implementation {
    /// Forward and backward passes of our own: fused loops on the CPU, kernels on a GPU.
    #[default]
    Fused,
    /// The tensor library's operations alone: the reference. Slow, and its memory and the depth of its graph grow with the
    /// number of levels, so it is not for very deep graphs.
    Plain,
    /// The operations that stand around our CUDA kernels, wherever the weights are: on a GPU it is what
    /// [`Implementation::Fused`] means, on the CPU it shows that they fit together.
    Kernels,
}

/// A batch of graphs that is ready to be encoded, in each direction that the encoder has. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Batch {
    sides: Arc<Vec<Side>>,
}

/// One direction of a batch.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) schedule: Schedule,
    pub(crate) readout: ReadoutRows,
}

impl Batch {
    /// The number of graphs.
    pub fn graphs(&self) -> usize {
        self.sides[0].readout.graphs()
    }

    /// The schedules: downward, and upward if the encoder is bidirectional.
    pub fn schedules(&self) -> impl Iterator<Item = &Schedule> {
        self.sides.iter().map(|side| &side.schedule)
    }

    pub(crate) fn sides(&self) -> &[Side] {
        &self.sides
    }
}

/// An encoder: from graphs to vectors.
///
/// ```
/// use candle_core::{DType, Device};
/// use logicvae_gnn::{Encoder, EncoderConfig, Parameters, Vocabulary};
/// let formulae = ["x1 & !x2", "x2 | x1"].map(|f| f.parse().unwrap());
/// let vocabulary = Vocabulary::new(2);
/// let parameters = Parameters::new(1);
/// let config = EncoderConfig::gcn(vocabulary.types(), 16);
/// let encoder = Encoder::new(&config, parameters.builder(DType::F32, &Device::Cpu))?;
/// let vectors = encoder.forward(&encoder.prepare(&vocabulary.graphs(&formulae)?)?)?;
/// assert_eq!(vectors.dims(), [2, 32]); // 16 downward, 16 upward
/// let gradients = vectors.sum_all()?.backward()?;
/// assert!(parameters.vars().iter().all(|(_, var)| gradients.get(var).is_some()));
/// # Ok::<(), logicvae_gnn::GraphError>(())
/// ```
#[derive(Clone)]
pub struct Encoder {
    config: EncoderConfig,
    stack: Arc<Vec<Box<dyn Layer>>>,
    /// For each direction and layer, in the order of [`Layer::parameters`].
    weights: Vec<Vec<Vec<Tensor>>>,
    implementation: Implementation,
    merge: bool,
}

impl Encoder {
    /// Makes the layers, with weights by the names `down.stack.0.own.weight` and so on.
    pub fn new(config: &EncoderConfig, vb: VarBuilder<'_>) -> std::result::Result<Self, GraphError> {
        config.check()?;
        let stack = config.stack();
        let directions: &[&str] = if config.bidirectional { &["down", "up"] } else { &["down"] };
        let mut weights = Vec::new();
        for direction in directions {
            let vb = vb.pp(direction).pp("stack");
            let layers: Result<Vec<Vec<Tensor>>> = stack
                .iter()
                .enumerate()
                .map(|(number, layer)| {
                    let vb = vb.pp(number);
                    layer
                        .parameters()
                        .iter()
                        .map(|p| vb.get_with_hints(p.shape.as_slice(), p.name, p.init))
                        .collect()
                })
                .collect();
            weights.push(layers?);
        }
        Ok(Self {
            config: config.clone(),
            stack: Arc::new(stack),
            weights,
            implementation: Implementation::Fused,
            merge: true,
        })
    }

    /// The same weights, computed by another implementation.
    pub fn with_implementation(&self, implementation: Implementation) -> Self {
        Self { implementation, ..self.clone() }
    }

    /// The same weights; equal nodes are computed once, or each by itself.
    pub fn with_merging(&self, merge: bool) -> Self {
        Self { merge, ..self.clone() }
    }

    /// The settings.
    pub fn config(&self) -> &EncoderConfig {
        &self.config
    }

    /// Orders a batch for this encoder. Graphs that do not change need this only once.
    pub fn prepare(&self, dag: &Dag) -> std::result::Result<Batch, GraphError> {
        dag.check(self.config.types, self.config.positional)?;
        let options = ScheduleOptions {
            merge: self.merge,
            by_degree: self.stack.iter().any(|layer| layer.uses_degrees()),
            linear: self.stack.iter().all(|layer| layer.is_linear()),
        };
        let directions: &[Direction] =
            if self.config.bidirectional { &[Direction::Down, Direction::Up] } else { &[Direction::Down] };
        let sides: std::result::Result<Vec<Side>, GraphError> = directions
            .iter()
            .map(|&direction| {
                let schedule = Schedule::new(dag, direction, &options)?;
                let readout = ReadoutRows::new(dag, &schedule, direction, self.config.readout);
                Ok(Side { schedule, readout })
            })
            .collect();
        Ok(Batch { sides: Arc::new(sides?) })
    }

    /// Encodes a batch: a row of [`EncoderConfig::output`] numbers for each graph. Differentiable.
    pub fn forward(&self, batch: &Batch) -> std::result::Result<Tensor, GraphError> {
        let device = self.weights[0][0][0].device();
        let implementation = match self.implementation {
            Implementation::Fused if !device.is_cpu() => Implementation::Kernels,
            other => other,
        };
        let output = match implementation {
            Implementation::Fused => {
                fused::encode(&self.stack, batch, self.weights.iter().flatten().flatten().cloned().collect())?
            }
            Implementation::Plain => {
                self.by_layers(batch, |layer, weights, x, side| layer.plain(weights, x, &side.schedule))?
            }
            Implementation::Kernels => self.by_layers(batch, |layer, weights, x, side| {
                kernels::run(layer, weights, x, &side.schedule)
            })?,
        };
        Ok(output)
    }

    /// How many multiplications the matrix products of a training step on this batch have, forward and backward: what the
    /// step would cost if nothing else took time.
    pub fn multiplications(&self, batch: &Batch) -> u64 {
        let layers = |schedule: &Schedule| -> u64 {
            self.stack
                .iter()
                .enumerate()
                .map(|(number, layer)| layer.multiplications(schedule, number > 0))
                .sum()
        };
        batch.schedules().map(layers).sum()
    }

    /// Layer after layer, direction after direction.
    fn by_layers(
        &self,
        batch: &Batch,
        run: impl Fn(&dyn Layer, &[Tensor], &Tensor, &Side) -> Result<Tensor>,
    ) -> Result<Tensor> {
        let mut outputs = Vec::new();
        for (side, weights) in batch.sides().iter().zip(&self.weights) {
            let (dtype, device) = (weights[0][0].dtype(), weights[0][0].device());
            let mut x = side.schedule.features().one_hot(
                0..side.schedule.rows(),
                self.config.features(),
                dtype,
                device,
            )?;
            for (layer, weights) in self.stack.iter().zip(weights) {
                x = run(layer.as_ref(), weights, &x, side)?;
            }
            outputs.push(read_out(side, &x)?);
        }
        Tensor::cat(&outputs, 1)
    }
}

/// Node states to one vector a graph, by the tensor library's operations.
fn read_out(side: &Side, states: &Tensor) -> Result<Tensor> {
    let readout = &side.readout;
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

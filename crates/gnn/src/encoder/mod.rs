//! Encoders: layers in one or two directions, and a readout.

mod fused;
mod stack;

use std::sync::Arc;

use candle_core::Tensor;
use candle_nn::VarBuilder;

use crate::config::{EncoderConfig, Kind};
use crate::error::GraphError;
use crate::graph::{Dag, Direction, ReadoutRows, Schedule, ScheduleOptions};
use crate::layer::{Gat, Gcn, Gru};
use stack::{Network, Stack};

/// Which code computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Implementation {
    /// The fast one: fused passes on the CPU, CUDA kernels on a GPU.
    #[default]
    Fused,
    /// The reference: candle operations only. It is slow, and its memory and the depth of its graph grow with
    /// the number of levels, so it does not suit very deep graphs.
    Reference,
    /// Matrix products and operations on edges, on any device. On a GPU this is what
    /// [`Implementation::Fused`] means; on the CPU it tests that the operations fit together.
    EdgeOps,
}

/// A batch of graphs that is ready to be encoded. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Batch {
    directions: Arc<Vec<Ordered>>,
}

/// A batch in the order of one direction.
#[derive(Debug)]
struct Ordered {
    schedule: Schedule,
    readout: ReadoutRows,
}

impl Batch {
    /// The number of graphs.
    pub fn graphs(&self) -> usize {
        self.directions[0].readout.graphs()
    }

    /// The schedules: downward and, if the encoder is bidirectional, upward.
    pub fn schedules(&self) -> impl Iterator<Item = &Schedule> {
        self.directions.iter().map(|direction| &direction.schedule)
    }
}

/// An encoder: from graphs to vectors.
///
/// ```
/// use candle_core::{DType, Device};
/// use logicvae_compute::Parameters;
/// use logicvae_gnn::{Encoder, EncoderConfig, Vocabulary};
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
    network: Arc<dyn Network>,
    implementation: Implementation,
    merge: bool,
}

impl Encoder {
    /// Creates the layers, with weights by the names `down.stack.0.own.weight` and so on.
    pub fn new(config: &EncoderConfig, vb: VarBuilder<'_>) -> Result<Self, GraphError> {
        config.check()?;
        let network: Arc<dyn Network> = match config.kind {
            Kind::Gru => Arc::new(Stack::<Gru>::new(config.gru_layers(), config.bidirectional, &vb)?),
            Kind::Gcn => Arc::new(Stack::<Gcn>::new(config.gcn_layers(), config.bidirectional, &vb)?),
            Kind::Gat => Arc::new(Stack::<Gat>::new(config.gat_layers(), config.bidirectional, &vb)?),
        };
        let implementation = Implementation::Fused;
        Ok(Self { config: config.clone(), network, implementation, merge: true })
    }

    /// The same weights with another implementation.
    pub fn with_implementation(&self, implementation: Implementation) -> Self {
        Self { implementation, ..self.clone() }
    }

    /// The same weights, with equal nodes computed once (`merge`) or each by itself.
    pub fn with_merging(&self, merge: bool) -> Self {
        Self { merge, ..self.clone() }
    }

    /// The settings.
    pub fn config(&self) -> &EncoderConfig {
        &self.config
    }

    /// Orders a batch for this encoder. Graphs that are used repeatedly need this only once.
    pub fn prepare(&self, dag: &Dag) -> Result<Batch, GraphError> {
        dag.check(self.config.types, self.config.positional)?;
        // Nodes with equal predecessors need not have equal successors.
        let merge = self.merge && !self.config.one_pass;
        let options = ScheduleOptions { merge, ..self.network.schedule_options() };
        let directions: &[Direction] =
            if self.config.bidirectional { &[Direction::Down, Direction::Up] } else { &[Direction::Down] };
        let ordered: Result<Vec<Ordered>, GraphError> = directions
            .iter()
            .map(|&direction| {
                let schedule = Schedule::new(dag, direction, &options)?;
                let readout = ReadoutRows::new(dag, &schedule, direction, self.config.readout);
                Ok(Ordered { schedule, readout })
            })
            .collect();
        Ok(Batch { directions: Arc::new(ordered?) })
    }

    /// Encodes a batch: one row of [`EncoderConfig::output`] numbers per graph. Differentiable.
    pub fn forward(&self, batch: &Batch) -> Result<Tensor, GraphError> {
        let implementation = match self.implementation {
            Implementation::Fused if !self.network.device().is_cpu() => Implementation::EdgeOps,
            other => other,
        };
        Ok(match implementation {
            Implementation::Fused => self.network.fused(batch)?,
            Implementation::Reference => self.network.by_layers(batch, self.config.features(), true)?,
            Implementation::EdgeOps => self.network.by_layers(batch, self.config.features(), false)?,
        })
    }

    /// The number of multiplications in the matrix products of a training step on this batch, forward and
    /// backward: a lower bound on the cost of the step.
    pub fn multiplications(&self, batch: &Batch) -> u64 {
        batch.schedules().map(|schedule| self.network.multiplications(schedule)).sum()
    }
}

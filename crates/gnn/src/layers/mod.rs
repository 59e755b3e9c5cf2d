//! Layers of asynchronous message passing: a node is updated from its own state of the layer below and from its
//! predecessors' states of this layer.
//!
//! Each kind of layer is a file here, with its formula, its weights, and a readable forward pass made of the tensor
//! library's operations, which is the reference. The fast forward and backward passes are in `fused`, a
//! file for each kind again; the passes by kernels that run on a GPU are in `kernels`.

mod gat;
mod gcn;
mod gru;
mod plain;

use std::fmt::Debug;

use candle_core::{Result, Tensor};
use candle_nn::Init;

use crate::fused::FusedLayer;
use crate::kernels::KernelLayer;
use crate::schedule::Schedule;

pub(crate) use plain::times;

pub use gat::{Gat, SLOPE};
pub use gcn::Gcn;
pub use gru::Gru;

/// A weight that a layer has.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name within the layer, as in PyTorch's `state_dict`.
    pub name: &'static str,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its first values.
    pub init: Init,
}

impl Parameter {
    fn uniform(name: &'static str, shape: &[usize], bound: f64) -> Self {
        Self { name, shape: shape.to_vec(), init: Init::Uniform { lo: -bound, up: bound } }
    }
}

/// One layer. It holds sizes alone; weights come as tensors in the order of [`Layer::parameters`].
pub trait Layer: FusedLayer<f32> + FusedLayer<f64> + KernelLayer + Debug + Send + Sync {
    /// The width of states.
    fn width(&self) -> usize;

    /// The weights, in the order in which passes take them.
    fn parameters(&self) -> Vec<Parameter>;

    /// Whether a node's degree enters its update.
    fn uses_degrees(&self) -> bool {
        false
    }

    /// Whether a message is linear in the sender's state.
    fn is_linear(&self) -> bool {
        false
    }

    /// How many multiplications of matrix products a training step needs, forward and backward, where the input is states
    /// (`dense`) or features, with which products are look-ups.
    fn multiplications(&self, schedule: &Schedule, dense: bool) -> u64;

    /// The reference: from `x`, a row of inputs for each row of the schedule, to a row of states for each.
    fn plain(&self, weights: &[Tensor], x: &Tensor, schedule: &Schedule) -> Result<Tensor>;
}

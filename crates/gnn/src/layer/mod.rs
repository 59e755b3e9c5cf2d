//! Layers of asynchronous message passing: a node is updated from its own state in the layer below and from
//! its predecessors' states in this layer.
//!
//! One folder per layer (`gru`, `gcn`, `gat`) contains everything about it:
//!
//! | file | content |
//! |---|---|
//! | `mod.rs` | its formula, its weights, and a readable forward pass in candle operations: the reference |
//! | `fused.rs` | the fast forward and backward passes on the CPU |
//! | `edge.rs` | the pass made of matrix products and operations on edges, which runs on a GPU |
//! | `cuda.rs` | launches of the CUDA kernels behind those operations |

pub(crate) mod edges;
pub(crate) mod gat;
pub(crate) mod gcn;
pub(crate) mod gru;
mod input;
mod reference;

use std::fmt::Debug;

use candle_core::{Result, Tensor};
use logicvae_compute::{Buffer, Initial, Real, WeightSet};

pub use gat::Gat;
pub use gcn::Gcn;
pub use gru::{Gru, GruWeights};
pub use input::LayerInput;

use crate::graph::Schedule;
use edges::LevelEdges;

/// One layer. It holds sizes only; its weights are passed to it as a struct with named fields.
pub trait Layer: Clone + Debug + Send + Sync + 'static {
    /// The weights in one of their forms: shapes, tensors, slices or gradients.
    type Weights<W: Send + Sync>: WeightSet<W> + Send + Sync;

    /// What the fused forward pass stores for the backward pass.
    type Tape<T: Real>: Tape<Self, T>;

    /// The width of states.
    fn width(&self) -> usize;

    /// Shapes and initial values of the weights.
    fn initial_weights(&self) -> Self::Weights<Initial>;

    /// Whether a node's degree enters its update.
    const USES_DEGREES: bool = false;

    /// Whether a message is linear in the sender's state.
    const IS_LINEAR: bool = false;

    /// The number of multiplications in the matrix products of a training step, forward and backward.
    /// `dense`: the input are states; products with one-hot features are look-ups and cost none.
    fn multiplications(&self, schedule: &Schedule, dense: bool) -> u64;

    /// The reference: from the inputs `x` `[rows, input]` of a schedule's rows to their states
    /// `[rows, width]`.
    fn reference(&self, weights: &Self::Weights<Tensor>, x: &Tensor, schedule: &Schedule) -> Result<Tensor>;

    /// The same by matrix products and operations on edges.
    fn by_edge_ops(
        &self,
        weights: &Self::Weights<Tensor>,
        x: &Tensor,
        schedule: &Schedule,
        levels: &[LevelEdges],
    ) -> Result<Tensor>;

    /// The weight of an edge in [`Layer::by_edge_ops`]: by default, the number of equal edges.
    fn edge_weight(_: &Schedule, _receiver: usize, _sender: usize, times: f32) -> f32 {
        times
    }

    /// The fused forward pass on the CPU.
    fn forward<T: Real>(&self, cx: &LayerContext<'_, Self, T>) -> Self::Tape<T>;
}

/// What a fused pass reads.
pub struct LayerContext<'a, L: Layer, T: Real> {
    /// The order of computation.
    pub schedule: &'a Schedule,
    /// The output of the layer below.
    pub input: LayerInput<'a, T>,
    /// The weights.
    pub weights: L::Weights<&'a [T]>,
    /// Initial states of the rows without predecessors, which otherwise receive nothing. Only [`Gru`] reads
    /// it: a decoder starts from it.
    pub initial: Option<&'a [T]>,
}

/// The memory of a fused forward pass.
pub trait Tape<L: Layer, T: Real>: Send + Sync + 'static {
    /// What the backward pass returns.
    type Gradients<'a>: Gradients<L, T>
    where
        Self: 'a;

    /// The states of all rows.
    fn states(&self) -> &[T];

    /// Goes backward through the levels, from the gradient of the states.
    fn backward<'a>(&'a self, cx: &LayerContext<'_, L, T>, grad: Buffer<T>) -> Self::Gradients<'a>;
}

/// The result of a backward pass through the levels. The remaining products can run in parallel.
pub trait Gradients<L: Layer, T: Real>: Sync {
    /// The gradients of the weights.
    fn weights(&self, cx: &LayerContext<'_, L, T>) -> L::Weights<Vec<T>>;

    /// The gradient of [`LayerContext::initial`], if it was given.
    fn initial(&self, _: &LayerContext<'_, L, T>) -> Option<&[T]> {
        None
    }

    /// The gradient of the input.
    fn input(&self, cx: &LayerContext<'_, L, T>) -> Buffer<T>;
}

/// Zeros in the shape of a weight.
fn zeros_like<T: Real>(weight: &[T]) -> Vec<T> {
    vec![T::constant(0.0); weight.len()]
}

//! Graph attention.

#[cfg(feature = "cuda")]
#[allow(unsafe_code)] // launches CUDA kernels
mod cuda;
pub(crate) mod edge;
mod fused;
mod loops;

use candle_core::{D, Result, Tensor};
use logicvae_compute::{Initial, Real, glorot, linear, named_weights, uniform_fan_in};

use super::edges::LevelEdges;
use super::reference::{add_edges, largest, run_levels};
use super::{Layer, LayerContext};
use crate::graph::Schedule;

/// The slope of LeakyReLU below zero.
pub(crate) const SLOPE: f32 = 0.2;

/// A layer of graph attention. For each head, with its own part of W and its own a:
///
/// e_v = LeakyReLU(a · 2 W_own x_v), e_w = LeakyReLU(a · (W_own x_v + W_neigh h_w)),
/// α = softmax over {v} ∪ predecessors, o = α_v W_own x_v + Σ_w α_w W_neigh h_w.
///
/// Inner layers concatenate the heads and apply ReLU; the last layer takes their mean.
#[derive(Clone, Debug)]
pub struct Gat {
    /// The width of inputs.
    pub input: usize,
    /// The number of heads.
    pub heads: usize,
    /// The width of a head.
    pub dim: usize,
    /// Whether heads are concatenated (and ReLU applied) or averaged.
    pub concat: bool,
}

named_weights! {
    /// The weights of a [`Gat`] layer.
    pub struct GatWeights {
        /// W_own: `[heads · dim, input]`.
        own: "own.weight",
        /// W_neigh: `[heads · dim, width]`.
        neighbour: "neigh.weight",
        /// a: `[heads, dim]`.
        attention: "att",
    }
}

/// LeakyReLU, differentiable.
fn leaky(x: &Tensor) -> Result<Tensor> {
    candle_nn::ops::leaky_relu(x, f64::from(SLOPE))
}

impl Layer for Gat {
    type Weights<W: Send + Sync> = GatWeights<W>;
    type Tape<T: Real> = fused::GatTape<T>;

    fn width(&self) -> usize {
        if self.concat { self.heads * self.dim } else { self.dim }
    }

    fn initial_weights(&self) -> GatWeights<Initial> {
        let (all, width) = (self.heads * self.dim, self.width());
        GatWeights {
            own: Initial::uniform(&[all, self.input], uniform_fan_in(self.input)),
            neighbour: Initial::uniform(&[all, width], uniform_fan_in(width)),
            attention: Initial::uniform(&[self.heads, self.dim], glorot(self.heads, self.dim)),
        }
    }

    fn multiplications(&self, schedule: &Schedule, dense: bool) -> u64 {
        // Each product has a gradient for both of its factors.
        let all = self.heads * self.dim;
        let own = if dense { schedule.rows() * all * self.input } else { 0 };
        3 * (own + schedule.products * all * self.width()) as u64
    }

    fn reference(&self, weights: &GatWeights<Tensor>, x: &Tensor, schedule: &Schedule) -> Result<Tensor> {
        let (k, d) = (self.heads, self.dim);
        run_levels(schedule, x, |x, _, incoming| {
            let n = x.dim(0)?;
            let own = linear(x, &weights.own, None)?.reshape((n, k, d))?;
            let score = own.broadcast_mul(&weights.attention)?.sum(D::Minus1)?; // [n, heads]
            let mut out = own.clone();
            if let Some(incoming) = incoming {
                // [edges, heads, dim]
                let messages = linear(&incoming.states, &weights.neighbour, None)?.reshape(((), k, d))?;
                let message_score = messages.broadcast_mul(&weights.attention)?.sum(D::Minus1)?;
                let receiver_score = score.index_select(&incoming.receiver, 0)?;
                let (e_own, e) = (leaky(&(&score * 2.0)?)?, leaky(&(receiver_score + message_score)?)?);
                let top = largest(&e_own, &e, &incoming.receiver)?;
                let w_own = (e_own - &top)?.exp()?;
                let w =
                    (e - top.index_select(&incoming.receiver, 0)?)?.exp()?.broadcast_mul(&incoming.times)?;
                let total = add_edges(&w_own, incoming, &w)?;
                let part = (w / total.index_select(&incoming.receiver, 0)?)?; // [edges, heads]
                let mixed = messages.broadcast_mul(&part.unsqueeze(D::Minus1)?)?;
                out = add_edges(
                    &own.broadcast_mul(&(w_own / total)?.unsqueeze(D::Minus1)?)?,
                    incoming,
                    &mixed,
                )?;
            }
            if self.concat { out.reshape((n, k * d))?.relu() } else { out.mean(1) }
        })
    }

    fn by_edge_ops(
        &self,
        weights: &GatWeights<Tensor>,
        x: &Tensor,
        _: &Schedule,
        levels: &[LevelEdges],
    ) -> Result<Tensor> {
        edge::run(self, weights, x, levels)
    }

    fn forward<T: Real>(&self, cx: &LayerContext<'_, Self, T>) -> fused::GatTape<T> {
        fused::forward(self, cx)
    }
}

//! Graph convolution.

pub(crate) mod edge;
mod fused;

use candle_core::{Result, Tensor};
use logicvae_compute::{Initial, Real, linear, named_weights, uniform_fan_in};

use super::edges::LevelEdges;
use super::reference::{add_edges, run_levels};
use super::{Layer, LayerContext};
use crate::graph::Schedule;

/// A layer of graph convolution, with d the in- plus out-degree:
///
/// h_v = ReLU( (W_own x_v + b) / (d_v + 1) + Σ_w W_neigh h_w / √((d_v + 1)(d_w + 1)) ), w over predecessors.
///
/// With `successors`, the sum is also over successors, whose states in this layer do not exist yet when v is
/// updated: they send x_w, their state in the layer below, so both widths must be equal.
#[derive(Clone, Debug)]
pub struct Gcn {
    /// The width of inputs.
    pub input: usize,
    /// The width of states.
    pub hidden: usize,
    /// Whether nodes receive their successors' inputs as well. Rows must not be merged then.
    pub successors: bool,
}

named_weights! {
    /// The weights of a [`Gcn`] layer.
    pub struct GcnWeights {
        /// W_own: `[hidden, input]`.
        own: "own.weight",
        /// b: `[hidden]`.
        bias: "own.bias",
        /// W_neigh: `[hidden, hidden]`.
        neighbour: "neigh.weight",
    }
}

impl Layer for Gcn {
    type Weights<W: Send + Sync> = GcnWeights<W>;
    type Tape<T: Real> = fused::GcnTape<T>;

    const USES_DEGREES: bool = true;
    const IS_LINEAR: bool = true;

    fn width(&self) -> usize {
        self.hidden
    }

    fn initial_weights(&self) -> GcnWeights<Initial> {
        let (input, hidden) = (uniform_fan_in(self.input), uniform_fan_in(self.hidden));
        GcnWeights {
            own: Initial::uniform(&[self.hidden, self.input], input),
            bias: Initial::uniform(&[self.hidden], input),
            neighbour: Initial::uniform(&[self.hidden, self.hidden], hidden),
        }
    }

    fn multiplications(&self, schedule: &Schedule, dense: bool) -> u64 {
        // Each product has a gradient for both of its factors.
        let own = if dense { schedule.rows() * self.hidden * self.input } else { 0 };
        let sums = schedule.products + if self.successors { schedule.rows() } else { 0 };
        3 * (own + sums * self.hidden * self.hidden) as u64
    }

    fn reference(&self, weights: &GcnWeights<Tensor>, x: &Tensor, schedule: &Schedule) -> Result<Tensor> {
        let sums = match self.successors {
            true => linear(&successor_sums(x, schedule)?, &weights.neighbour, None)?,
            false => Tensor::zeros((schedule.rows(), self.hidden), x.dtype(), x.device())?,
        };
        let both = Tensor::cat(&[x, &sums], 1)?; // [rows, input + hidden]
        run_levels(schedule, &both, |both, degree, incoming| {
            let (x, sums) = (both.narrow(1, 0, self.input)?, both.narrow(1, self.input, self.hidden)?);
            let own = linear(&x.contiguous()?, &weights.own, Some(&weights.bias))?;
            let mut out = (own.broadcast_div(degree)? + sums)?; // [n, hidden]
            if let Some(incoming) = incoming {
                let receiver_degree = degree.index_select(&incoming.receiver, 0)?;
                let factor = (&incoming.times / (receiver_degree * &incoming.degree)?.sqrt()?)?; // [edges, 1]
                let messages = linear(&incoming.states, &weights.neighbour, None)?.broadcast_mul(&factor)?;
                out = add_edges(&out, incoming, &messages)?; // messages: [edges, hidden]
            }
            out.relu()
        })
    }

    fn by_edge_ops(
        &self,
        weights: &GcnWeights<Tensor>,
        x: &Tensor,
        schedule: &Schedule,
        levels: &[LevelEdges],
    ) -> Result<Tensor> {
        edge::run(self, weights, x, schedule, levels)
    }

    fn edge_weight(schedule: &Schedule, receiver: usize, sender: usize, times: f32) -> f32 {
        times / ((schedule.degrees[receiver] + 1.0) * (schedule.degrees[sender] + 1.0)).sqrt()
    }

    fn forward<T: Real>(&self, cx: &LayerContext<'_, Self, T>) -> fused::GcnTape<T> {
        fused::forward(self, cx)
    }
}

/// What each row receives from its successors, in candle operations.
fn successor_sums(x: &Tensor, schedule: &Schedule) -> Result<Tensor> {
    let receivers = (0..schedule.rows()).flat_map(|v| schedule.entries(v).map(move |_| v as u32));
    let receivers: Vec<u32> = receivers.collect();
    let weight = |(edge, &v): (usize, &u32)| {
        Gcn::edge_weight(schedule, v as usize, schedule.sources[edge] as usize, schedule.times[edge])
    };
    let weights: Vec<f32> = receivers.iter().enumerate().map(weight).collect();
    let (edges, device) = (receivers.len(), x.device());
    let weights = Tensor::from_vec(weights, (edges, 1), device)?.to_dtype(x.dtype())?;
    let sent = x.index_select(&Tensor::from_vec(receivers, edges, device)?, 0)?.broadcast_mul(&weights)?;
    let senders = Tensor::from_slice(&schedule.sources, edges, device)?;
    x.zeros_like()?.index_add(&senders, &sent, 0)
}

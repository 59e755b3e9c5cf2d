//! Gated recurrent units.

#[cfg(feature = "cuda")]
#[allow(unsafe_code)] // launches CUDA kernels
mod cuda;
pub(crate) mod edge;
mod fused;
mod loops;

use candle_core::{Result, Tensor};
use candle_nn::ops::sigmoid;
use logicvae_compute::{GruCellWeights, Initial, Real, gru_reference, linear, named_weights, uniform_fan_in};

use super::edges::LevelEdges;
use super::reference::{add_edges, run_levels};
use super::{Layer, LayerContext};
use crate::graph::Schedule;

/// A gated recurrent unit whose hidden input is the sum of its predecessors' gated messages:
///
/// s_v = Σ_w σ(G h_w + b) ⊙ M h_w, w over predecessors;
/// r = σ(W_r x + U_r s), z = σ(W_z x + U_z s), n = tanh(W_n x + r ⊙ U_n s), each W and U with its bias;
/// h_v = (1 − z) ⊙ n + z ⊙ s.
#[derive(Clone, Debug)]
pub struct Gru {
    /// The width of inputs.
    pub input: usize,
    /// The width of states.
    pub hidden: usize,
}

named_weights! {
    /// The weights of a [`Gru`] layer.
    pub struct GruWeights {
        /// W: `[3 hidden, input]`.
        input: "cell.weight_ih",
        /// U: `[3 hidden, hidden]`.
        recurrent: "cell.weight_hh",
        /// The bias of W: `[3 hidden]`.
        input_bias: "cell.bias_ih",
        /// The bias of U: `[3 hidden]`.
        recurrent_bias: "cell.bias_hh",
        /// G: `[hidden, hidden]`.
        gate: "gate.weight",
        /// M: `[hidden, hidden]`.
        map: "map.weight",
        /// b: `[hidden]`.
        gate_bias: "gate.bias",
    }
}

impl<W> GruWeights<W> {
    /// The weights of the recurrent unit itself.
    pub fn cell(&self) -> GruCellWeights<&W> {
        GruCellWeights {
            input: &self.input,
            recurrent: &self.recurrent,
            input_bias: &self.input_bias,
            recurrent_bias: &self.recurrent_bias,
        }
    }
}

impl GruWeights<Tensor> {
    /// The messages σ(G h + b) ⊙ M h of senders with the states `h` `[n, hidden]`.
    pub fn messages(&self, h: &Tensor) -> Result<Tensor> {
        sigmoid(&linear(h, &self.gate, Some(&self.gate_bias))?)? * linear(h, &self.map, None)?
    }
}

impl Layer for Gru {
    type Weights<W: Send + Sync> = GruWeights<W>;
    type Tape<T: Real> = fused::GruTape<T>;

    fn width(&self) -> usize {
        self.hidden
    }

    fn initial_weights(&self) -> GruWeights<Initial> {
        let (h, bound) = (self.hidden, uniform_fan_in(self.hidden));
        let GruCellWeights { input, recurrent, input_bias, recurrent_bias } =
            GruCellWeights::initial(self.input, h);
        GruWeights {
            input,
            recurrent,
            input_bias,
            recurrent_bias,
            gate: Initial::uniform(&[h, h], bound),
            map: Initial::uniform(&[h, h], bound),
            gate_bias: Initial::uniform(&[h], bound),
        }
    }

    fn multiplications(&self, schedule: &Schedule, dense: bool) -> u64 {
        // Each product has a gradient for both of its factors.
        let own = if dense { schedule.rows() * 3 * self.hidden * self.input } else { 0 };
        3 * (own + (schedule.member.len() * 3 + schedule.products * 2) * self.hidden * self.hidden) as u64
    }

    fn reference(&self, weights: &GruWeights<Tensor>, x: &Tensor, schedule: &Schedule) -> Result<Tensor> {
        run_levels(schedule, x, |x, _, incoming| {
            let mut sum = Tensor::zeros((x.dim(0)?, self.hidden), x.dtype(), x.device())?;
            if let Some(incoming) = incoming {
                // [edges, hidden]
                let messages = weights.messages(&incoming.states)?.broadcast_mul(&incoming.times)?;
                sum = add_edges(&sum, incoming, &messages)?;
            }
            gru_reference(&weights.cell(), x, &sum)
        })
    }

    fn by_edge_ops(
        &self,
        weights: &GruWeights<Tensor>,
        x: &Tensor,
        _: &Schedule,
        levels: &[LevelEdges],
    ) -> Result<Tensor> {
        edge::run(self, weights, x, levels)
    }

    fn forward<T: Real>(&self, cx: &LayerContext<'_, Self, T>) -> fused::GruTape<T> {
        fused::forward(self, cx)
    }
}

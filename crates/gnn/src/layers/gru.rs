//! Gated recurrent units.

use candle_core::{Result, Tensor};
use candle_nn::ops::sigmoid;

use crate::layers::plain::{add_edges, run, times};
use crate::layers::{Layer, Parameter};
use crate::schedule::Schedule;

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

impl Layer for Gru {
    fn width(&self) -> usize {
        self.hidden
    }

    fn parameters(&self) -> Vec<Parameter> {
        let h = self.hidden;
        let bound = 1.0 / (h as f64).sqrt();
        vec![
            Parameter::uniform("cell.weight_ih", &[3 * h, self.input], bound),
            Parameter::uniform("cell.weight_hh", &[3 * h, h], bound),
            Parameter::uniform("cell.bias_ih", &[3 * h], bound),
            Parameter::uniform("cell.bias_hh", &[3 * h], bound),
            Parameter::uniform("gate.weight", &[h, h], bound),
            Parameter::uniform("map.weight", &[h, h], bound),
            Parameter::uniform("gate.bias", &[h], bound),
        ]
    }

    fn multiplications(&self, schedule: &Schedule, dense: bool) -> u64 {
        // Each product has a gradient for either factor.
        let own = if dense { schedule.rows() * 3 * self.hidden * self.input } else { 0 };
        3 * (own + (schedule.member.len() * 3 + schedule.products * 2) * self.hidden * self.hidden) as u64
    }

    fn plain(&self, weights: &[Tensor], x: &Tensor, schedule: &Schedule) -> Result<Tensor> {
        let [w_ih, w_hh, b_ih, b_hh, gate, map, gate_bias] = weights else {
            candle_core::bail!("a GRU layer has seven weights")
        };
        let h = self.hidden;
        run(schedule, x, |x, _, incoming| {
            let mut sum = Tensor::zeros((x.dim(0)?, h), x.dtype(), x.device())?;
            if let Some(incoming) = incoming {
                let gates = sigmoid(&times(&incoming.states, gate)?.broadcast_add(gate_bias)?)?;
                let messages = (gates * times(&incoming.states, map)?)?.broadcast_mul(&incoming.times)?; // [edges, hidden]
                sum = add_edges(&sum, incoming, &messages)?;
            }
            let from_input = times(x, w_ih)?.broadcast_add(b_ih)?; // [n, 3 hidden]
            let from_sum = times(&sum, w_hh)?.broadcast_add(b_hh)?; // [n, 3 hidden]
            let part = |t: &Tensor, number: usize| t.narrow(1, number * h, h);
            let r = sigmoid(&(part(&from_input, 0)? + part(&from_sum, 0)?)?)?;
            let z = sigmoid(&(part(&from_input, 1)? + part(&from_sum, 1)?)?)?;
            let n = (part(&from_input, 2)? + (r * part(&from_sum, 2)?)?)?.tanh()?;
            // (1 - z) n + z s
            &n + (z * (sum - &n)?)?
        })
    }
}

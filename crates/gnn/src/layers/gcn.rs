//! Graph convolution.

use candle_core::{Result, Tensor};

use crate::layers::plain::{add_edges, run, times};
use crate::layers::{Layer, Parameter};
use crate::schedule::Schedule;

/// A layer of graph convolution, with d the in- plus out-degree:
///
/// h_v = ReLU( (W_own x_v + b) / (d_v + 1) + Σ_w W_neigh h_w / √((d_v + 1)(d_w + 1)) ), w over predecessors.
#[derive(Clone, Debug)]
pub struct Gcn {
    /// The width of inputs.
    pub input: usize,
    /// The width of states.
    pub hidden: usize,
}

impl Layer for Gcn {
    fn width(&self) -> usize {
        self.hidden
    }

    fn parameters(&self) -> Vec<Parameter> {
        let bound = |fan: usize| 1.0 / (fan as f64).sqrt();
        vec![
            Parameter::uniform("own.weight", &[self.hidden, self.input], bound(self.input)),
            Parameter::uniform("own.bias", &[self.hidden], bound(self.input)),
            Parameter::uniform("neigh.weight", &[self.hidden, self.hidden], bound(self.hidden)),
        ]
    }

    fn uses_degrees(&self) -> bool {
        true
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn multiplications(&self, schedule: &Schedule, dense: bool) -> u64 {
        // Each product has a gradient for either factor.
        let own = if dense { schedule.rows() * self.hidden * self.input } else { 0 };
        3 * (own + schedule.products * self.hidden * self.hidden) as u64
    }

    fn plain(&self, weights: &[Tensor], x: &Tensor, schedule: &Schedule) -> Result<Tensor> {
        let [own, bias, neigh] = weights else { candle_core::bail!("a GCN layer has three weights") };
        run(schedule, x, |x, degree, incoming| {
            let mut out = times(x, own)?.broadcast_add(bias)?.broadcast_div(degree)?; // [n, hidden]
            if let Some(incoming) = incoming {
                let receiver_degree = degree.index_select(&incoming.receiver, 0)?;
                let factor = (&incoming.times / (receiver_degree * &incoming.degree)?.sqrt()?)?; // [edges, 1]
                let messages = times(&incoming.states, neigh)?.broadcast_mul(&factor)?; // [edges, hidden]
                out = add_edges(&out, incoming, &messages)?;
            }
            out.relu()
        })
    }
}

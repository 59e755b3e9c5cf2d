//! Graph attention.

use candle_core::{D, Result, Tensor};

use crate::layers::plain::{add_edges, largest, run, times};
use crate::layers::{Layer, Parameter};
use crate::schedule::Schedule;

/// The slope of LeakyReLU below zero.
pub const SLOPE: f32 = 0.2;

/// A layer of graph attention. For each head, with its own part of W and its own a:
///
/// e_v = LeakyReLU(a · 2 W_own x_v), e_w = LeakyReLU(a · (W_own x_v + W_neigh h_w)), α = softmax over {v} ∪ predecessors,
/// o = α_v W_own x_v + Σ_w α_w W_neigh h_w.
///
/// Inner layers concatenate the heads and apply ReLU; the last takes their mean.
#[derive(Clone, Debug)]
pub struct Gat {
    /// The width of inputs.
    pub input: usize,
    /// The number of heads.
    pub heads: usize,
    /// The width of a head.
    pub dim: usize,
    /// Concatenate heads (and apply ReLU), or take their mean.
    pub concat: bool,
}

impl Gat {
    /// The width of states.
    pub(crate) fn output(&self) -> usize {
        if self.concat { self.heads * self.dim } else { self.dim }
    }
}

/// LeakyReLU, differentiable.
fn leaky(x: &Tensor) -> Result<Tensor> {
    candle_nn::ops::leaky_relu(x, f64::from(SLOPE))
}

impl Layer for Gat {
    fn width(&self) -> usize {
        self.output()
    }

    fn parameters(&self) -> Vec<Parameter> {
        let (all, width) = (self.heads * self.dim, self.output());
        vec![
            Parameter::uniform("own.weight", &[all, self.input], 1.0 / (self.input as f64).sqrt()),
            Parameter::uniform("neigh.weight", &[all, width], 1.0 / (width as f64).sqrt()),
            Parameter::uniform("att", &[self.heads, self.dim], (6.0 / (self.heads + self.dim) as f64).sqrt()),
        ]
    }

    fn multiplications(&self, schedule: &Schedule, dense: bool) -> u64 {
        // Each product has a gradient for either factor.
        let all = self.heads * self.dim;
        let own = if dense { schedule.rows() * all * self.input } else { 0 };
        3 * (own + schedule.products * all * self.output()) as u64
    }

    fn plain(&self, weights: &[Tensor], x: &Tensor, schedule: &Schedule) -> Result<Tensor> {
        let [own, neigh, att] = weights else { candle_core::bail!("a GAT layer has three weights") };
        let (k, d) = (self.heads, self.dim);
        run(schedule, x, |x, _, incoming| {
            let n = x.dim(0)?;
            let own = times(x, own)?.reshape((n, k, d))?;
            let score = own.broadcast_mul(att)?.sum(D::Minus1)?; // [n, heads]
            let mut out = own.clone();
            if let Some(incoming) = incoming {
                let messages = times(&incoming.states, neigh)?.reshape(((), k, d))?; // [edges, heads, dim]
                let message_score = messages.broadcast_mul(att)?.sum(D::Minus1)?;
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
}

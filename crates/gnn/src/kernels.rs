//! Layers made of the tensor library's matrix products and our operations on edges: what runs on a GPU.

use candle_core::{Result, Tensor};

use crate::layers::{Gat, Gcn, Gru, Layer, times};
use crate::ops::{Csr, attention, gated_sum, gather, gru_gates};
use crate::schedule::Schedule;

/// A level's place and the edges into it, whose senders are all rows before it.
pub struct LevelEdges {
    start: usize,
    count: usize,
    /// None where no edge ends.
    edges: Option<Csr>,
}

/// A layer by our operations on edges.
pub trait KernelLayer {
    /// An edge's weight: the number of equal edges, unless the layer says otherwise.
    fn edge_weight(&self, schedule: &Schedule, _receiver: usize, entry: usize) -> f32 {
        schedule.times[entry]
    }

    /// From inputs `[rows, input]` to states `[rows, width]`.
    fn by_kernels(
        &self,
        weights: &[Tensor],
        x: &Tensor,
        schedule: &Schedule,
        levels: &[LevelEdges],
    ) -> Result<Tensor>;
}

/// Runs a layer level by level on the device of its input.
pub(crate) fn run(layer: &dyn Layer, weights: &[Tensor], x: &Tensor, schedule: &Schedule) -> Result<Tensor> {
    let levels: Result<Vec<LevelEdges>> = schedule
        .levels()
        .iter()
        .map(|level| {
            let rows = level.rows.clone();
            let first = schedule.entries(rows.start).start;
            let entries = first..schedule.entries(rows.end - 1).end;
            let edges = if entries.is_empty() {
                None
            } else {
                let offsets: Vec<u32> =
                    schedule.offsets[rows.start..=rows.end].iter().map(|&o| o - first as u32).collect();
                let weights: Vec<f32> = rows
                    .clone()
                    .flat_map(|v| schedule.entries(v).map(move |e| layer.edge_weight(schedule, v, e)))
                    .collect();
                Some(Csr::new(&offsets, &schedule.sources[entries], &weights, rows.start, x.device())?)
            };
            Ok(LevelEdges { start: rows.start, count: rows.len(), edges })
        })
        .collect();
    layer.by_kernels(weights, x, schedule, &levels?)
}

/// Rows of all levels so far.
fn join(before: Option<Tensor>, level: Tensor) -> Result<Tensor> {
    match before {
        None => Ok(level),
        Some(before) => Tensor::cat(&[before, level], 0),
    }
}

fn all(states: Option<Tensor>) -> Result<Tensor> {
    states.ok_or_else(|| candle_core::Error::Msg("a schedule without levels".into()))
}

impl KernelLayer for Gcn {
    fn edge_weight(&self, schedule: &Schedule, receiver: usize, entry: usize) -> f32 {
        let sender = schedule.sources[entry] as usize;
        schedule.times[entry] / ((schedule.degrees[receiver] + 1.0) * (schedule.degrees[sender] + 1.0)).sqrt()
    }

    fn by_kernels(
        &self,
        weights: &[Tensor],
        x: &Tensor,
        schedule: &Schedule,
        levels: &[LevelEdges],
    ) -> Result<Tensor> {
        let [own, bias, neigh] = weights else { candle_core::bail!("a GCN layer has three weights") };
        let degrees: Vec<f32> = schedule.degrees.iter().map(|d| d + 1.0).collect();
        let degrees = Tensor::from_vec(degrees, (schedule.rows(), 1), x.device())?.to_dtype(x.dtype())?;
        let own = times(x, own)?.broadcast_add(bias)?.broadcast_div(&degrees)?;
        let mut states: Option<Tensor> = None;
        for level in levels {
            let mut out = own.narrow(0, level.start, level.count)?;
            if let (Some(before), Some(edges)) = (&states, &level.edges) {
                // The sum first: on a GPU a product of receivers is as quick as one of senders, and no list of messages is kept.
                out = (out + times(&gather(before, edges)?, neigh)?)?;
            }
            states = Some(join(states, out.relu()?)?);
        }
        all(states)
    }
}

impl KernelLayer for Gru {
    fn by_kernels(
        &self,
        weights: &[Tensor],
        x: &Tensor,
        _: &Schedule,
        levels: &[LevelEdges],
    ) -> Result<Tensor> {
        let [w_ih, w_hh, b_ih, b_hh, gate, map, gate_bias] = weights else {
            candle_core::bail!("a GRU layer has seven weights")
        };
        let from_input = times(x, w_ih)?.broadcast_add(b_ih)?; // [rows, 3 hidden]
        let gate_map = Tensor::cat(&[gate, map], 0)?; // [2 hidden, hidden]
        let bias = Tensor::cat(&[gate_bias, &gate_bias.zeros_like()?], 0)?;
        let (mut states, mut gated): (Option<Tensor>, Option<Tensor>) = (None, None);
        for level in levels {
            let sum = match (&gated, &level.edges) {
                (Some(gated), Some(edges)) => gated_sum(gated, edges)?,
                _ => Tensor::zeros((level.count, self.hidden), x.dtype(), x.device())?,
            };
            let from_sum = times(&sum, w_hh)?.broadcast_add(b_hh)?;
            let state = gru_gates(&from_input.narrow(0, level.start, level.count)?, &from_sum, &sum)?;
            gated = Some(join(gated, times(&state, &gate_map)?.broadcast_add(&bias)?)?);
            states = Some(join(states, state)?);
        }
        all(states)
    }
}

impl KernelLayer for Gat {
    fn by_kernels(
        &self,
        weights: &[Tensor],
        x: &Tensor,
        _: &Schedule,
        levels: &[LevelEdges],
    ) -> Result<Tensor> {
        let [own, neigh, att] = weights else { candle_core::bail!("a GAT layer has three weights") };
        let own = times(x, own)?; // [rows, heads · dim]
        let (mut states, mut messages): (Option<Tensor>, Option<Tensor>) = (None, None);
        for level in levels {
            let mut out = own.narrow(0, level.start, level.count)?;
            if let (Some(messages), Some(edges)) = (&messages, &level.edges) {
                out = attention(&out, messages, att, edges)?;
            }
            let state = if self.concat {
                out.relu()?
            } else {
                out.reshape((level.count, self.heads, self.dim))?.mean(1)?
            };
            messages = Some(join(messages, times(&state, neigh)?)?);
            states = Some(join(states, state)?);
        }
        all(states)
    }
}

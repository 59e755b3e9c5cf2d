//! The GCN layer as matrix products and sums over edges: what runs on a GPU.

use candle_core::{Result, Tensor};
use logicvae_compute::linear;

use super::{Gcn, GcnWeights};
use crate::graph::Schedule;
use crate::layer::edges::{LevelEdges, all_edges, all_rows, append_rows, gather};

/// The states of all rows.
pub(super) fn run(
    layer: &Gcn,
    weights: &GcnWeights<Tensor>,
    x: &Tensor,
    schedule: &Schedule,
    levels: &[LevelEdges],
) -> Result<Tensor> {
    let degrees: Vec<f32> = schedule.degrees.iter().map(|d| d + 1.0).collect();
    let degrees = Tensor::from_vec(degrees, (schedule.rows(), 1), x.device())?.to_dtype(x.dtype())?;
    let mut own = linear(x, &weights.own, Some(&weights.bias))?.broadcast_div(&degrees)?;
    if layer.successors {
        let edges = all_edges::<Gcn>(schedule, x)?.reversed();
        own = (own + linear(&gather(x, &edges)?, &weights.neighbour, None)?)?;
    }
    let mut states: Option<Tensor> = None;
    for level in levels {
        let mut out = own.narrow(0, level.start, level.count)?;
        if let (Some(before), Some(edges)) = (&states, &level.edges) {
            // Sum first: on a GPU, multiplying receivers is as fast as multiplying senders, and no list of
            // messages is stored.
            out = (out + linear(&gather(before, edges)?, &weights.neighbour, None)?)?;
        }
        states = Some(append_rows(states, out.relu()?)?);
    }
    all_rows(states)
}

//! What the reference passes share: a loop over levels, with tensors that have one row per edge.

use candle_core::{D, Result, Tensor};

use crate::graph::Schedule;

/// The edges into a level.
pub(super) struct Incoming {
    /// The predecessor's state of each edge: `[edges, width]`.
    pub(super) states: Tensor,
    /// The receiver's index within the level: `[edges]`.
    pub(super) receiver: Tensor,
    /// The number of equal edges that each edge stands for: `[edges, 1]`.
    pub(super) times: Tensor,
    /// The predecessor's degree plus one: `[edges, 1]`.
    pub(super) degree: Tensor,
}

/// Computes one level after another. `update` receives a level's inputs `[n, input]`, its degrees plus one
/// `[n, 1]`, and its edges, if there are any.
pub(super) fn run_levels(
    schedule: &Schedule,
    x: &Tensor,
    update: impl Fn(&Tensor, &Tensor, Option<&Incoming>) -> Result<Tensor>,
) -> Result<Tensor> {
    let (device, dtype) = (x.device(), x.dtype());
    let column = |values: Vec<f32>| -> Result<Tensor> {
        let count = values.len();
        Tensor::from_vec(values, (count, 1), device)?.to_dtype(dtype)
    };
    let mut done: Option<Tensor> = None;
    for level in schedule.levels() {
        let rows = level.rows.clone();
        let x = x.narrow(0, rows.start, rows.len())?;
        let degree = column(rows.clone().map(|v| schedule.degrees[v] + 1.0).collect())?;
        let edges = schedule.entries(rows.start).start..schedule.entries(rows.end - 1).end;
        let incoming = match &done {
            Some(states) if !edges.is_empty() => {
                let sources = &schedule.sources[edges.clone()];
                let receivers =
                    rows.clone().flat_map(|v| schedule.entries(v).map(move |_| (v - rows.start) as u32));
                Some(Incoming {
                    states: states.index_select(&Tensor::new(sources, device)?, 0)?,
                    receiver: Tensor::new(receivers.collect::<Vec<u32>>(), device)?,
                    times: column(schedule.times[edges].to_vec())?,
                    degree: column(sources.iter().map(|&s| schedule.degrees[s as usize] + 1.0).collect())?,
                })
            }
            _ => None,
        };
        let states = update(&x, &degree, incoming.as_ref())?;
        done = Some(match done {
            None => states,
            Some(before) => Tensor::cat(&[before, states], 0)?,
        });
    }
    done.ok_or_else(|| candle_core::Error::Msg("a schedule without levels".into()))
}

/// Adds the row of each edge to its receiver's row.
pub(super) fn add_edges(to: &Tensor, incoming: &Incoming, rows: &Tensor) -> Result<Tensor> {
    to.index_add(&incoming.receiver, &rows.contiguous()?, 0)
}

/// The maximum of a receiver's own score and those of its edges, for each head. It is detached, since softmax
/// does not change when a constant is subtracted.
pub(super) fn largest(own: &Tensor, edges: &Tensor, receiver: &Tensor) -> Result<Tensor> {
    let f32_rows = |t: &Tensor| t.detach().to_dtype(candle_core::DType::F32)?.to_vec2::<f32>();
    let mut top = f32_rows(own)?;
    for (edge, receiver) in f32_rows(edges)?.iter().zip(receiver.to_vec1::<u32>()?) {
        for (top, &score) in top[receiver as usize].iter_mut().zip(edge) {
            *top = top.max(score);
        }
    }
    let (rows, heads) = (own.dim(0)?, own.dim(D::Minus1)?);
    Tensor::from_vec(top.concat(), (rows, heads), own.device())?.to_dtype(own.dtype())
}

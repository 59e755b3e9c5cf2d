//! Differentiable operations on the edges of a graph that candle lacks, for the CPU and, with the feature
//! `cuda`, for GPUs.
//!
//! On a GPU they are our own kernels (`src/cuda/kernels.cu`). On the CPU they are plain loops, which the
//! kernels are tested against; encoders on the CPU use the fused passes instead.

mod csr;
#[cfg(feature = "cuda")]
#[allow(unsafe_code)] // launches CUDA kernels
pub(super) mod cuda;
mod gather;

use candle_core::{Layout, Result, Tensor};
use logicvae_compute::with_slices;

pub use csr::Csr;
pub(super) use csr::Grouped;
pub use gather::gather;
pub(super) use gather::gather_loop;

use crate::graph::Schedule;
use crate::layer::Layer;

/// The edges of one end as slices.
#[derive(Clone, Copy)]
pub(super) struct EdgeSlices<'a> {
    pub(super) offsets: &'a [u32],
    pub(super) others: &'a [u32],
    pub(super) weights: &'a [f32],
}

impl EdgeSlices<'_> {
    pub(super) fn groups(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The edges of a group: index, other end, weight.
    pub(super) fn group(&self, group: usize) -> impl Iterator<Item = (usize, usize, f32)> + '_ {
        let range = self.offsets[group] as usize..self.offsets[group + 1] as usize;
        range.map(|e| (e, self.others[e] as usize, self.weights[e]))
    }
}

impl Grouped {
    /// Runs `work` on the edges as slices.
    pub(super) fn on_cpu<R>(&self, work: impl FnOnce(EdgeSlices<'_>) -> Result<R>) -> Result<R> {
        with_slices(&[&self.offsets, &self.others], |ends| {
            with_slices(&[&self.weights], |weights| {
                work(EdgeSlices { offsets: ends[0], others: ends[1], weights: weights[0] })
            })
        })
    }
}

/// Runs `$work` on f32 or f64 storages and wraps what it returns.
macro_rules! by_type {
    ($first:expr, |$t:ident| $work:expr) => {
        match $first {
            candle_core::CpuStorage::F32(_) => {
                type $t = f32;
                candle_core::CpuStorage::F32($work)
            }
            candle_core::CpuStorage::F64(_) => {
                type $t = f64;
                candle_core::CpuStorage::F64($work)
            }
            _ => candle_core::bail!("operations on edges need f32 or f64 tensors"),
        }
    };
}
pub(super) use by_type;

pub(super) fn columns(layout: &Layout) -> usize {
    layout.dims()[1]
}

/// Checks the shape of an operation's argument.
pub(super) fn expect_shape(op: &str, x: &Tensor, rows: usize, columns: Option<usize>) -> Result<()> {
    let (found_rows, found_columns) = x.dims2()?;
    if found_rows != rows || columns.is_some_and(|c| c != found_columns) {
        let columns = columns.map_or("any number of".to_owned(), |c| c.to_string());
        candle_core::bail!(
            "{op}: an argument has {found_rows} rows and {found_columns} columns, but {rows} rows and \
             {columns} columns are expected"
        );
    }
    Ok(())
}

/// The gradients of the three arguments of an operation.
pub(super) type ThreeGradients = (Option<Tensor>, Option<Tensor>, Option<Tensor>);

/// Splits a flat tensor into three of these shapes.
pub(super) fn split_gradients(all: &Tensor, like: [&Tensor; 3]) -> Result<ThreeGradients> {
    let mut start = 0;
    let mut next = |like: &Tensor| {
        let part = all.narrow(0, start, like.elem_count())?.reshape(like.shape())?;
        start += like.elem_count();
        Ok::<_, candle_core::Error>(Some(part))
    };
    Ok((next(like[0])?, next(like[1])?, next(like[2])?))
}

/// The rows of a level and the edges into it. All rows of earlier levels are senders.
pub struct LevelEdges {
    pub(super) start: usize,
    pub(super) count: usize,
    /// `None` if no edge ends in this level.
    pub(super) edges: Option<Csr>,
}

impl LevelEdges {
    /// The levels of a schedule, with the edge weights of a layer.
    pub(crate) fn levels<L: Layer>(schedule: &Schedule, x: &Tensor) -> Result<Vec<Self>> {
        let level_edges = |rows: std::ops::Range<usize>| -> Result<Self> {
            let first = schedule.entries(rows.start).start;
            let entries = first..schedule.entries(rows.end - 1).end;
            let mut edges = None;
            if !entries.is_empty() {
                let offsets: Vec<u32> =
                    schedule.offsets[rows.start..=rows.end].iter().map(|&o| o - first as u32).collect();
                let weight = |v: usize, e: usize| {
                    L::edge_weight(schedule, v, schedule.sources[e] as usize, schedule.times[e])
                };
                let weights: Vec<f32> =
                    rows.clone().flat_map(|v| schedule.entries(v).map(move |e| weight(v, e))).collect();
                let sources = &schedule.sources[entries];
                edges = Some(Csr::new(&offsets, sources, &weights, rows.start, x.device())?);
            }
            Ok(Self { start: rows.start, count: rows.len(), edges })
        };
        schedule.levels().iter().map(|level| level_edges(level.rows.clone())).collect()
    }
}

/// All edges of a schedule, with the edge weights of a layer.
pub(super) fn all_edges<L: Layer>(schedule: &Schedule, x: &Tensor) -> Result<Csr> {
    let weight =
        |v: usize, e: usize| L::edge_weight(schedule, v, schedule.sources[e] as usize, schedule.times[e]);
    let rows = 0..schedule.rows();
    let weights: Vec<f32> = rows.flat_map(|v| schedule.entries(v).map(move |e| weight(v, e))).collect();
    Csr::new(&schedule.offsets, &schedule.sources, &weights, schedule.rows(), x.device())
}

/// Appends the rows of a level to those of all levels before it.
pub(super) fn append_rows(before: Option<Tensor>, level: Tensor) -> Result<Tensor> {
    match before {
        None => Ok(level),
        Some(before) => Tensor::cat(&[before, level], 0),
    }
}

/// The states of all levels.
pub(super) fn all_rows(states: Option<Tensor>) -> Result<Tensor> {
    states.ok_or_else(|| candle_core::Error::Msg("a schedule without levels".into()))
}

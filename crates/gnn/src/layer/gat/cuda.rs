//! Launches of the CUDA kernels of the GAT layer.

use candle_core::backend::BackendStorage;
use candle_core::cuda::WrapErr;
use candle_core::cuda::cudarc::driver::{CudaSlice, CudaView, LaunchConfig, PushKernelArg};
use candle_core::{CudaDevice, CudaStorage, Result, Tensor};

use super::loops::Heads;
use crate::layer::edges::Csr;
use crate::layer::edges::cuda::{Numbers, WARP, by_warp, count, launch, view, with_edges, with_view, wrap};

/// Scores and weights of an attention, for its result and for its gradient.
struct Attended {
    own_scores: CudaSlice<f32>,
    message_scores: CudaSlice<f32>,
    own_weights: CudaSlice<f32>,
    weights: CudaSlice<f32>,
    out: CudaSlice<f32>,
}

fn attend(
    device: &CudaDevice,
    edges: &Csr,
    size: Heads,
    own: &CudaView<'_, f32>,
    messages: &CudaView<'_, f32>,
    att: &CudaView<'_, f32>,
) -> Result<Attended> {
    let (receivers, senders) = (edges.receivers(), edges.senders());
    let (k, d) = (count(size.heads)?, count(size.dim)?);
    let mut attended = Attended {
        own_scores: device.alloc_zeros(receivers * size.heads)?,
        message_scores: device.alloc_zeros(senders * size.heads)?,
        own_weights: device.alloc_zeros(receivers * size.heads)?,
        weights: device.alloc_zeros(edges.forward.others.elem_count() * size.heads)?,
        out: device.alloc_zeros(receivers * size.heads * size.dim)?,
    };
    for (rows, x, to) in
        [(receivers, own, &mut attended.own_scores), (senders, messages, &mut attended.message_scores)]
    {
        let n = count(rows)?;
        launch!(device, "attention_scores", by_warp(rows * size.heads), &n, &k, &d, x, att, to);
    }
    let n = count(receivers)?;
    with_edges(&edges.forward, |offsets, sources, times| {
        launch!(
            device,
            "attention_forward",
            by_warp(receivers * size.heads),
            &n,
            &k,
            &d,
            &offsets,
            &sources,
            &times,
            own,
            messages,
            &attended.own_scores,
            &attended.message_scores,
            &mut attended.own_weights,
            &mut attended.weights,
            &mut attended.out,
        );
        Ok(())
    })?;
    Ok(attended)
}

pub(super) fn attention(
    edges: &Csr,
    size: Heads,
    own: Numbers<'_>,
    messages: Numbers<'_>,
    att: Numbers<'_>,
) -> Result<CudaStorage> {
    let device = own.0.device();
    let (own, messages, att) = (view::<f32>(own)?, view::<f32>(messages)?, view::<f32>(att)?);
    Ok(wrap(attend(device, edges, size, &own, &messages, &att)?.out, device))
}

/// The gradients of own, of messages and of att, one after another.
pub(super) fn attention_gradient(
    edges: &Csr,
    size: Heads,
    own: Numbers<'_>,
    messages: Numbers<'_>,
    att: &Tensor,
    grad: Numbers<'_>,
) -> Result<CudaStorage> {
    let device = own.0.device();
    let (receivers, senders, all) = (edges.receivers(), edges.senders(), size.heads * size.dim);
    let (k, d) = (count(size.heads)?, count(size.dim)?);
    let (own, messages, grad) = (view::<f32>(own)?, view::<f32>(messages)?, view::<f32>(grad)?);
    let mut out = device.alloc_zeros::<f32>((receivers + senders) * all + all)?;
    with_view::<f32, _>(att, |att| {
        let attended = attend(device, edges, size, &own, &messages, &att)?;
        let mut grad_own_scores = device.alloc_zeros::<f32>(receivers * size.heads)?;
        let mut grad_message_scores = device.alloc_zeros::<f32>(senders * size.heads)?;
        let mut grad_edges = device.alloc_zeros::<f32>(edges.forward.others.elem_count() * size.heads)?;
        let (mut to_own, mut rest) = out.split_at_mut(receivers * all);
        let (mut to_messages, mut to_att) = rest.split_at_mut(senders * all);
        let n = count(receivers)?;
        with_edges(&edges.forward, |offsets, sources, _| {
            launch!(
                device,
                "attention_backward_receivers",
                by_warp(receivers * size.heads),
                &n,
                &k,
                &d,
                &offsets,
                &sources,
                &own,
                &messages,
                &att,
                &attended.own_scores,
                &attended.message_scores,
                &attended.own_weights,
                &attended.weights,
                &grad,
                &mut to_own,
                &mut grad_own_scores,
                &mut grad_edges,
            );
            Ok(())
        })?;
        let rows = count(senders)?;
        with_edges(&edges.backward, |offsets, targets, _| {
            with_view::<u32, _>(&edges.backward.edges, |numbers| {
                launch!(
                    device,
                    "attention_backward_messages",
                    by_warp(senders * size.heads),
                    &rows,
                    &k,
                    &d,
                    &offsets,
                    &targets,
                    &numbers,
                    &attended.weights,
                    &grad_edges,
                    &att,
                    &grad,
                    &mut grad_message_scores,
                    &mut to_messages,
                );
                Ok(())
            })
        })?;
        // A block of 32 columns by 8 rows.
        let config = LaunchConfig {
            grid_dim: (count(all)?.div_ceil(WARP), 1, 1),
            block_dim: (WARP, 8, 1),
            shared_mem_bytes: WARP * 8 * size_of::<f32>() as u32,
        };
        launch!(device, "attention_backward_att", config, &n, &k, &d, &own, &grad_own_scores, &mut to_att);
        launch!(
            device,
            "attention_backward_att",
            config,
            &rows,
            &k,
            &d,
            &messages,
            &grad_message_scores,
            &mut to_att
        );
        Ok(())
    })?;
    Ok(wrap(out, device))
}

//! The operations on a GPU: launches of the kernels in `kernels.cu`, which say what each computes and how it is launched.

use candle_core::backend::BackendStorage;
use candle_core::cuda::WrapErr;
use candle_core::cuda::cudarc::driver::{CudaSlice, CudaView, LaunchConfig, PushKernelArg};
use candle_core::cuda_backend::CudaDType;
use candle_core::{CudaDevice, CudaStorage, Layout, Result, Storage, Tensor};

use super::cpu::Heads;
use super::csr::{Csr, Grouped};

/// Compiled by `build.rs`.
const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));
/// candle keeps modules by name; the version keeps two versions of this crate in one program apart.
const MODULE: &str = concat!("logicvae-gnn-", env!("CARGO_PKG_VERSION"));
const BLOCK: u32 = 256;
const WARP: u32 = 32;

/// A tensor's numbers and where they stand.
type Numbers<'a> = (&'a CudaStorage, &'a Layout);

fn view<'a, T: CudaDType>((storage, layout): Numbers<'a>) -> Result<CudaView<'a, T>> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(storage.as_cuda_slice::<T>()?.slice(start..end)),
        None => candle_core::bail!("operations on edges take contiguous tensors"),
    }
}

/// Runs `work` with a tensor's numbers.
fn with_view<T: CudaDType, R>(tensor: &Tensor, work: impl FnOnce(CudaView<'_, T>) -> Result<R>) -> Result<R> {
    let (storage, layout) = tensor.storage_and_layout();
    match &*storage {
        Storage::Cuda(storage) => work(view((storage, layout))?),
        _ => candle_core::bail!("edges and tensors are on different devices"),
    }
}

/// Runs `work` with a group's offsets, other ends and weights.
fn with_edges<R>(
    edges: &Grouped,
    work: impl FnOnce(CudaView<'_, u32>, CudaView<'_, u32>, CudaView<'_, f32>) -> Result<R>,
) -> Result<R> {
    with_view(&edges.offsets, |offsets| {
        with_view(&edges.others, |others| with_view(&edges.weights, |weights| work(offsets, others, weights)))
    })
}

/// One thread for each of `elements`.
fn by_element(elements: usize) -> LaunchConfig {
    LaunchConfig {
        grid_dim: ((elements as u32).div_ceil(BLOCK), 1, 1),
        block_dim: (BLOCK, 1, 1),
        shared_mem_bytes: 0,
    }
}

/// One warp for each of `items`.
fn by_warp(items: usize) -> LaunchConfig {
    by_element(items * WARP as usize)
}

/// Launches a kernel with these arguments, in this order.
macro_rules! launch {
    ($device:expr, $name:expr, $config:expr, $($argument:expr),+ $(,)?) => {{
        let function = $device.get_or_load_custom_func($name, MODULE, PTX)?;
        let mut builder = function.builder();
        $(builder.arg($argument);)+
        // SAFETY: the arguments have the types and, by the checks of the operations, the lengths that the kernel reads and
        // writes; outputs are buffers of our own.
        unsafe { builder.launch($config) }.w()?;
    }};
}

fn wrap(slice: CudaSlice<f32>, device: &CudaDevice) -> CudaStorage {
    CudaStorage::wrap_cuda_slice(slice, device.clone())
}

/// A sum over the edges of every group, of rows of `width` numbers.
fn sum(kernel: &str, edges: &Grouped, width: usize, x: Numbers<'_>) -> Result<CudaStorage> {
    let device = x.0.device();
    let (n, w) = (edges.groups as u32, width as u32);
    let mut out = device.alloc_zeros::<f32>(edges.groups * width)?;
    let x = view::<f32>(x)?;
    with_edges(edges, |offsets, sources, weights| {
        let config = by_element(edges.groups * width);
        launch!(device, kernel, config, &n, &w, &offsets, &sources, &weights, &x, &mut out);
        Ok(())
    })?;
    Ok(wrap(out, device))
}

pub(super) fn gather(edges: &Grouped, width: usize, x: Numbers<'_>) -> Result<CudaStorage> {
    sum("csr_gather", edges, width, x)
}

pub(super) fn gated_sum(edges: &Grouped, width: usize, gated: Numbers<'_>) -> Result<CudaStorage> {
    sum("gated_sum_forward", edges, width, gated)
}

/// `edges` grouped by sender.
pub(super) fn gated_sum_gradient(
    edges: &Grouped,
    width: usize,
    gated: Numbers<'_>,
    grad: Numbers<'_>,
) -> Result<CudaStorage> {
    let device = gated.0.device();
    let (rows, w) = (edges.groups as u32, width as u32);
    let mut out = device.alloc_zeros::<f32>(edges.groups * 2 * width)?;
    let (gated, grad) = (view::<f32>(gated)?, view::<f32>(grad)?);
    with_edges(edges, |offsets, targets, weights| {
        let config = by_element(edges.groups * width);
        launch!(
            device,
            "gated_sum_backward",
            config,
            &rows,
            &w,
            &offsets,
            &targets,
            &weights,
            &gated,
            &grad,
            &mut out
        );
        Ok(())
    })?;
    Ok(wrap(out, device))
}

pub(super) fn gru_gates(gi: Numbers<'_>, gh: Numbers<'_>, h: Numbers<'_>) -> Result<CudaStorage> {
    let device = gi.0.device();
    let (rows, width) = h.1.shape().dims2()?;
    let (n, w) = (rows as u32, width as u32);
    let mut out = device.alloc_zeros::<f32>(rows * width)?;
    let (gi, gh, h) = (view::<f32>(gi)?, view::<f32>(gh)?, view::<f32>(h)?);
    launch!(device, "gru_gates_forward", by_element(rows * width), &n, &w, &gi, &gh, &h, &mut out);
    Ok(wrap(out, device))
}

/// The gradients of gi, of gh and of h, one after another.
pub(super) fn gru_gates_gradient(
    gi: Numbers<'_>,
    gh: Numbers<'_>,
    h: &Tensor,
    grad: Numbers<'_>,
) -> Result<CudaStorage> {
    let device = gi.0.device();
    let (rows, width) = grad.1.shape().dims2()?;
    let (n, w, size) = (rows as u32, width as u32, rows * width);
    let mut out = device.alloc_zeros::<f32>(7 * size)?;
    let (gi, gh, grad) = (view::<f32>(gi)?, view::<f32>(gh)?, view::<f32>(grad)?);
    with_view::<f32, _>(h, |h| {
        let (mut to_gi, mut rest) = out.split_at_mut(3 * size);
        let (mut to_gh, mut to_h) = rest.split_at_mut(3 * size);
        let config = by_element(size);
        launch!(
            device,
            "gru_gates_backward",
            config,
            &n,
            &w,
            &gi,
            &gh,
            &h,
            &grad,
            &mut to_gi,
            &mut to_gh,
            &mut to_h
        );
        Ok(())
    })?;
    Ok(wrap(out, device))
}

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
    let (k, d) = (size.heads as u32, size.dim as u32);
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
        let n = rows as u32;
        launch!(device, "attention_scores", by_warp(rows * size.heads), &n, &k, &d, x, att, to);
    }
    let n = receivers as u32;
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
    let (k, d) = (size.heads as u32, size.dim as u32);
    let (own, messages, grad) = (view::<f32>(own)?, view::<f32>(messages)?, view::<f32>(grad)?);
    let mut out = device.alloc_zeros::<f32>((receivers + senders) * all + all)?;
    with_view::<f32, _>(att, |att| {
        let attended = attend(device, edges, size, &own, &messages, &att)?;
        let mut grad_own_scores = device.alloc_zeros::<f32>(receivers * size.heads)?;
        let mut grad_message_scores = device.alloc_zeros::<f32>(senders * size.heads)?;
        let mut grad_edges = device.alloc_zeros::<f32>(edges.forward.others.elem_count() * size.heads)?;
        let (mut to_own, mut rest) = out.split_at_mut(receivers * all);
        let (mut to_messages, mut to_att) = rest.split_at_mut(senders * all);
        let n = receivers as u32;
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
        let rows = senders as u32;
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
            grid_dim: ((all as u32).div_ceil(WARP), 1, 1),
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

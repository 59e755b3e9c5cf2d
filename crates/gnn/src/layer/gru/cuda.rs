//! Launches of the CUDA kernels of the GRU layer.

use candle_core::backend::BackendStorage;
use candle_core::cuda::WrapErr;
use candle_core::cuda::cudarc::driver::PushKernelArg;
use candle_core::{CudaStorage, Result, Tensor};

use crate::layer::edges::Grouped;
use crate::layer::edges::cuda::{Numbers, by_element, count, launch, sum, view, with_edges, with_view, wrap};

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
    let (rows, w) = (count(edges.groups)?, count(width)?);
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
    let (n, w) = (count(rows)?, count(width)?);
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
    let (n, w, size) = (count(rows)?, count(width)?, rows * width);
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

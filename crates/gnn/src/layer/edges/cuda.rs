//! Launches of CUDA kernels: what the layers share, and the sum over edges. `src/cuda/kernels.cu` documents
//! what each kernel computes and how it is launched.

use candle_core::backend::BackendStorage;
use candle_core::cuda::WrapErr;
use candle_core::cuda::cudarc::driver::{CudaSlice, CudaView, LaunchConfig, PushKernelArg};
use candle_core::cuda_backend::CudaDType;
use candle_core::{CudaDevice, CudaStorage, Layout, Result, Storage, Tensor};

use super::Grouped;

/// Compiled by `build.rs`.
pub(in crate::layer) const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));
/// candle caches modules by name. The version tells two versions of this crate in one program apart.
pub(in crate::layer) const MODULE: &str = concat!("logicvae-gnn-", env!("CARGO_PKG_VERSION"));
const BLOCK: u32 = 256;
pub(in crate::layer) const WARP: u32 = 32;

/// A tensor's storage and layout.
pub(in crate::layer) type Numbers<'a> = (&'a CudaStorage, &'a Layout);

pub(in crate::layer) fn view<'a, T: CudaDType>((storage, layout): Numbers<'a>) -> Result<CudaView<'a, T>> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(storage.as_cuda_slice::<T>()?.slice(start..end)),
        None => candle_core::bail!("operations on edges take contiguous tensors"),
    }
}

/// Runs `work` on a tensor's numbers.
pub(in crate::layer) fn with_view<T: CudaDType, R>(
    tensor: &Tensor,
    work: impl FnOnce(CudaView<'_, T>) -> Result<R>,
) -> Result<R> {
    let (storage, layout) = tensor.storage_and_layout();
    match &*storage {
        Storage::Cuda(storage) => work(view((storage, layout))?),
        _ => candle_core::bail!("edges and tensors are on different devices"),
    }
}

/// Runs `work` on the offsets, other ends and weights of grouped edges.
pub(in crate::layer) fn with_edges<R>(
    edges: &Grouped,
    work: impl FnOnce(CudaView<'_, u32>, CudaView<'_, u32>, CudaView<'_, f32>) -> Result<R>,
) -> Result<R> {
    with_view(&edges.offsets, |offsets| {
        with_view(&edges.others, |others| with_view(&edges.weights, |weights| work(offsets, others, weights)))
    })
}

/// A size as the kernels count it. A larger one would be cut off, and a part of the result never computed.
pub(in crate::layer) fn count(size: usize) -> Result<u32> {
    match u32::try_from(size) {
        Ok(size) => Ok(size),
        _ => candle_core::bail!("{size} rows or columns are too many for a CUDA kernel: use smaller batches"),
    }
}

/// One thread for each of `elements`, or as many as a grid can have: threads then take several elements each.
pub(in crate::layer) fn by_element(elements: usize) -> LaunchConfig {
    let blocks = elements.div_ceil(BLOCK as usize).min(i32::MAX as usize);
    LaunchConfig { grid_dim: (blocks as u32, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 }
}

/// One warp for each of `items`.
pub(in crate::layer) fn by_warp(items: usize) -> LaunchConfig {
    by_element(items.saturating_mul(WARP as usize))
}

/// Launches a kernel with these arguments, in this order.
macro_rules! launch {
    ($device:expr, $name:expr, $config:expr, $($argument:expr),+ $(,)?) => {{
        let function = $device.get_or_load_custom_func(
            $name,
            $crate::layer::edges::cuda::MODULE,
            $crate::layer::edges::cuda::PTX,
        )?;
        let mut builder = function.builder();
        $(builder.arg($argument);)+
        // SAFETY: the arguments have the types and, by the checks of the operations, the lengths that the
        // kernel reads and writes; outputs are buffers of our own.
        unsafe { builder.launch($config) }.w()?;
    }};
}

pub(in crate::layer) fn wrap(slice: CudaSlice<f32>, device: &CudaDevice) -> CudaStorage {
    CudaStorage::wrap_cuda_slice(slice, device.clone())
}

pub(in crate::layer) use launch;

/// For every group, the sum over its edges of rows of `width` numbers.
pub(in crate::layer) fn sum(
    kernel: &str,
    edges: &Grouped,
    width: usize,
    x: Numbers<'_>,
) -> Result<CudaStorage> {
    let device = x.0.device();
    let (n, w) = (count(edges.groups)?, count(width)?);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_a_kernel_cannot_count_are_refused() {
        assert_eq!(count(u32::MAX as usize).unwrap(), u32::MAX);
        assert!(count(1 << 32).unwrap_err().to_string().contains("too many for a CUDA kernel"));
        // A grid is never larger than CUDA allows, and never cut off.
        let grids =
            [1, 1 << 20, 1 << 32, 1 << 40, usize::MAX].map(|elements| by_element(elements).grid_dim.0);
        assert!(grids.windows(2).all(|pair| pair[0] <= pair[1]) && grids[4] <= i32::MAX as u32, "{grids:?}");
    }
}

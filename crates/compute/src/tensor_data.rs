//! Access to the numbers inside tensors on the CPU.

use candle_core::{CpuStorage, Layout, Result, Storage, Tensor, WithDType};

/// The numbers of a contiguous tensor.
pub fn contiguous_slice<'a, T: WithDType>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [T]> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&storage.as_slice::<T>()?[start..end]),
        None => candle_core::bail!("this operation needs contiguous tensors"),
    }
}

/// Runs `work` on the numbers of contiguous tensors of one type.
pub fn with_slices<T: WithDType, R>(
    tensors: &[&Tensor],
    work: impl FnOnce(&[&[T]]) -> Result<R>,
) -> Result<R> {
    let storages: Vec<_> = tensors.iter().map(|tensor| tensor.storage_and_layout()).collect();
    let slices: Result<Vec<&[T]>> = storages
        .iter()
        .map(|(storage, layout)| match &**storage {
            Storage::Cpu(storage) => contiguous_slice(storage, layout),
            _ => candle_core::bail!("this operation needs tensors on the CPU"),
        })
        .collect();
    work(&slices?)
}

/// `x Wᵀ`, with a bias `b` if there is one.
pub fn linear(x: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
    let product = x.matmul(&weight.t()?)?;
    match bias {
        Some(bias) => product.broadcast_add(bias),
        None => Ok(product),
    }
}

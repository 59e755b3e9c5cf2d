//! The numbers inside tensors on the CPU.

use candle_core::{CpuStorage, Layout, Result, Storage, Tensor, WithDType};

/// The numbers of a contiguous tensor.
pub(crate) fn slice<'a, T: WithDType>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [T]> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&storage.as_slice::<T>()?[start..end]),
        None => candle_core::bail!("tensors must be contiguous here"),
    }
}

/// Runs `work` with the numbers of contiguous tensors, all of one type.
pub fn with_slices<T: WithDType, R>(
    tensors: &[&Tensor],
    work: impl FnOnce(&[&[T]]) -> Result<R>,
) -> Result<R> {
    let places: Vec<_> = tensors.iter().map(|tensor| tensor.storage_and_layout()).collect();
    let slices: Result<Vec<&[T]>> = places
        .iter()
        .map(|(storage, layout)| match &**storage {
            Storage::Cpu(storage) => slice(storage, layout),
            _ => candle_core::bail!("a tensor is on another device than the CPU"),
        })
        .collect();
    work(&slices?)
}

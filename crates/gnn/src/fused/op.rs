//! The fused pass as an operation of the tensor library, so that it takes part in its automatic differentiation.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use candle_core::{CpuStorage, CustomOp1, DType, Error, Layout, Result, Shape, Tensor, WithDType};

use crate::encoder::Batch;
use crate::fused::{FusedLayer, Pass, Real};
use crate::layers::Layer;

/// From packed weights to encoded graphs.
struct Encode {
    stack: Arc<Vec<Box<dyn Layer>>>,
    batch: Batch,
    /// The forward pass's memory, a [`Pass`], for the backward pass.
    pass: Mutex<Option<Box<dyn Any + Send>>>,
}

/// Encodes a batch: [graphs, output] from the packed weights.
pub(crate) fn encode(stack: &Arc<Vec<Box<dyn Layer>>>, batch: &Batch, packed: &Tensor) -> Result<Tensor> {
    packed.apply_op1(Encode { stack: stack.clone(), batch: batch.clone(), pass: Mutex::new(None) })
}

impl Encode {
    fn forward<T: Real>(&self, packed: &[T]) -> (Vec<T>, Pass<T>)
    where
        dyn Layer: FusedLayer<T>,
    {
        Pass::forward(&self.stack, &self.batch, packed)
    }

    fn backward<T: Real>(&self, packed: &Tensor, grad: &Tensor) -> Result<Tensor>
    where
        dyn Layer: FusedLayer<T>,
    {
        let kept = self.pass.lock().unwrap_or_else(PoisonError::into_inner).take();
        // Flattened tensors share their storage where they are contiguous, as weights and gradients are.
        let (packed, grad) = (packed.flatten_all()?.contiguous()?, grad.flatten_all()?.contiguous()?);
        with_slice::<T, _>(&packed, |packed| {
            with_slice::<T, _>(&grad, |grad| {
                let pass = match kept.and_then(|kept| kept.downcast::<Pass<T>>().ok()) {
                    Some(pass) => *pass,
                    // A second backward pass over the same graph: the first has used the memory up.
                    None => self.forward(packed).1,
                };
                let gradients = pass.backward(&self.stack, &self.batch, packed, grad);
                let count = gradients.len();
                Tensor::from_vec(gradients, count, &candle_core::Device::Cpu)
            })
        })
    }
}

/// The numbers of a contiguous tensor on the CPU.
fn with_slice<T: WithDType, R>(tensor: &Tensor, work: impl FnOnce(&[T]) -> Result<R>) -> Result<R> {
    let (storage, layout) = tensor.storage_and_layout();
    let candle_core::Storage::Cpu(storage) = &*storage else { candle_core::bail!("the fused pass runs on the CPU alone") };
    work(slice(storage, layout)?)
}

fn slice<'a, T: WithDType>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [T]> {
    let Some((start, end)) = layout.contiguous_offsets() else { candle_core::bail!("packed weights must be contiguous") };
    Ok(&storage.as_slice::<T>()?[start..end])
}

impl CustomOp1 for Encode {
    fn name(&self) -> &'static str {
        "encode-graphs"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let rows = self.batch.graphs();
        let (storage, pass, count): (CpuStorage, Box<dyn Any + Send>, usize) = match storage {
            CpuStorage::F32(_) => {
                let (out, pass) = self.forward(slice::<f32>(storage, layout)?);
                let count = out.len();
                (CpuStorage::F32(out), Box::new(pass), count)
            }
            CpuStorage::F64(_) => {
                let (out, pass) = self.forward(slice::<f64>(storage, layout)?);
                let count = out.len();
                (CpuStorage::F64(out), Box::new(pass), count)
            }
            _ => candle_core::bail!("weights must be f32 or f64"),
        };
        *self.pass.lock().unwrap_or_else(PoisonError::into_inner) = Some(pass);
        Ok((storage, (rows, count / rows).into()))
    }

    fn bwd(&self, packed: &Tensor, _: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        match packed.dtype() {
            DType::F32 => self.backward::<f32>(packed, grad).map(Some),
            DType::F64 => self.backward::<f64>(packed, grad).map(Some),
            other => Err(Error::UnsupportedDTypeForOp(other, self.name())),
        }
    }
}

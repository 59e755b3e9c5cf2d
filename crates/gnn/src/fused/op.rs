//! The fused pass as operations of the tensor library, so that it takes part in its automatic differentiation.
//!
//! The library's own operations take at most three tensors, and an encoder has many weights. So the pass reads its weights
//! where they are, and its result is then handed through a chain of operations that do nothing but attach two weights each:
//! their backward passes give the weights' gradients, which the first of them to run computes, all at once. Packing the
//! weights into one tensor would copy them and their gradients several times over.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candle_core::{CpuStorage, CustomOp2, CustomOp3, DType, Error, Layout, Result, Shape, Tensor};

use crate::encoder::Batch;
use crate::fused::{FusedLayer, Pass, Real};
use crate::layers::Layer;
use crate::numbers::{slice, with_slices};

/// One encoding, for its backward pass.
struct Encoding {
    stack: Arc<Vec<Box<dyn Layer>>>,
    batch: Batch,
    weights: Vec<Tensor>,
    /// The forward pass's memory, a [`Pass`].
    pass: Mutex<Option<Box<dyn Any + Send>>>,
    /// Gradients that were computed and not yet taken, in the order of the weights.
    gradients: Mutex<Vec<Option<Tensor>>>,
}

/// Encodes a batch: `[graphs, output]`. `weights` are those of all layers of each direction in turn.
pub(crate) fn encode(stack: &Arc<Vec<Box<dyn Layer>>>, batch: &Batch, weights: Vec<Tensor>) -> Result<Tensor> {
    let encoding =
        Encoding { stack: stack.clone(), batch: batch.clone(), weights, pass: Mutex::new(None), gradients: Mutex::new(Vec::new()) };
    let mut output = match encoding.weights[0].dtype() {
        DType::F32 => encoding.forward::<f32>()?,
        DType::F64 => encoding.forward::<f64>()?,
        other => return Err(Error::UnsupportedDTypeForOp(other, "encode-graphs")),
    };
    let encoding = Arc::new(encoding);
    for first in (0..encoding.weights.len()).step_by(2) {
        let attach = Attach { encoding: encoding.clone(), first };
        output = match &encoding.weights[first..] {
            [one] => output.apply_op2(one, attach)?,
            [one, two, ..] => output.apply_op3(one, two, attach)?,
            [] => output,
        };
    }
    Ok(output)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is inside is replaced whole, so it is right even after a panic elsewhere.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Encoding {
    fn weight_list(&self) -> Vec<&Tensor> {
        self.weights.iter().collect()
    }

    /// The encoded graphs, without a connection to the weights.
    fn forward<T: Real>(&self) -> Result<Tensor>
    where
        dyn Layer: FusedLayer<T>,
    {
        let (output, pass) = with_slices(&self.weight_list(), |weights| Ok(Pass::<T>::forward(&self.stack, &self.batch, weights)))?;
        *lock(&self.pass) = Some(Box::new(pass));
        let rows = self.batch.graphs();
        let columns = output.len() / rows;
        Tensor::from_vec(output, (rows, columns), &candle_core::Device::Cpu)
    }

    /// The gradients of all weights.
    fn backward<T: Real>(&self, grad: &Tensor) -> Result<Vec<Option<Tensor>>>
    where
        dyn Layer: FusedLayer<T>,
    {
        let kept = lock(&self.pass).take().and_then(|kept| kept.downcast::<Pass<T>>().ok());
        let grad = grad.contiguous()?;
        let gradients = with_slices(&self.weight_list(), |weights| {
            with_slices(&[&grad], |grad| {
                let pass = match kept {
                    Some(pass) => *pass,
                    // A second backward pass over the same graph: the first has used the memory up.
                    None => Pass::forward(&self.stack, &self.batch, weights).1,
                };
                Ok(pass.backward(&self.stack, &self.batch, weights, grad[0]))
            })
        })?;
        let shaped = |(weight, numbers): (&Tensor, Vec<T>)| Tensor::from_vec(numbers, weight.shape(), weight.device()).map(Some);
        self.weights.iter().zip(gradients).map(shaped).collect()
    }
}

/// Attaches the weights `first` and, if there is one, `first + 1` to an encoding that depends on them.
struct Attach {
    encoding: Arc<Encoding>,
    first: usize,
}

impl Attach {
    fn pass_on(storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let storage = match storage {
            CpuStorage::F32(_) => CpuStorage::F32(slice(storage, layout)?.to_vec()),
            CpuStorage::F64(_) => CpuStorage::F64(slice(storage, layout)?.to_vec()),
            _ => candle_core::bail!("an encoding is f32 or f64"),
        };
        Ok((storage, layout.shape().clone()))
    }

    /// The gradient of the encoding before this one, and those of the weights.
    fn gradients(&self, grad: &Tensor) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let mut gradients = lock(&self.encoding.gradients);
        // The last of the chain is the first to go back.
        if self.first + 2 >= self.encoding.weights.len() {
            *gradients = match grad.dtype() {
                DType::F32 => self.encoding.backward::<f32>(grad)?,
                _ => self.encoding.backward::<f64>(grad)?,
            };
        }
        let mut take = |number: usize| gradients.get_mut(number).and_then(Option::take);
        let before = (self.first > 0).then(|| grad.clone());
        Ok((before, take(self.first), take(self.first + 1)))
    }
}

const NAME: &str = "encode-graphs";

impl CustomOp2 for Attach {
    fn name(&self) -> &'static str {
        NAME
    }

    fn cpu_fwd(&self, x: &CpuStorage, l: &Layout, _: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        Self::pass_on(x, l)
    }

    fn bwd(&self, _: &Tensor, _: &Tensor, _: &Tensor, grad: &Tensor) -> Result<(Option<Tensor>, Option<Tensor>)> {
        self.gradients(grad).map(|(before, one, _)| (before, one))
    }
}

impl CustomOp3 for Attach {
    fn name(&self) -> &'static str {
        NAME
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        l: &Layout,
        _: &CpuStorage,
        _: &Layout,
        _: &CpuStorage,
        _: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        Self::pass_on(x, l)
    }

    fn bwd(
        &self,
        _: &Tensor,
        _: &Tensor,
        _: &Tensor,
        _: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        self.gradients(grad)
    }
}

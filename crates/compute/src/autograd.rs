//! Fused passes as candle operations, so that automatic differentiation goes through them.
//!
//! A custom operation of candle takes at most three tensors, but an encoder has many weights. So the forward
//! pass reads its inputs directly, and its result then goes through a chain of identity operations that
//! attach two inputs each. Going backward, the first of these to run computes the gradients of all inputs,
//! and each returns those of its two. Packing all inputs into one tensor would be simpler, but it copied them
//! and their gradients several times and cost a seventh of a training step.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candle_core::{CpuStorage, CustomOp2, CustomOp3, DType, Device, Error, Layout, Result, Shape, Tensor};

use crate::real::Real;
use crate::tensor_data::{contiguous_slice, with_slices};

/// A computation on any number of tensors, with its own forward and backward passes.
pub trait Operation<T: Real>: Send + Sync + 'static {
    /// What the forward pass stores for the backward pass.
    type Memory: Send + 'static;

    /// The result, its shape, and the memory for [`Operation::backward`].
    fn forward(&self, inputs: &[&[T]]) -> (Vec<T>, Shape, Self::Memory);

    /// The gradients of the inputs, given that of the result. Gradients that are not `wanted` may be empty.
    fn backward(&self, inputs: &[&[T]], wanted: &[bool], memory: Self::Memory, grad: &[T]) -> Vec<Vec<T>>;
}

/// Applies an operation to tensors on the CPU, all `f32` or all `f64`. The result is differentiable with
/// respect to every input that is a variable or depends on one.
pub fn apply<O: Operation<f32> + Operation<f64>>(
    name: &'static str,
    operation: O,
    inputs: Vec<Tensor>,
) -> Result<Tensor> {
    let inputs: Vec<Tensor> = inputs.iter().map(Tensor::contiguous).collect::<Result<_>>()?;
    let wanted: Vec<bool> = inputs.iter().map(Tensor::track_op).collect();
    let attached: Vec<usize> = (0..inputs.len()).filter(|&number| wanted[number]).collect();
    let application = Application {
        name,
        operation,
        wanted,
        attached,
        inputs,
        memory: Mutex::new(None),
        gradients: Mutex::new(Vec::new()),
    };
    let mut output = match application.inputs.first().map(Tensor::dtype) {
        Some(DType::F32) => application.forward::<f32>()?,
        Some(DType::F64) => application.forward::<f64>()?,
        Some(other) => return Err(Error::UnsupportedDTypeForOp(other, name)),
        None => candle_core::bail!("{name} needs an input"),
    };
    let application = Arc::new(application);
    for first in (0..application.attached.len()).step_by(2) {
        let attach = Attach { application: application.clone(), first };
        let input = |number: &usize| &application.inputs[*number];
        output = match &application.attached[first..] {
            [one] => output.apply_op2(input(one), attach)?,
            [one, two, ..] => output.apply_op3(input(one), input(two), attach)?,
            [] => output,
        };
    }
    Ok(output)
}

/// An operation and its inputs, kept for the backward pass.
struct Application<O> {
    name: &'static str,
    operation: O,
    inputs: Vec<Tensor>,
    /// Which inputs need a gradient.
    wanted: Vec<bool>,
    /// The indices of those.
    attached: Vec<usize>,
    /// The [`Operation::Memory`] of the forward pass.
    memory: Mutex<Option<Box<dyn Any + Send>>>,
    /// Gradients that were computed and not yet returned, in the order of the inputs.
    gradients: Mutex<Vec<Option<Tensor>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The content is only ever replaced as a whole, so it is consistent even after a panic in another thread.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<O> Application<O> {
    fn input_list(&self) -> Vec<&Tensor> {
        self.inputs.iter().collect()
    }

    /// The result, detached from the inputs.
    fn forward<T: Real>(&self) -> Result<Tensor>
    where
        O: Operation<T>,
    {
        let (output, shape, memory) =
            with_slices(&self.input_list(), |inputs| Ok(self.operation.forward(inputs)))?;
        // Without a variable there will be no backward pass.
        if !self.attached.is_empty() {
            *lock(&self.memory) = Some(Box::new(memory));
        }
        Tensor::from_vec(output, shape, &Device::Cpu)
    }

    /// The gradients of all inputs that need one.
    fn backward<T: Real>(&self, grad: &Tensor) -> Result<Vec<Option<Tensor>>>
    where
        O: Operation<T>,
    {
        let kept = lock(&self.memory).take().and_then(|kept| kept.downcast::<O::Memory>().ok());
        let grad = grad.contiguous()?;
        let gradients = with_slices(&self.input_list(), |inputs| {
            with_slices(&[&grad], |grad| {
                let memory = match kept {
                    Some(memory) => *memory,
                    // A second backward pass over the same graph: the first one consumed the memory.
                    None => self.operation.forward(inputs).2,
                };
                Ok(self.operation.backward(inputs, &self.wanted, memory, grad[0]))
            })
        })?;
        let shaped = |((input, numbers), wanted): ((&Tensor, Vec<T>), &bool)| match wanted {
            true => Tensor::from_vec(numbers, input.shape(), input.device()).map(Some),
            false => Ok(None),
        };
        self.inputs.iter().zip(gradients).zip(&self.wanted).map(shaped).collect()
    }
}

/// Attaches the input `attached[first]` and, if it exists, `attached[first + 1]` to the result.
struct Attach<O> {
    application: Arc<Application<O>>,
    first: usize,
}

impl<O: Operation<f32> + Operation<f64>> Attach<O> {
    fn identity(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let storage = match storage {
            CpuStorage::F32(_) => CpuStorage::F32(contiguous_slice(storage, layout)?.to_vec()),
            CpuStorage::F64(_) => CpuStorage::F64(contiguous_slice(storage, layout)?.to_vec()),
            _ => candle_core::bail!("{}: the result must be f32 or f64", self.application.name),
        };
        Ok((storage, layout.shape().clone()))
    }

    /// The gradient of the previous result in the chain, and those of the attached inputs.
    fn gradients(&self, grad: &Tensor) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let application = &self.application;
        let mut gradients = lock(&application.gradients);
        // The last operation of the chain is the first to run backward.
        if self.first + 2 >= application.attached.len() {
            *gradients = match grad.dtype() {
                DType::F32 => application.backward::<f32>(grad)?,
                _ => application.backward::<f64>(grad)?,
            };
        }
        let mut take = |at: usize| {
            let number = *application.attached.get(at)?;
            gradients.get_mut(number).and_then(Option::take)
        };
        let before = (self.first > 0).then(|| grad.clone());
        Ok((before, take(self.first), take(self.first + 1)))
    }
}

impl<O: Operation<f32> + Operation<f64>> CustomOp2 for Attach<O> {
    fn name(&self) -> &'static str {
        self.application.name
    }

    fn cpu_fwd(&self, x: &CpuStorage, l: &Layout, _: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        self.identity(x, l)
    }

    fn bwd(
        &self,
        _: &Tensor,
        _: &Tensor,
        _: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        self.gradients(grad).map(|(before, one, _)| (before, one))
    }
}

impl<O: Operation<f32> + Operation<f64>> CustomOp3 for Attach<O> {
    fn name(&self) -> &'static str {
        self.application.name
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
        self.identity(x, l)
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

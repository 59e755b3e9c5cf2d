//! Fused passes as operations of the tensor library, so that they take part in its automatic differentiation.
//!
//! The library's own operations take at most three tensors, and an encoder has many weights. So a pass reads its inputs
//! where they are, and its result is then handed through a chain of operations that do nothing but attach two inputs each:
//! their backward passes give the inputs' gradients, which the first of them to run computes, all at once. Packing the
//! inputs into one tensor would copy them and their gradients several times over.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candle_core::{CpuStorage, CustomOp2, CustomOp3, DType, Device, Error, Layout, Result, Shape, Tensor};

use crate::fused::Real;
use crate::numbers::{slice, with_slices};

/// A computation on any number of tensors, with forward and backward passes of its own.
pub trait Operation<T: Real>: Send + Sync + 'static {
    /// What the forward pass leaves for the backward pass.
    type Memory: Send + 'static;

    /// The result, its shape, and the memory for [`Operation::backward`].
    fn forward(&self, inputs: &[&[T]]) -> (Vec<T>, Shape, Self::Memory);

    /// The gradients of the inputs, from that of the result. Those that are not wanted may be left empty.
    fn backward(&self, inputs: &[&[T]], wanted: &[bool], memory: Self::Memory, grad: &[T]) -> Vec<Vec<T>>;
}

/// Applies an operation to tensors on the CPU, all `f32` or all `f64`. Differentiable in every input that is a variable or
/// depends on one.
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

/// An operation and what it was applied to, for its backward pass.
struct Application<O> {
    name: &'static str,
    operation: O,
    inputs: Vec<Tensor>,
    /// Which inputs need a gradient.
    wanted: Vec<bool>,
    /// The numbers of those.
    attached: Vec<usize>,
    /// The forward pass's memory, an [`Operation::Memory`].
    memory: Mutex<Option<Box<dyn Any + Send>>>,
    /// Gradients that were computed and not yet taken, in the order of the inputs.
    gradients: Mutex<Vec<Option<Tensor>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is inside is replaced whole, so it is right even after a panic elsewhere.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<O> Application<O> {
    fn input_list(&self) -> Vec<&Tensor> {
        self.inputs.iter().collect()
    }

    /// The result, without a connection to the inputs.
    fn forward<T: Real>(&self) -> Result<Tensor>
    where
        O: Operation<T>,
    {
        let (output, shape, memory) =
            with_slices(&self.input_list(), |inputs| Ok(self.operation.forward(inputs)))?;
        // Without a variable there is no backward pass.
        if !self.attached.is_empty() {
            *lock(&self.memory) = Some(Box::new(memory));
        }
        Tensor::from_vec(output, shape, &Device::Cpu)
    }

    /// The gradients of all inputs that want one.
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
                    // A second backward pass over the same graph: the first has used the memory up.
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

/// Attaches the inputs `attached[first]` and, if there is one, `attached[first + 1]` to a result that depends on them.
struct Attach<O> {
    application: Arc<Application<O>>,
    first: usize,
}

impl<O: Operation<f32> + Operation<f64>> Attach<O> {
    fn pass_on(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let storage = match storage {
            CpuStorage::F32(_) => CpuStorage::F32(slice(storage, layout)?.to_vec()),
            CpuStorage::F64(_) => CpuStorage::F64(slice(storage, layout)?.to_vec()),
            _ => candle_core::bail!("{}: a result is f32 or f64", self.application.name),
        };
        Ok((storage, layout.shape().clone()))
    }

    /// The gradient of the result before this one, and those of the inputs.
    fn gradients(&self, grad: &Tensor) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let application = &self.application;
        let mut gradients = lock(&application.gradients);
        // The last of the chain is the first to go back.
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
        self.pass_on(x, l)
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
        self.pass_on(x, l)
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

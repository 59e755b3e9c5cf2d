//! Writes a differentiable operation with its own forward and backward code, compares its gradient with
//! candle's, and trains one weight with it.
//!
//! The operation is the loss mean((tanh(w x) - y)²), computed in one pass over the data instead of five.
//!
//! ```sh
//! cargo run -p logicvae-compute --example fused_operation
//! ```

use candle_core::{DType, Device, Result, Shape, Tensor};
use candle_nn::Init;
use logicvae_compute::{Adam, Operation, Parameters, Real, StepSize, apply};

/// The loss. Its inputs are w, x and y.
struct TanhLoss;

impl<T: Real> Operation<T> for TanhLoss {
    /// The predictions tanh(w x), which the backward pass needs again.
    type Memory = Vec<T>;

    fn forward(&self, inputs: &[&[T]]) -> (Vec<T>, Shape, Vec<T>) {
        let (w, x, y) = (inputs[0][0], inputs[1], inputs[2]);
        let predictions: Vec<T> = x.iter().map(|&x| Real::tanh(w * x)).collect();
        let mut sum = T::constant(0.0);
        for (&p, &y) in predictions.iter().zip(y) {
            sum += (p - y) * (p - y);
        }
        (vec![sum / T::constant(x.len() as f32)], Shape::from(()), predictions)
    }

    fn backward(&self, inputs: &[&[T]], _: &[bool], predictions: Vec<T>, grad: &[T]) -> Vec<Vec<T>> {
        let (x, y) = (inputs[1], inputs[2]);
        let mut sum = T::constant(0.0);
        for ((&p, &x), &y) in predictions.iter().zip(x).zip(y) {
            sum += (p - y) * (T::constant(1.0) - p * p) * x;
        }
        let gradient = grad[0] * sum * T::constant(2.0 / x.len() as f32);
        // x and y are data and never need a gradient, so theirs may be empty.
        vec![vec![gradient], Vec::new(), Vec::new()]
    }
}

fn main() -> Result<()> {
    // Data from a known weight: y = tanh(1.5 x).
    let x = Tensor::arange(-20f32, 20f32, &Device::Cpu)?.affine(0.1, 0.0)?;
    let y = x.affine(1.5, 0.0)?.tanh()?;

    let parameters = Parameters::new(1);
    let builder = parameters.builder(DType::F32, &Device::Cpu);
    let w = builder.get_with_hints(1, "slope", Init::Const(0.2))?;

    // The same loss from candle's operations has the same gradient.
    let loss = apply("tanh-loss", TanhLoss, vec![w.clone(), x.clone(), y.clone()])?;
    let by_candle = (x.broadcast_mul(&w)?.tanh()? - &y)?.sqr()?.mean_all()?;
    let gradient = |loss: &Tensor| loss.backward()?.get(&w).expect("w is a weight").to_vec1::<f32>();
    println!("gradient at w = 0.2: {:.6}", gradient(&loss)?[0]);
    println!("the same by candle:  {:.6}\n", gradient(&by_candle)?[0]);

    let mut adam = Adam::new(parameters.vars())?;
    for step in 0..=200 {
        let loss = apply("tanh-loss", TanhLoss, vec![w.clone(), x.clone(), y.clone()])?;
        if step % 40 == 0 {
            println!("step {step:>3}  w {:.4}  loss {:.6}", w.to_vec1::<f32>()?[0], loss.to_scalar::<f32>()?);
        }
        adam.step(&loss.backward()?, 1.0, StepSize { rate: 0.1, decay: 0.0, l2: 0.0, clip: 1.0 })?;
    }
    println!("the data were made with w = 1.5");
    Ok(())
}

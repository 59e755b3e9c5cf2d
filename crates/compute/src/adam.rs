//! Adam with weight decay, decoupled or as an L2 penalty, and gradient clipping. Its state can be saved, so
//! that training can resume.

use candle_core::backprop::GradStore;
use candle_core::{CpuStorage, DType, InplaceOp2, Layout, Result, Tensor, Var};
use rayon::prelude::*;

use crate::tensor_data::with_slices;
use crate::vector::simd;

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// The optimiser: `m ← β₁ m + (1 − β₁) g`, `v ← β₂ v + (1 − β₂) g²`,
/// `w ← w − rate · (m̂ / (√v̂ + ε) + decay · w)`, where m̂ and v̂ are m and v without their bias towards 0,
/// and g is the clipped gradient plus `l2 · w`.
pub struct Adam {
    vars: Vec<(String, Var)>,
    /// For each weight: m, then v, in one tensor of two rows.
    moments: Vec<Var>,
    steps: u64,
}

/// The hyperparameters of one step.
#[derive(Clone, Copy, Debug)]
pub struct StepSize {
    /// The learning rate.
    pub rate: f64,
    /// The weight decay, decoupled from the gradients as in AdamW.
    pub decay: f64,
    /// The weight of an L2 penalty, whose gradient is added after clipping, as `weight_decay` of PyTorch's
    /// Adam.
    pub l2: f64,
    /// The largest norm of all gradients together; larger ones are scaled down to it.
    pub clip: f64,
}

impl Adam {
    /// An optimiser of these weights.
    pub fn new(vars: Vec<(String, Var)>) -> Result<Self> {
        let moments: Result<Vec<Var>> = vars
            .iter()
            .map(|(_, var)| Var::zeros((2, var.elem_count()), var.dtype(), var.device()))
            .collect();
        Ok(Self { vars, moments: moments?, steps: 0 })
    }

    /// The number of steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Updates all weights and returns the norm of the gradients, which are multiplied by `scale` first. If
    /// that norm is not finite, nothing is updated.
    pub fn step(&mut self, gradients: &GradStore, scale: f64, size: StepSize) -> Result<f64> {
        let missing = |name: &str| candle_core::Error::Msg(format!("the weight `{name}` has no gradient"));
        let list: Result<Vec<&Tensor>> =
            self.vars.iter().map(|(name, var)| gradients.get(var).ok_or_else(|| missing(name))).collect();
        let list = list?;
        let squares: Result<Vec<f64>> = list.par_iter().map(|gradient| sum_of_squares(gradient)).collect();
        // Summed in the order of the weights, so that the bits do not depend on threads.
        let norm = squares?.iter().sum::<f64>().sqrt() * scale;
        if !norm.is_finite() {
            return Ok(norm);
        }
        let scale = if norm > size.clip { scale * size.clip / norm } else { scale };
        self.steps += 1;
        let steps = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let update = Update {
            scale,
            rate: size.rate / (1.0 - BETA1.powi(steps)),
            shrink: 1.0 - size.rate * size.decay,
            root: 1.0 / (1.0 - BETA2.powi(steps)).sqrt(),
            penalty: size.l2 / scale,
        };
        let all = self.vars.par_iter().zip(&self.moments).zip(list);
        all.try_for_each(|(((_, var), moments), gradient)| update.apply(var, moments, gradient))?;
        Ok(norm)
    }

    /// The moments by the name of their weight, for checkpoints: a tensor of two rows, m and v.
    pub fn moments(&self) -> impl Iterator<Item = (&str, &Var)> {
        self.vars.iter().zip(&self.moments).map(|((name, _), moments)| (name.as_str(), moments))
    }

    /// Sets the number of steps when training resumes. The caller sets the moments.
    pub fn set_steps(&mut self, steps: u64) {
        self.steps = steps;
    }
}

/// The numbers of a step that all weights share.
#[derive(Clone, Copy)]
struct Update {
    scale: f64,
    rate: f64,
    shrink: f64,
    root: f64,
    /// How much of the weight is added to its unscaled gradient.
    penalty: f64,
}

/// Updates the moments from the gradient.
struct Moments(Update);
/// Updates the weight from the moments.
struct Weight(Update);

impl Update {
    fn apply(self, var: &Var, moments: &Var, gradient: &Tensor) -> Result<()> {
        let penalised;
        let gradient = match self.penalty > 0.0 {
            true => {
                penalised = (gradient + (var.as_tensor() * self.penalty)?)?;
                &penalised
            }
            false => gradient,
        };
        if var.device().is_cpu() && var.dtype() == DType::F32 {
            moments.inplace_op2(&gradient.contiguous()?, &Moments(self))?;
            return var.inplace_op2(moments.as_tensor(), &Weight(self));
        }
        let g = (gradient.flatten_all()? * self.scale)?;
        let m = ((moments.get(0)? * BETA1)? + (&g * (1.0 - BETA1))?)?;
        let v = ((moments.get(1)? * BETA2)? + (g.sqr()? * (1.0 - BETA2))?)?;
        moments.set(&Tensor::stack(&[&m, &v], 0)?)?;
        let change = ((m * self.rate)? / ((v.sqrt()? * self.root)? + EPSILON)?)?;
        var.set(&((var.as_tensor() * self.shrink)? - change.reshape(var.shape())?)?)
    }
}

fn sum_of_squares(tensor: &Tensor) -> Result<f64> {
    if tensor.device().is_cpu() && tensor.dtype() == DType::F32 {
        return with_slices(&[&tensor.contiguous()?], |list: &[&[f32]]| {
            Ok(simd(
                #[inline(always)]
                || {
                    // Sixteen partial sums, added in a fixed order, so that vectors can be used.
                    let mut sums = [0f64; 16];
                    let (blocks, rest) = list[0].as_chunks::<16>();
                    for block in blocks {
                        for (sum, &x) in sums.iter_mut().zip(block) {
                            *sum += f64::from(x) * f64::from(x);
                        }
                    }
                    rest.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>() + sums.iter().sum::<f64>()
                },
            ))
        });
    }
    tensor.sqr()?.sum_all()?.to_dtype(DType::F64)?.to_scalar()
}

/// The numbers of a tensor to update and of a tensor to read, both contiguous.
fn numbers<'a>(
    changed: &'a mut CpuStorage,
    changed_layout: &Layout,
    read: &'a CpuStorage,
    read_layout: &Layout,
) -> Result<(&'a mut [f32], &'a [f32])> {
    match (changed, changed_layout.contiguous_offsets(), read, read_layout.contiguous_offsets()) {
        (CpuStorage::F32(changed), Some((a, b)), CpuStorage::F32(read), Some((c, d))) => {
            Ok((&mut changed[a..b], &read[c..d]))
        }
        _ => candle_core::bail!("the optimiser needs contiguous f32 tensors"),
    }
}

impl InplaceOp2 for Moments {
    fn name(&self) -> &'static str {
        "adam-moments"
    }

    fn cpu_fwd(&self, s1: &mut CpuStorage, l1: &Layout, s2: &CpuStorage, l2: &Layout) -> Result<()> {
        let (moments, gradient) = numbers(s1, l1, s2, l2)?;
        let (first, second) = moments.split_at_mut(gradient.len());
        let (b1, b2, scale) = (BETA1 as f32, BETA2 as f32, self.0.scale as f32);
        simd(
            #[inline(always)]
            || {
                for (m, &g) in first.iter_mut().zip(gradient) {
                    *m = b1 * *m + (1.0 - b1) * (scale * g);
                }
                for (v, &g) in second.iter_mut().zip(gradient) {
                    *v = b2 * *v + (1.0 - b2) * (scale * g) * (scale * g);
                }
            },
        );
        Ok(())
    }
}

impl InplaceOp2 for Weight {
    fn name(&self) -> &'static str {
        "adam-weight"
    }

    fn cpu_fwd(&self, s1: &mut CpuStorage, l1: &Layout, s2: &CpuStorage, l2: &Layout) -> Result<()> {
        let (weight, moments) = numbers(s1, l1, s2, l2)?;
        let (first, second) = moments.split_at(weight.len());
        let (rate, root, shrink, epsilon) =
            (self.0.rate as f32, self.0.root as f32, self.0.shrink as f32, EPSILON as f32);
        simd(
            #[inline(always)]
            || {
                for ((w, &m), &v) in weight.iter_mut().zip(first).zip(second) {
                    *w = shrink * *w - rate * m / (v.sqrt() * root + epsilon);
                }
            },
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    /// One step of PyTorch's Adam with `weight_decay`, written out.
    fn expected(weight: f64, gradient: f64, l2: f64, rate: f64) -> f64 {
        let g = gradient + l2 * weight;
        let (m, v) = ((1.0 - BETA1) * g / (1.0 - BETA1), (1.0 - BETA2) * g * g / (1.0 - BETA2));
        weight - rate * m / (v.sqrt() + EPSILON)
    }

    #[test]
    fn an_l2_penalty_is_added_after_clipping() {
        for dtype in [DType::F32, DType::F64] {
            let start = Tensor::new(&[2.0f64, -3.0], &Device::Cpu).unwrap().to_dtype(dtype).unwrap();
            let var = Var::from_tensor(&start).unwrap();
            let mut adam = Adam::new(vec![("w".into(), var.clone())]).unwrap();
            // The gradient of 3 w₁ + 4 w₂ is (3, 4); half of it has norm 2.5 and is clipped to norm 0.5.
            let factors = Tensor::new(&[3.0f64, 4.0], &Device::Cpu).unwrap().to_dtype(dtype).unwrap();
            let loss = (var.as_tensor() * factors).unwrap().sum_all().unwrap();
            let size = StepSize { rate: 0.1, decay: 0.0, l2: 0.3, clip: 0.5 };
            let norm = adam.step(&loss.backward().unwrap(), 0.5, size).unwrap();
            assert!((norm - 2.5).abs() < 1e-6, "the norm is that of the gradients alone: {norm}");
            let found: Vec<f64> = var.to_dtype(DType::F64).unwrap().to_vec1().unwrap();
            let wanted = [expected(2.0, 0.3, 0.3, 0.1), expected(-3.0, 0.4, 0.3, 0.1)];
            // The penalty turns the second gradient around.
            assert!(wanted[0] < 2.0 && wanted[1] > -3.0);
            for (found, wanted) in found.iter().zip(wanted) {
                assert!((found - wanted).abs() < 1e-5, "{found} instead of {wanted} ({dtype:?})");
            }
        }
    }
}

//! The semantic embedding as differentiable tensor operations, for formulae whose leaves are only probable.

use candle_core::{DType, Device, Tensor};
use logicvae_kernel::{Embedding, Form};
use logicvae_logic::{BitMatrix, Formula, x};

use super::fuzzy;
use crate::error::VaeError;

/// An embedding as tensors. For formulae with certain leaves it equals [`Embedding::transform`].
#[derive(Clone)]
pub struct DifferentiableEmbedding {
    /// The values of the variables: `[variables, m]`.
    variables: Tensor,
    /// ±1 for each pool formula, times the assignment's weight: `[m, pool]`. `None` if the values are the
    /// features.
    pool: Option<Tensor>,
    sigma2: Option<f64>,
    mean: Tensor,
    projection: Tensor,
}

fn matrix(
    bits: &BitMatrix,
    of: impl Fn(bool, usize) -> f64,
    dtype: DType,
    device: &Device,
) -> Result<Tensor, VaeError> {
    let (rows, columns) = (bits.rows(), bits.bits());
    let all: Vec<f64> = (0..rows)
        .flat_map(|row| (0..columns).map(move |c| (row, c)))
        .map(|(row, c)| of(bits.get(row, c), c))
        .collect();
    Ok(Tensor::from_vec(all, (rows, columns), &Device::Cpu)?.to_dtype(dtype)?.to_device(device)?)
}

fn sign(value: bool) -> f64 {
    if value { 1.0 } else { -1.0 }
}

impl DifferentiableEmbedding {
    /// The tensors of an embedding.
    pub fn new(embedding: &Embedding, dtype: DType, device: &Device) -> Result<Self, VaeError> {
        let (domain, parts) = (embedding.domain(), embedding.map_parts());
        let names: Vec<Formula> = (1..=domain.variables() as u32).map(x).collect();
        let share = |assignment: usize| domain.weights().map_or(1.0 / domain.len() as f64, |w| w[assignment]);
        let pool = parts.pool.map(|pool| {
            matrix(pool, |value, at| sign(value) * share(at), dtype, device)?.t().map_err(VaeError::from)
        });
        let tensor = |values: Vec<f64>, shape: (usize, usize)| -> Result<Tensor, VaeError> {
            Ok(Tensor::from_vec(values, shape, &Device::Cpu)?.to_dtype(dtype)?.to_device(device)?)
        };
        Ok(Self {
            variables: matrix(&domain.values(&names)?, |value, _| f64::from(u8::from(value)), dtype, device)?,
            pool: pool.transpose()?,
            sigma2: match embedding.form() {
                Form::Gaussian { sigma2 } => Some(sigma2),
                _ => None,
            },
            mean: tensor(parts.mean.to_vec(), (1, parts.mean.len()))?,
            projection: tensor(parts.projection.iter().copied().collect(), parts.projection.dim())?,
        })
    }

    /// The vectors of shapes, `[shapes, components]`, from the probabilities of their leaves' variable
    /// indices, shape by shape and from left to right: `[leaves, variables]`.
    pub fn vectors(&self, shapes: &[Formula], probabilities: &Tensor) -> Result<Tensor, VaeError> {
        self.project(&fuzzy::values(shapes, &probabilities.matmul(&self.variables)?)?.affine(2.0, -1.0)?)
    }

    /// The vectors of values between -1 and 1 at all assignments: `[rows, assignments]`.
    pub(crate) fn project(&self, signs: &Tensor) -> Result<Tensor, VaeError> {
        let features = match &self.pool {
            None => signs.clone(),
            Some(pool) => {
                let plain = signs.matmul(pool)?;
                match self.sigma2 {
                    // exp(−(1 − k) / σ²)
                    Some(sigma2) => plain.affine(1.0 / sigma2, -1.0 / sigma2)?.exp()?,
                    None => plain,
                }
            }
        };
        Ok(features.broadcast_sub(&self.mean)?.matmul(&self.projection)?)
    }
}

//! Normal distributions of latent vectors, and the prior.

use candle_core::Tensor;
use candle_nn::{Linear, Module, VarBuilder, linear};

use super::{Codes, Model, missing_conditions};
use crate::config::{ModelConfig, Prior};
use crate::error::VaeError;
use crate::random::{Purpose, generator, normal};
use crate::semantics::Conditions;

/// Normal distributions with independent components, one per row: both tensors are `[rows, latent]`.
#[derive(Clone, Debug)]
pub struct Gaussian {
    /// The means.
    pub mean: Tensor,
    /// The logarithms of the variances.
    pub log_variance: Tensor,
}

impl Gaussian {
    /// `mean + scale · σ ε`, with the given standard normal numbers ε.
    pub(crate) fn sample(&self, scale: f64, noise: &Tensor) -> Result<Tensor, VaeError> {
        Ok((&self.mean + (((&self.log_variance * 0.5)?.exp()? * noise)? * scale)?)?)
    }
}

/// From a semantic vector to the prior: means, then log-variances.
#[derive(Clone)]
pub(super) struct PriorNetwork {
    /// Only for [`Prior::Network`].
    hidden: Option<Linear>,
    output: Linear,
}

impl PriorNetwork {
    pub fn new(model: &ModelConfig, width: usize, vb: &VarBuilder<'_>) -> Result<Option<Self>, VaeError> {
        let (hidden, output) = (model.hidden, 2 * model.latent);
        Ok(match model.prior {
            Prior::Standard => None,
            Prior::Learned => Some(Self { hidden: None, output: linear(width, output, vb.pp("prior"))? }),
            Prior::Network => Some(Self {
                hidden: Some(linear(width, hidden, vb.pp("prior.0"))?),
                output: linear(hidden, output, vb.pp("prior.2"))?,
            }),
        })
    }

    fn forward(&self, vectors: &Tensor, latent: usize) -> Result<Gaussian, VaeError> {
        let hidden = self.hidden.as_ref().map(|hidden| hidden.forward(vectors)?.relu()).transpose()?;
        let both = self.output.forward(hidden.as_ref().unwrap_or(vectors))?;
        Ok(Gaussian { mean: both.narrow(1, 0, latent)?, log_variance: both.narrow(1, latent, latent)? })
    }
}

impl Model {
    /// The prior distribution of latent vectors under these conditions.
    pub(crate) fn prior(&self, conditions: &Conditions) -> Result<Gaussian, VaeError> {
        match (&self.prior, conditions.vectors()) {
            (Some(prior), Some(vectors)) => {
                prior.forward(&vectors.to_device(self.device())?, self.config.latent)
            }
            (Some(_), None) => Err(missing_conditions()),
            (None, _) => {
                let shape = (conditions.rows(), self.config.latent);
                let zeros = Tensor::zeros(shape, self.dtype(), self.device())?;
                Ok(Gaussian { mean: zeros.clone(), log_variance: zeros })
            }
        }
    }

    /// Latent vectors sampled from the prior, one per condition.
    pub fn sample_prior(&self, conditions: Conditions, seed: u64) -> Result<Codes, VaeError> {
        let mut rng = generator(seed, Purpose::Prior, 0);
        let noise = normal(&mut rng, conditions.rows(), self.config.latent, self.dtype(), self.device())?;
        Ok(Codes { z: self.prior(&conditions)?.sample(1.0, &noise)?, conditions })
    }

    /// KL(posterior ‖ prior), summed over the rows.
    pub(crate) fn divergence(
        &self,
        posterior: &Gaussian,
        conditions: &Conditions,
    ) -> Result<Tensor, VaeError> {
        let Gaussian { mean, log_variance } = posterior;
        let twice = match &self.prior {
            // exp(v) + μ² − 1 − v
            None => ((log_variance.exp()? + mean.sqr()?)? - (log_variance + 1.0)?)?,
            // (exp(v) + (μ − m)²) / exp(p) − 1 + p − v
            Some(_) => {
                let prior = self.prior(conditions)?;
                let scaled =
                    ((log_variance.exp()? + (mean - &prior.mean)?.sqr()?)? / prior.log_variance.exp()?)?;
                ((scaled - 1.0)? + (&prior.log_variance - log_variance)?)?
            }
        };
        Ok((twice.sum_all()? * 0.5)?)
    }
}

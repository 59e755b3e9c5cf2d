//! The loss: −log p(φ | z, y) + β KL(N(μ, σ²) ‖ prior).

use candle_core::{Device, Tensor};

use super::{Batch, Gaussian, Model};
use crate::error::VaeError;

/// The loss of a batch, summed over its formulae.
pub struct Loss {
    /// `nll + beta · kl`, differentiable.
    pub total: Tensor,
    /// The negative log-likelihood.
    pub nll: Tensor,
    /// The Kullback-Leibler divergence of the posterior from the prior.
    pub kl: Tensor,
}

/// The formulae of a batch that are decoded from the prior instead of the posterior.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FromPrior {
    /// The number of formulae, which come first.
    pub count: usize,
    /// Whether their noise grows from none for the first to the prior's own for the last.
    pub graded: bool,
}

impl FromPrior {
    /// The noise of these formulae.
    fn noise(&self, noise: &Tensor) -> Result<Tensor, VaeError> {
        let noise = noise.narrow(0, 0, self.count)?;
        if !self.graded {
            return Ok(noise);
        }
        let last = (self.count - 1).max(1) as f64;
        let scales: Vec<f64> = (0..self.count).map(|row| row as f64 / last).collect();
        let scales = Tensor::from_vec(scales, (self.count, 1), &Device::Cpu)?;
        Ok(noise.broadcast_mul(&scales.to_dtype(noise.dtype())?.to_device(noise.device())?)?)
    }
}

impl Model {
    /// −log p(φ | z, y) of each formula: `[formulae]`. Differentiable.
    pub fn negative_log_likelihood(&self, batch: &Batch, z: &Tensor) -> Result<Tensor, VaeError> {
        let expected = [batch.len(), self.config.latent];
        if z.dims() != expected {
            let message = format!("the latent vectors are {:?}, but {expected:?} is expected", z.dims());
            return Err(VaeError::Input(message));
        }
        let h0 = self.start(&z.to_device(self.device())?, &batch.conditions)?;
        let goals = self.goals(&batch.conditions)?;
        Ok(self.decoder.negative_log_likelihood(&batch.forest, &h0, goals, self.implementation)?)
    }

    /// The loss of a batch. `noise` has one row of standard normal numbers per formula.
    pub fn loss(&self, batch: &Batch, noise: &Tensor, beta: f64) -> Result<Loss, VaeError> {
        self.hybrid_loss(batch, noise, beta, FromPrior::default())
    }

    /// The loss where some formulae are decoded from the prior instead of the posterior. The decoder then
    /// learns to follow the condition as well as to reconstruct: the hybrid objective of Sohn, Lee and Yan
    /// (2015).
    pub(crate) fn hybrid_loss(
        &self,
        batch: &Batch,
        noise: &Tensor,
        beta: f64,
        from_prior: FromPrior,
    ) -> Result<Loss, VaeError> {
        let posterior: Gaussian = self.posterior(batch)?;
        let mut z = posterior.sample(self.config.noise, noise)?;
        if from_prior.count > 0 {
            let count = from_prior.count;
            // Detached: the prior follows the posterior, not the other way round.
            let prior = self.prior(&batch.conditions.first(count)?)?;
            let sampled = prior.sample(1.0, &from_prior.noise(noise)?)?.detach();
            z = Tensor::cat(&[&sampled, &z.narrow(0, count, batch.len() - count)?], 0)?;
        }
        let nll = self.negative_log_likelihood(batch, &z)?.sum_all()?;
        let kl = self.divergence(&posterior, &batch.conditions)?;
        Ok(Loss { total: (&nll + (&kl * beta)?)?, nll, kl })
    }
}

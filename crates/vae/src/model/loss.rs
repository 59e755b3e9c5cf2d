//! The loss: −log p(φ | z, y) + β KL(N(μ, σ²) ‖ prior).

use candle_core::Tensor;

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
        self.hybrid_loss(batch, noise, beta, 0)
    }

    /// The loss where the first `from_prior` formulae are decoded from the prior instead of the posterior.
    /// The decoder then learns to follow the condition as well as to reconstruct: the hybrid objective of
    /// Sohn, Lee and Yan (2015).
    pub(crate) fn hybrid_loss(
        &self,
        batch: &Batch,
        noise: &Tensor,
        beta: f64,
        from_prior: usize,
    ) -> Result<Loss, VaeError> {
        let posterior: Gaussian = self.posterior(batch)?;
        let mut z = posterior.sample(self.config.noise, noise)?;
        if from_prior > 0 {
            let rest = batch.len() - from_prior;
            // Detached: the prior follows the posterior, not the other way round.
            let prior = self.prior(&batch.conditions.first(from_prior)?)?;
            let sampled = prior.sample(1.0, &noise.narrow(0, 0, from_prior)?)?.detach();
            z = Tensor::cat(&[&sampled, &z.narrow(0, from_prior, rest)?], 0)?;
        }
        let nll = self.negative_log_likelihood(batch, &z)?.sum_all()?;
        let kl = self.divergence(&posterior, &batch.conditions)?;
        Ok(Loss { total: (&nll + (&kl * beta)?)?, nll, kl })
    }
}

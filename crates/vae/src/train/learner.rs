//! What is trained: one type per task.

use std::sync::Arc;

use candle_core::{DType, Device, Tensor, Var};
use logicvae_compute::Parameters;
use logicvae_kernel::Embedding;
use logicvae_logic::Formula;
use rand_chacha::ChaCha8Rng;

use super::report::LossTerms;
use crate::config::{Config, Task};
use crate::decoder::generate::{Decoded, Decoding};
use crate::error::VaeError;
use crate::leaves::LeafModel;
use crate::metrics::agreement;
use crate::model::{FromPrior, Model};
use crate::random::normal;

/// A model that can be trained. Cheap to clone: clones share weights.
#[derive(Clone)]
#[allow(clippy::large_enum_variant)] // There is one per training.
pub enum Learner {
    /// An autoencoder of formulae.
    Autoencoder(Model),
    /// A network that predicts the variables of leaves.
    Leaves(LeafModel),
}

/// The loss of a batch, summed over its formulae.
pub(super) struct BatchLoss {
    /// Differentiable.
    pub total: Tensor,
    pub terms: LossTerms<Tensor>,
}

/// What training needs to know about a model.
pub(super) trait Trainable {
    /// The loss of formulae. `weight` multiplies the second term. A conditional autoencoder decodes some of
    /// the formulae from its prior.
    fn loss(
        &self,
        formulae: &[Formula],
        rng: ChaCha8Rng,
        weight: f64,
        from_prior: FromPrior,
    ) -> Result<BatchLoss, VaeError>;

    /// The reconstruction loss of each formula, without gradients: how hard each one is.
    fn difficulties(&self, formulae: &[Formula], rng: ChaCha8Rng) -> Result<Vec<f64>, VaeError>;

    /// The number of formulae that are predicted correctly, for validation.
    fn count_correct(&self, formulae: &[Formula]) -> Result<f64, VaeError>;

    /// The weights that training changes, by name.
    fn trained(&self) -> Vec<(String, Var)>;
}

/// Noise for a batch of formulae.
fn noise(model: &Model, formulae: &[Formula], mut rng: ChaCha8Rng) -> Result<Tensor, VaeError> {
    let (rows, latent) = (formulae.len(), model.config().latent);
    Ok(normal(&mut rng, rows, latent, model.dtype(), model.device())?)
}

impl Trainable for Model {
    fn loss(
        &self,
        formulae: &[Formula],
        rng: ChaCha8Rng,
        beta: f64,
        from_prior: FromPrior,
    ) -> Result<BatchLoss, VaeError> {
        let noise = noise(self, formulae, rng)?;
        let loss = self.hybrid_loss(&self.prepare_training(formulae)?, &noise, beta, from_prior)?;
        let terms = LossTerms::Autoencoder { nll: loss.nll, kl: loss.kl };
        Ok(BatchLoss { total: loss.total, terms })
    }

    fn difficulties(&self, formulae: &[Formula], rng: ChaCha8Rng) -> Result<Vec<f64>, VaeError> {
        let noise = noise(self, formulae, rng)?;
        let batch = self.prepare(formulae)?;
        let z = self.posterior(&batch)?.sample(self.config().noise, &noise)?.detach();
        let losses = self.frozen().negative_log_likelihood(&batch, &z)?;
        Ok(losses.to_dtype(DType::F64)?.to_vec1()?)
    }

    /// Formulae that greedy decoding reconstructs, up to the order of children.
    fn count_correct(&self, formulae: &[Formula]) -> Result<f64, VaeError> {
        let decoded = self.decode(&self.encode(formulae)?, Decoding::Greedy)?;
        let equal = |(list, wanted): &(&Vec<Decoded>, &Formula)| {
            list[0].formula.as_ref().is_some_and(|found| found.sorted() == wanted.sorted())
        };
        Ok(decoded.iter().zip(formulae).filter(equal).count() as f64)
    }

    fn trained(&self) -> Vec<(String, Var)> {
        self.trained()
    }
}

impl Trainable for LeafModel {
    fn loss(
        &self,
        formulae: &[Formula],
        _: ChaCha8Rng,
        lambda: f64,
        _: FromPrior,
    ) -> Result<BatchLoss, VaeError> {
        let loss = self.loss(&self.prepare(formulae)?, lambda)?;
        let (cross_entropy, semantic_distance) = (loss.cross_entropy, loss.semantic_distance);
        Ok(BatchLoss { total: loss.total, terms: LossTerms::Leaves { cross_entropy, semantic_distance } })
    }

    fn difficulties(&self, _: &[Formula], _: ChaCha8Rng) -> Result<Vec<f64>, VaeError> {
        Err(VaeError::Input("a leaf model does not reconstruct formulae".into()))
    }

    /// The fraction of assignments on which prediction and truth agree, summed over formulae.
    fn count_correct(&self, formulae: &[Formula]) -> Result<f64, VaeError> {
        let predicted = self.predict(&self.prepare(formulae)?)?;
        Ok(agreement(&predicted, formulae, self.variables())?.iter().sum())
    }

    fn trained(&self) -> Vec<(String, Var)> {
        self.parameters().vars()
    }
}

fn missing_embedding() -> VaeError {
    let reason = "a leaf model needs a semantic embedding".into();
    VaeError::Setting { setting: "context".into(), reason }
}

impl Learner {
    /// A model with initial weights, as the settings say.
    pub fn initial(
        config: &Config,
        embedding: Option<Arc<Embedding>>,
        device: &Device,
    ) -> Result<Self, VaeError> {
        Ok(match config.model.task {
            Task::Autoencoder => Self::Autoencoder(Model::initial(config, embedding, DType::F32, device)?),
            Task::Leaves => {
                let embedding = embedding.ok_or_else(missing_embedding)?;
                Self::Leaves(LeafModel::initial(config, embedding, DType::F32, device)?)
            }
        })
    }

    /// A model with the weights of a safetensors file. Nothing is sampled or fitted.
    pub(crate) fn from_weights(
        config: &Config,
        embedding: Option<Arc<Embedding>>,
        weights: &[u8],
        device: &Device,
    ) -> Result<Self, VaeError> {
        Ok(match config.model.task {
            Task::Autoencoder => Self::Autoencoder(Model::from_weights(config, embedding, weights, device)?),
            Task::Leaves => {
                let embedding = embedding.ok_or_else(missing_embedding)?;
                Self::Leaves(LeafModel::from_weights(config, embedding, weights, device)?)
            }
        })
    }

    /// The autoencoder, if it is one.
    pub fn autoencoder(&self) -> Option<&Model> {
        match self {
            Self::Autoencoder(model) => Some(model),
            Self::Leaves(_) => None,
        }
    }

    /// The weights.
    pub fn parameters(&self) -> &Parameters {
        match self {
            Self::Autoencoder(model) => model.parameters(),
            Self::Leaves(model) => model.parameters(),
        }
    }

    pub(super) fn trainable(&self) -> &dyn Trainable {
        match self {
            Self::Autoencoder(model) => model,
            Self::Leaves(model) => model,
        }
    }
}

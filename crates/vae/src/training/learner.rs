//! What a training trains.

use candle_core::{DType, Device, Tensor, Var};
use logicvae_gnn::Parameters;
use logicvae_kernel::Embedding;
use logicvae_logic::Formula;
use rand_chacha::ChaCha8Rng;

use crate::config::{Config, Task};
use crate::decode::Decoding;
use crate::error::VaeError;
use crate::hierarchy::LeafModel;
use crate::measures::agreement;
use crate::model::{Loss, Model};
use crate::random::normal;

/// A model that can be trained, by [`Task`]. Cheap to clone: clones share weights.
#[derive(Clone)]
#[allow(clippy::large_enum_variant)] // There is one in a training.
pub enum Learner {
    /// An autoencoder.
    Formulae(Model),
    /// A network that names the leaves of shapes.
    Leaves(LeafModel),
}

fn no_context() -> VaeError {
    VaeError::Input(
        "leaves are learned from the meaning of the whole: give a context for each formula".into(),
    )
}

impl Learner {
    /// A model with first weights, as the settings want it.
    pub fn on(
        config: &Config,
        embedding: Option<&Embedding>,
        dtype: DType,
        device: &Device,
    ) -> Result<Self, VaeError> {
        Ok(match config.model.task {
            Task::Formulae => {
                let model = Model::on(config, dtype, device)?;
                embedding.map_or(Ok(()), |embedding| model.read_contexts_of(config, embedding))?;
                Self::Formulae(model)
            }
            Task::Leaves => {
                Self::Leaves(LeafModel::on(config, embedding.ok_or_else(no_context)?, dtype, device)?)
            }
        })
    }

    /// The autoencoder, if it is one.
    pub fn model(&self) -> Option<&Model> {
        match self {
            Self::Formulae(model) => Some(model),
            Self::Leaves(_) => None,
        }
    }

    /// The weights.
    pub fn parameters(&self) -> &Parameters {
        match self {
            Self::Formulae(model) => model.parameters(),
            Self::Leaves(model) => model.parameters(),
        }
    }

    /// The weights that training changes, by name.
    pub(super) fn trained(&self) -> Vec<(String, Var)> {
        match self {
            Self::Formulae(model) => model.trained(),
            Self::Leaves(model) => model.parameters().vars(),
        }
    }

    /// The type of the weights.
    pub fn dtype(&self) -> DType {
        match self {
            Self::Formulae(model) => model.dtype(),
            Self::Leaves(model) => model.dtype(),
        }
    }

    /// Where the weights are.
    pub fn device(&self) -> &Device {
        match self {
            Self::Formulae(model) => model.device(),
            Self::Leaves(model) => model.device(),
        }
    }

    /// The loss of formulae: of an autoencoder by its first term `nll` and its second `kl`; where leaves are learned, these are
    /// the cross-entropy and the distance of semantic vectors. `hybrid` is the share of formulae that are decoded from the prior.
    pub(super) fn loss(
        &self,
        formulae: &[Formula],
        context: Option<&Tensor>,
        mut rng: ChaCha8Rng,
        weight: f64,
        hybrid: f64,
    ) -> Result<Loss, VaeError> {
        match self {
            Self::Formulae(model) => {
                let noise =
                    normal(&mut rng, formulae.len(), model.config().latent, model.dtype(), model.device())?;
                let from_prior = (hybrid * formulae.len() as f64).floor() as usize;
                model.hybrid_loss(&model.prepare(formulae)?, &noise, context, weight, from_prior)
            }
            Self::Leaves(model) => {
                let loss = model.loss(&model.prepare(formulae)?, context.ok_or_else(no_context)?, weight)?;
                Ok(Loss { total: loss.total, nll: loss.entropy, kl: loss.distance })
            }
        }
    }

    /// The negative log-likelihood of each formula, decoded from its encoding. Nothing is left for a backward pass.
    pub(super) fn losses(
        &self,
        formulae: &[Formula],
        context: Option<&Tensor>,
        mut rng: ChaCha8Rng,
    ) -> Result<Vec<f64>, VaeError> {
        let Self::Formulae(model) = self else {
            return Err(VaeError::Input("only an autoencoder decodes formulae".into()));
        };
        let noise = normal(&mut rng, formulae.len(), model.config().latent, model.dtype(), model.device())?;
        let batch = model.prepare(formulae)?;
        let z = model.posterior(&batch, context)?.sample(model.config().noise, &noise)?.detach();
        let losses = model.frozen().negative_log_likelihood(&batch, &z, context)?;
        Ok(losses.to_dtype(DType::F64)?.to_vec1()?)
    }

    /// How many of the formulae are right, for a validation: those that greedy decoding gives back up to the order of
    /// children; where leaves are learned, the share of assignments at which prediction and truth agree counts.
    pub(super) fn right(&self, formulae: &[Formula], context: Option<&Tensor>) -> Result<f64, VaeError> {
        match self {
            Self::Formulae(model) => {
                let posterior = model.posterior(&model.prepare(formulae)?, context)?;
                let found = model.decode(&posterior.mean, context, Decoding::Greedy)?;
                let equal = |(list, wanted): &(&Vec<crate::Decoded>, &Formula)| {
                    list[0].formula.as_ref().is_some_and(|found| found.sorted() == wanted.sorted())
                };
                Ok(found.iter().zip(formulae).filter(equal).count() as f64)
            }
            Self::Leaves(model) => {
                let found = model.predict(&model.prepare(formulae)?, context.ok_or_else(no_context)?)?;
                let shares = agreement(&found, formulae, model.variables())?;
                Ok(shares.iter().sum())
            }
        }
    }
}

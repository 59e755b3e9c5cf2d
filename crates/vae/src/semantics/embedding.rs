//! The semantic embedding of a conditional model: the meaning of a formula as a vector.

use candle_core::{DType, Device, Tensor};
use logicvae_kernel::{Domain, Embedding, EmbeddingParams, Form};
use logicvae_logic::{Formula, SamplerParams};

use crate::config::Config;
use crate::error::VaeError;

/// From this many variables on, the kernel uses sampled assignments instead of all.
const EXACT_VARIABLES: usize = 12;
/// The number of sampled assignments.
pub(crate) const SAMPLED_ASSIGNMENTS: usize = 4096;

/// Fits the embedding of a conditional model, or returns `None` if the settings have no `[context]`. The
/// result depends only on the settings.
pub fn fit_embedding(config: &Config) -> Result<Option<Embedding>, VaeError> {
    let Some(context) = &config.context else { return Ok(None) };
    let domain = match config.model.variables as usize {
        few if few < EXACT_VARIABLES => Domain::exact(few)?,
        many => Domain::monte_carlo(many, SAMPLED_ASSIGNMENTS, context.pool_seed)?,
    };
    let form = context.gaussian.map_or(Form::Plain, |sigma2| Form::Gaussian { sigma2 });
    let params = EmbeddingParams { form, method: context.method, ..EmbeddingParams::new(context.components) };
    let embedding = Embedding::fit(domain, &pool(config)?, &params)?;
    Ok(Some(match context.projected_gaussian {
        Some(sigma2) => embedding.with_form(Form::Gaussian { sigma2 })?,
        None => embedding,
    }))
}

/// The formulae that the embedding is fitted on; empty without a `[context]`.
pub(crate) fn pool(config: &Config) -> Result<Vec<Formula>, VaeError> {
    let Some(context) = &config.context else { return Ok(Vec::new()) };
    let max_nodes = config.data.set.sampler.max_nodes;
    let sampler = SamplerParams { max_nodes, ..SamplerParams::new(config.model.variables) };
    Ok(sampler.check()?.distinct(context.pool_seed, context.pool)?)
}

/// The semantic vectors of formulae: `[formulae, components]`.
pub(crate) fn semantic_vectors(
    embedding: &Embedding,
    formulae: &[Formula],
    dtype: DType,
    device: &Device,
) -> Result<Tensor, VaeError> {
    let vectors = embedding.transform(formulae)?;
    let shape = vectors.dim();
    let values: Vec<f64> = vectors.into_iter().collect();
    Ok(Tensor::from_vec(values, shape, &Device::Cpu)?.to_dtype(dtype)?.to_device(device)?)
}

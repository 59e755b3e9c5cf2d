//! Contexts: the meaning of a formula as a vector, for conditional models.

use candle_core::{DType, Device, Tensor};
use logicvae_kernel::{Domain, Embedding, EmbeddingParams, Form};
use logicvae_logic::{Formula, SamplerParams};

use crate::config::Config;
use crate::error::VaeError;

/// From this many variables on, the kernel compares on drawn assignments instead of all.
const EXACT_VARIABLES: usize = 12;
/// How many are drawn.
pub(crate) const DRAWN: usize = 4096;

/// Fits the semantic embedding that a conditional run is conditioned on; `None` for other runs. It depends on the settings
/// alone.
pub fn fit_context(config: &Config) -> Result<Option<Embedding>, VaeError> {
    let Some(context) = &config.context else { return Ok(None) };
    let measure = match config.model.variables as usize {
        few if few < EXACT_VARIABLES => Domain::exact(few)?,
        many => Domain::monte_carlo(many, DRAWN, context.pool_seed)?,
    };
    let form = context.gaussian.map_or(Form::Plain, |sigma2| Form::Gaussian { sigma2 });
    let params = EmbeddingParams { form, ..EmbeddingParams::new(context.components) };
    Ok(Some(Embedding::fit(measure, &pool(config)?, &params)?))
}

/// The formulae that the embedding is fitted on; none without a context.
pub(crate) fn pool(config: &Config) -> Result<Vec<Formula>, VaeError> {
    let Some(context) = &config.context else { return Ok(Vec::new()) };
    let max_nodes = config.data.set.sampler.max_nodes;
    let sampler = SamplerParams { max_nodes, ..SamplerParams::new(config.model.variables) };
    Ok(sampler.check()?.distinct(context.pool_seed, context.pool)?)
}

/// The semantic vectors of formulae: `[formulae, components]`.
pub fn context_of(
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

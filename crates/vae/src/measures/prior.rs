//! What does the model make up?

use candle_core::Tensor;
use logicvae_kernel::Embedding;
use logicvae_logic::Formula;
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::context::context_of;
use crate::decode::Decoding;
use crate::error::VaeError;
use crate::measures::Protocol;
use crate::model::Model;
use crate::random::{Purpose, generator, normal, seed};

/// What decodings of prior samples are. Shares are between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Generation {
    /// Validity: the share of decodings that are formulae.
    pub validity: f64,
    /// Uniqueness: different formulae, as ordered trees, per valid decoding.
    pub uniqueness: f64,
    /// Novelty: the share of valid decodings that the model was never trained on, as ordered trees.
    pub novelty: f64,
}

/// Latent vectors in one call of the decoder.
const PART: usize = 1000;

/// Decodes prior samples. A conditional model takes its contexts from `formulae`, in turn; `trained` is what it has learned
/// from, in any order and with repetitions ([`trained_formulae`](crate::trained_formulae)): it is gone through once.
pub fn generation(
    model: &Model,
    formulae: &[Formula],
    trained: impl IntoIterator<Item = Formula>,
    embedding: Option<&Embedding>,
    protocol: &Protocol,
    mut progress: impl FnMut(usize),
) -> Result<Generation, VaeError> {
    let contexts = match embedding {
        Some(_) if formulae.is_empty() => {
            return Err(VaeError::Input("a conditional model needs formulae to take contexts from".into()));
        }
        Some(embedding) => Some(context_of(embedding, formulae, model.dtype(), model.device())?),
        None => None,
    };
    let (mut all, mut valid) = (0usize, 0usize);
    let mut found: FxHashMap<Formula, usize> = FxHashMap::default();
    for first in (0..protocol.prior_samples).step_by(PART) {
        let rows = PART.min(protocol.prior_samples - first);
        let context = contexts.as_ref().map(|contexts| {
            let which: Vec<u32> = (first..first + rows).map(|i| (i % formulae.len()) as u32).collect();
            contexts.index_select(&Tensor::new(which, model.device())?, 0)
        });
        let context = context.transpose()?;
        let mut rng = generator(protocol.seed, Purpose::Prior, first as u64);
        let noise = normal(&mut rng, rows, model.config().latent, model.dtype(), model.device())?;
        let z = model.prior(rows, context.as_ref())?.sample(protocol.prior_noise, &noise)?;
        let from = seed(protocol.seed, Purpose::Decodings).wrapping_add(first as u64);
        let context = context.as_ref().zip(embedding);
        for decoded in model
            .decode_guided(&z, context, Decoding::samples(protocol.prior_decodings, from))?
            .into_iter()
            .flatten()
        {
            all += decoded.count;
            let Some(formula) = decoded.formula else { continue };
            valid += decoded.count;
            *found.entry(formula).or_default() += decoded.count;
        }
        progress(first + rows);
    }
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let uniqueness = share(found.len(), valid);
    // Each is taken out when it first comes, so that repetitions do not count twice.
    let known: usize = trained.into_iter().filter_map(|formula| found.remove(&formula)).sum();
    Ok(Generation { validity: share(valid, all), uniqueness, novelty: share(valid - known, valid) })
}

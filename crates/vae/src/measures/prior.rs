//! What does the model make up?

use candle_core::Tensor;
use logicvae_kernel::Embedding;
use logicvae_logic::Formula;
use rustc_hash::FxHashSet;
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
    /// Novelty: the share of valid decodings that are no training formulae.
    pub novelty: f64,
}

/// Latent vectors in one call of the decoder.
const PART: usize = 1000;

/// Decodes prior samples. A conditional model takes its contexts from `formulae`, in turn; `train` is what it has learned
/// from.
pub fn generation(
    model: &Model,
    formulae: &[Formula],
    train: &[Formula],
    embedding: Option<&Embedding>,
    protocol: &Protocol,
    mut progress: impl FnMut(usize),
) -> Result<Generation, VaeError> {
    let train: FxHashSet<&Formula> = train.iter().collect();
    let contexts = match embedding {
        Some(_) if formulae.is_empty() => {
            return Err(VaeError::Input("a conditional model needs formulae to take contexts from".into()));
        }
        Some(embedding) => Some(context_of(embedding, formulae, model.dtype(), model.device())?),
        None => None,
    };
    let (mut all, mut valid, mut new) = (0usize, 0usize, 0usize);
    let mut different: FxHashSet<Formula> = FxHashSet::default();
    for first in (0..protocol.prior_samples).step_by(PART) {
        let rows = PART.min(protocol.prior_samples - first);
        let context = contexts.as_ref().map(|contexts| {
            let which: Vec<u32> = (first..first + rows).map(|i| (i % formulae.len()) as u32).collect();
            contexts.index_select(&Tensor::new(which, model.device())?, 0)
        });
        let context = context.transpose()?;
        let mut rng = generator(protocol.seed, Purpose::Prior, first as u64);
        let noise = normal(&mut rng, rows, model.config().latent, model.dtype(), model.device())?;
        let z = model.prior(rows, context.as_ref())?.sample(1.0, &noise)?;
        let drawn = Decoding::samples(protocol.prior_decodings, seed(protocol.seed, Purpose::Prior).wrapping_add(first as u64));
        for decoded in model.decode(&z, context.as_ref(), drawn)?.into_iter().flatten() {
            all += decoded.count;
            let Some(formula) = decoded.formula else { continue };
            valid += decoded.count;
            if !train.contains(&formula) {
                new += decoded.count;
            }
            different.insert(formula);
        }
        progress(first + rows);
    }
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    Ok(Generation { validity: share(valid, all), uniqueness: share(different.len(), valid), novelty: share(new, valid) })
}

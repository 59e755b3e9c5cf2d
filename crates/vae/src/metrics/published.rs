//! The measures of the authors' program where they differ from those that the paper describes.
//!
//! - Encodings have no noise: [`Protocol::posterior_noise`](super::Protocol::posterior_noise) is 0.
//! - Novelty counts distinct formulae: `published_novelty` of [`Generation`](super::Generation).
//! - Conditions are the meanings of newly drawn formulae, the first decoding is kept instead of the most
//!   frequent one, and pairs of a formula with itself count: [`published_conditional`].

use logicvae_kernel::{Form, Kernel, PAPER_SIGMA2};
use logicvae_logic::{DatasetSpec, Formula, SamplerParams};
use serde::Serialize;

use super::{Protocol, mean, quartiles};
use crate::decoder::generate::Decoding;
use crate::error::VaeError;
use crate::model::{Codes, Model};
use crate::random::{Purpose, generator, normal, seed};

/// The size beyond which a drawn formula is drawn again. The authors' program has no limit, and with its leaf
/// probability hardly any formula is as large.
const LARGEST: usize = 10_000;

/// The seed of the formulae whose meanings are the conditions.
const SEED: u64 = 300;

/// How close decodings are to the requested meaning, as the authors' program measures it. NaN if there are no
/// valid decodings.
#[derive(Clone, Debug, Serialize)]
pub struct PublishedConditional {
    /// The Euclidean distance of the decoded formulae's semantic vectors from the condition.
    pub distance: f64,
    /// Its quartiles over conditions.
    pub distance_quartiles: [f64; 3],
    /// The Gaussian kernel with σ² = 0.44 between decoded formulae of one condition, over all pairs, of which
    /// some are a formula with itself.
    pub kernel: f64,
    /// Its quartiles over conditions.
    pub kernel_quartiles: [f64; 3],
    /// The number of different meanings among the conditions.
    pub meanings: usize,
    /// The distance for each condition, for confidence intervals.
    pub distances: Vec<f64>,
    /// The kernel for each condition.
    pub kernels: Vec<f64>,
}

/// Formulae as the authors' program draws them for conditions: with leaf probability 0.5, at most `variables`
/// variables, no limit on their size, and repetitions.
pub fn published_contexts(variables: u32, count: usize) -> Result<Vec<Formula>, VaeError> {
    let sampler = match DatasetSpec::preset(&format!("published-{variables}")) {
        Some(spec) => spec.sampler,
        // The same distribution for another number of variables.
        None => SamplerParams { p_leaf: 0.5, ..SamplerParams::new(variables) },
    };
    let sampler = SamplerParams { max_nodes: LARGEST, ..sampler }.check()?;
    Ok((0..count as u64).map(|index| sampler.sample(SEED, index)).collect::<Result<_, _>>()?)
}

/// Decodes prior samples under each condition, one decoding per sample. `progress` receives the number of
/// conditions done.
pub fn published_conditional(
    model: &Model,
    contexts: &[Formula],
    protocol: &Protocol,
    mut progress: impl FnMut(usize),
) -> Result<PublishedConditional, VaeError> {
    let contexts = &contexts[..protocol.contexts.min(contexts.len())];
    let Some(embedding) = model.embedding() else {
        return Err(VaeError::Input("this metric needs a conditional model".into()));
    };
    let conditions = model.conditions_of(contexts)?;
    let wanted = embedding.transform(contexts)?;
    let kernel = Kernel::new(embedding.domain().clone(), Form::Gaussian { sigma2: PAPER_SIGMA2 })?;
    let (mut distances, mut kernels) = (Vec::new(), Vec::new());
    for number in 0..contexts.len() {
        let rows = protocol.context_samples;
        let condition = conditions.select(&vec![number; rows])?;
        let position = 1 << 41 | number as u64;
        let mut rng = generator(protocol.seed, Purpose::Prior, position);
        let noise = normal(&mut rng, rows, model.config().latent, model.dtype(), model.device())?;
        let z = model.prior(&condition)?.sample(protocol.prior_noise, &noise)?;
        let from = seed(protocol.seed, Purpose::Decodings).wrapping_add(position);
        let decoded = model.decode(&Codes { z, conditions: condition }, Decoding::samples(1, from))?;
        let kept: Vec<Formula> = decoded.into_iter().flatten().filter_map(|d| d.formula).collect();
        if !kept.is_empty() {
            let vectors = embedding.transform(&kept)?;
            let distance =
                vectors.rows().into_iter().map(|v| (&v - &wanted.row(number)).mapv(|d| d * d).sum().sqrt());
            distances.push(mean(&distance.collect::<Vec<f64>>()));
            kernels.push(kernel.gram(&kept)?.mean().unwrap_or(f64::NAN));
        }
        progress(number + 1);
    }
    let values = embedding.domain().values(contexts)?;
    let meanings: std::collections::HashSet<_> = (0..contexts.len()).map(|row| values.row(row)).collect();
    Ok(PublishedConditional {
        distance: mean(&distances),
        distance_quartiles: quartiles(&distances),
        kernel: mean(&kernels),
        kernel_quartiles: quartiles(&kernels),
        meanings: meanings.len(),
        distances,
        kernels,
    })
}

//! What does the model generate?

use logicvae_logic::Formula;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::Protocol;
use crate::decoder::generate::Decoding;
use crate::error::VaeError;
use crate::model::{Codes, Model};
use crate::random::{Purpose, generator, normal, seed};
use crate::semantics::Conditions;

/// Properties of decoded prior samples, as fractions between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Generation {
    /// Validity: the fraction of decodings that are formulae.
    pub validity: f64,
    /// Uniqueness: the number of distinct formulae, as ordered trees, per valid decoding.
    pub uniqueness: f64,
    /// Novelty: the fraction of valid decodings that the model was never trained on, as ordered trees.
    pub novelty: f64,
    /// Novelty as the authors' program counts it: the number of distinct formulae, as ordered trees, that are
    /// not among the given training formulae, per valid decoding. It is at most the uniqueness.
    pub published_novelty: f64,
}

/// The number of latent vectors in one call of the decoder.
const PART: usize = 1000;

/// Decodes prior samples. A conditional model takes its conditions from `formulae`, in turn. `given` are the
/// training formulae as they were given; there are none if they were sampled fresh. `trained` lists what the
/// model was trained on ([`trained_formulae`](crate::trained_formulae)) in any order and with repetitions; it
/// is traversed once, after the last sample. `progress` receives the number of samples done.
pub fn generation(
    model: &Model,
    formulae: &[Formula],
    given: &[Formula],
    trained: impl IntoIterator<Item = Formula>,
    protocol: &Protocol,
    mut progress: impl FnMut(usize) + Send,
) -> Result<Generation, VaeError> {
    let conditional = model.embedding().is_some();
    if conditional && formulae.is_empty() {
        return Err(VaeError::Input("a conditional model needs formulae to take conditions from".into()));
    }
    let all_conditions = if conditional { model.conditions_of(formulae)? } else { Conditions::none(0) };
    let (mut all, mut valid) = (0usize, 0usize);
    let mut found: FxHashMap<Formula, usize> = FxHashMap::default();
    for first in (0..protocol.prior_samples).step_by(PART) {
        let rows = PART.min(protocol.prior_samples - first);
        let conditions = match conditional {
            true => {
                let which: Vec<usize> = (first..first + rows).map(|i| i % formulae.len()).collect();
                all_conditions.select(&which)?
            }
            false => Conditions::none(rows),
        };
        let mut rng = generator(protocol.seed, Purpose::Prior, first as u64);
        let noise = normal(&mut rng, rows, model.config().latent, model.dtype(), model.device())?;
        let z = model.prior(&conditions)?.sample(protocol.prior_noise, &noise)?;
        let from = seed(protocol.seed, Purpose::Decodings).wrapping_add(first as u64);
        let decodings = Decoding::samples(protocol.prior_decodings, from);
        let codes = Codes { z, conditions };
        let lists = model.decode_with_progress(&codes, decodings, |done| progress(first + done))?;
        for decoded in lists.into_iter().flatten() {
            all += decoded.count;
            let Some(formula) = decoded.formula else { continue };
            valid += decoded.count;
            *found.entry(formula).or_default() += decoded.count;
        }
    }
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let uniqueness = share(found.len(), valid);
    let mut repeated: FxHashSet<&Formula> = FxHashSet::default();
    repeated.extend(given.iter().filter(|&formula| found.contains_key(formula)));
    let published_novelty = share(found.len() - repeated.len(), valid);
    // Each formula is removed when it first occurs, so that repetitions do not count twice.
    let known: usize = trained.into_iter().filter_map(|formula| found.remove(&formula)).sum();
    let (validity, novelty) = (share(valid, all), share(valid - known, valid));
    Ok(Generation { validity, uniqueness, novelty, published_novelty })
}

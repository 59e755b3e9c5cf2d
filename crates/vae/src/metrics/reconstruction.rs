//! Are formulae reconstructed?

use candle_core::DType;
use logicvae_logic::Formula;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::{Protocol, mean};
use crate::decoder::generate::{Decoded, Decoding};
use crate::error::VaeError;
use crate::model::{Codes, Model};
use crate::random::{Purpose, generator, normal, seed};

/// How well formulae are reconstructed. Fractions are between 0 and 1.
#[derive(Clone, Debug, Serialize)]
pub struct Reconstruction {
    /// The negative log-likelihood −log p(φ | z), averaged over formulae and posterior samples.
    pub nll: f64,
    /// The KL divergence of the posterior from the prior, averaged over formulae.
    pub kl: f64,
    /// Accuracy: the fraction of decodings that equal the input up to the order of the children of ∧ and ∨.
    /// This is the paper's metric; its code tests whether labelled graphs are isomorphic.
    pub accuracy: f64,
    /// The fraction of decodings that equal the input as ordered trees.
    pub ordered_accuracy: f64,
    /// Mode accuracy: the fraction of formulae whose most frequent decoding equals the input, up to the order
    /// of children. Among equally frequent decodings, the first counts.
    pub mode_accuracy: f64,
    /// The fraction of formulae whose most frequent decoding equals the input as an ordered tree.
    pub ordered_mode_accuracy: f64,
    /// Semantic accuracy: the fraction of decodings that are logically equivalent to the input.
    pub semantic_accuracy: f64,
    /// The fraction of decodings that are formulae at all.
    pub valid: f64,
    /// The fraction of formulae that greedy decoding of the posterior mean reconstructs, as ordered trees.
    pub greedy_accuracy: f64,
    /// The same for each formula, for confidence intervals.
    pub by_formula: ByFormula,
}

/// Metrics of each formula, in the order of the formulae.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ByFormula {
    /// Accuracies.
    pub accuracy: Vec<f64>,
    /// Accuracies as ordered trees.
    pub ordered_accuracy: Vec<f64>,
    /// 1 if the most frequent decoding is correct up to the order of children, otherwise 0.
    pub mode_accuracy: Vec<f64>,
    /// Semantic accuracies.
    pub semantic_accuracy: Vec<f64>,
}

/// The result for one formula.
struct Single {
    accuracy: f64,
    ordered: f64,
    semantic: f64,
    valid: f64,
    mode: bool,
    ordered_mode: bool,
    greedy: bool,
}

/// The number of formulae in one pass through the model.
const PART: usize = 50;

/// Encodes each formula, draws posterior samples, decodes each of them several times, and compares the
/// results with the formula. `progress` receives the number of formulae done.
pub fn reconstruction(
    model: &Model,
    formulae: &[Formula],
    protocol: &Protocol,
    mut progress: impl FnMut(usize),
) -> Result<Reconstruction, VaeError> {
    let (mut singles, mut nll, mut kl) = (Vec::with_capacity(formulae.len()), 0.0, 0.0);
    for (number, part) in formulae.chunks(PART).enumerate() {
        let conditions = model.conditions_of(part)?;
        let batch = model.prepare_with(part, conditions.clone())?;
        let learned = match protocol.sorted {
            true => {
                let sorted: Vec<Formula> = part.iter().map(Formula::sorted).collect();
                model.prepare_with(&sorted, conditions.clone())?
            }
            false => batch.clone(),
        };
        let posterior = model.posterior(&batch)?;
        kl += model.divergence(&posterior, &conditions)?.to_dtype(DType::F64)?.to_scalar::<f64>()?;
        let codes = |z| Codes { z, conditions: conditions.clone() };
        let greedy = model.decode(&codes(posterior.mean.clone()), Decoding::Greedy)?;
        let mut decoded: Vec<Vec<Decoded>> = vec![Vec::new(); part.len()];
        for encoding in 0..protocol.encodings {
            let position = (number * protocol.encodings + encoding) as u64;
            let mut rng = generator(protocol.seed, Purpose::Posterior, position);
            let noise = normal(&mut rng, part.len(), model.config().latent, model.dtype(), model.device())?;
            let scale = protocol.posterior_noise.unwrap_or(model.config().noise);
            let z = posterior.sample(scale, &noise)?;
            let loss = model.negative_log_likelihood(&learned, &z)?;
            nll += loss.sum_all()?.to_dtype(DType::F64)?.to_scalar::<f64>()?;
            let from = seed(protocol.seed, Purpose::Decodings).wrapping_add(position);
            let lists = model.decode(&codes(z), Decoding::samples(protocol.decodings, from))?;
            decoded.iter_mut().zip(lists).for_each(|(all, list)| all.extend(list));
            // An encoding of all formulae in this part is the same work as all encodings of a share of them.
            progress(singles.len() + part.len() * (encoding + 1) / (protocol.encodings + 1));
        }
        let compared = (part.par_iter().zip(decoded).zip(greedy)).map(|((wanted, decoded), greedy)| {
            let greedy = greedy.first().and_then(|d| d.formula.as_ref()) == Some(wanted);
            Single { greedy, ..compare(wanted, &decoded) }
        });
        singles.extend(compared.collect::<Vec<Single>>());
        progress(singles.len());
    }
    let values = |of: fn(&Single) -> f64| singles.iter().map(of).collect::<Vec<f64>>();
    let share = |of: fn(&Single) -> f64| mean(&values(of));
    let count = formulae.len() as f64;
    Ok(Reconstruction {
        nll: nll / (count * protocol.encodings as f64),
        kl: kl / count,
        accuracy: share(|s| s.accuracy),
        ordered_accuracy: share(|s| s.ordered),
        mode_accuracy: share(|s| f64::from(u8::from(s.mode))),
        ordered_mode_accuracy: share(|s| f64::from(u8::from(s.ordered_mode))),
        semantic_accuracy: share(|s| s.semantic),
        valid: share(|s| s.valid),
        greedy_accuracy: share(|s| f64::from(u8::from(s.greedy))),
        by_formula: ByFormula {
            accuracy: values(|s| s.accuracy),
            ordered_accuracy: values(|s| s.ordered),
            mode_accuracy: values(|s| f64::from(u8::from(s.mode))),
            semantic_accuracy: values(|s| s.semantic),
        },
    })
}

/// Compares one formula with its decodings.
fn compare(wanted: &Formula, decoded: &[Decoded]) -> Single {
    let sorted = wanted.sorted();
    let (mut same, mut ordered, mut semantic, mut valid, mut all) = (0, 0, 0, 0, 0);
    // In the order of first appearance, so that the first of several equally frequent ones wins.
    let mut trees: Vec<(Formula, usize)> = Vec::new();
    let mut classes: Vec<(Formula, usize)> = Vec::new();
    let (mut tree_at, mut class_at) = (FxHashMap::default(), FxHashMap::default());
    for Decoded { formula, count, .. } in decoded {
        all += count;
        let Some(formula) = formula else { continue };
        valid += count;
        let at = *tree_at.entry(formula.clone()).or_insert_with(|| {
            trees.push((formula.clone(), 0));
            trees.len() - 1
        });
        trees[at].1 += count;
    }
    for (formula, count) in &trees {
        let class = formula.sorted();
        if formula == wanted {
            ordered += count;
        }
        if class == sorted {
            same += count;
            semantic += count;
        } else if formula.is_equivalent(wanted) {
            semantic += count;
        }
        let at = *class_at.entry(class.clone()).or_insert_with(|| {
            classes.push((class, 0));
            classes.len() - 1
        });
        classes[at].1 += count;
    }
    let most_frequent = |list: &[(Formula, usize)]| {
        let top = list.iter().map(|(_, count)| *count).max()?;
        list.iter().find(|(_, count)| *count == top).map(|(formula, _)| formula.clone())
    };
    let share = |count: usize| count as f64 / all.max(1) as f64;
    Single {
        accuracy: share(same),
        ordered: share(ordered),
        semantic: share(semantic),
        valid: share(valid),
        mode: most_frequent(&classes).as_ref() == Some(&sorted),
        ordered_mode: most_frequent(&trees).as_ref() == Some(wanted),
        greedy: false,
    }
}

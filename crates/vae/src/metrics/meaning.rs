//! Do vectors carry the meaning, and does a meaning lead back to formulae?

use candle_core::DType;
use logicvae_kernel::{Domain, Form, Kernel};
use logicvae_logic::{Formula, spearman};
use ndarray::Array2;
use rayon::prelude::*;
use serde::Serialize;

use super::inversion::random_formulae;
use super::{mean, quartiles};
use crate::decoder::generate::Decoding;
use crate::error::VaeError;
use crate::model::{Codes, Model, Refinement};

/// The number of candidates from which the best is kept.
const CANDIDATES: usize = 10;
/// The number of points of a walk.
const STEPS: usize = 9;

/// The sizes of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeaningProtocol {
    /// Formulae whose distances are compared with the kernel.
    pub compared: usize,
    /// Formulae whose meanings are expressed again.
    pub expressed: usize,
    /// Walks between two formulae.
    pub walks: usize,
    /// The seed of all formulae.
    pub seed: u64,
}

/// How well the embedding carries meanings. Fractions are between 0 and 1.
#[derive(Clone, Debug, Serialize)]
pub struct Meaning {
    /// Spearman's rank correlation of distance and kernel over all pairs: -1 is best.
    pub spearman: f64,
    /// The mean kernel of a formula and its nearest neighbour.
    pub neighbour_kernel: f64,
    /// The same as a share of what the best neighbour would give.
    pub neighbour_share: f64,
    /// The largest distance between the vectors of two equivalent formulae.
    pub largest_syntactic: f64,
    /// The smallest distance between the vectors of two formulae with different meanings.
    pub smallest_semantic: f64,
    /// The number of meanings that were expressed.
    pub meanings: usize,
    /// Meanings for which greedy decoding of the prior's mean gives an equivalent formula.
    pub first_equivalent: f64,
    /// Meanings for which one of ten formulae of a beam search is equivalent.
    pub best_equivalent: f64,
    /// The size of the shortest equivalent formula relative to the source: the median. Where none is
    /// equivalent, the ratio is infinite.
    pub size_ratio: f64,
    /// The number of walks.
    pub walks: usize,
    /// Walks whose two ends decode exactly to the given formulae.
    pub exact_ends: f64,
    /// The mean kernel of consecutive steps.
    pub walk_kernel: f64,
}

/// Measures the meaning in vectors of random formulae. The model must
/// [read meanings](Model::reads_meanings). `progress` receives the completed fraction.
pub fn meaning(
    model: &Model,
    protocol: &MeaningProtocol,
    mut progress: impl FnMut(f64),
) -> Result<Meaning, VaeError> {
    let (variables, max_nodes) = (model.config().variables, model.config().max_nodes);
    let count = protocol.compared.max(protocol.expressed).max(2 * protocol.walks);
    let all = random_formulae(variables, max_nodes, count, protocol.seed)?;
    let first = |count: usize| &all[..count.min(all.len())];
    let kernel = Kernel::new(Domain::exact(variables as usize)?, Form::Plain)?;
    let compared = compare(model, &kernel, first(protocol.compared))?;
    progress(0.4);
    let expressed = first(protocol.expressed);
    let (first_equivalent, best_equivalent, ratios) = express(model, &kernel, expressed)?;
    progress(0.7);
    let (exact_ends, walk_kernel) = walks(model, &kernel, first(2 * protocol.walks), |share| {
        progress(0.7 + 0.3 * share);
    })?;
    Ok(Meaning {
        spearman: compared.spearman,
        neighbour_kernel: compared.neighbour,
        neighbour_share: compared.neighbour / compared.best,
        largest_syntactic: compared.largest_syntactic,
        smallest_semantic: compared.smallest_semantic,
        meanings: expressed.len(),
        first_equivalent,
        best_equivalent,
        size_ratio: quartiles(&ratios)[1],
        walks: protocol.walks,
        exact_ends,
        walk_kernel,
    })
}

struct Compared {
    spearman: f64,
    neighbour: f64,
    best: f64,
    largest_syntactic: f64,
    smallest_semantic: f64,
}

/// Compares distances and kernels of all pairs.
fn compare(model: &Model, kernel: &Kernel, formulae: &[Formula]) -> Result<Compared, VaeError> {
    let vectors: Vec<Vec<f64>> = model.vectors(&model.encode(formulae)?)?.to_dtype(DType::F64)?.to_vec2()?;
    let gram: Array2<f64> = kernel.gram(formulae)?;
    let count = formulae.len();
    let distances: Vec<Vec<f64>> = (0..count)
        .into_par_iter()
        .map(|a| (0..count).map(|b| distance(&vectors[a], &vectors[b])).collect())
        .collect();
    let pairs = || (0..count).flat_map(|a| (0..a).map(move |b| (a, b)));
    let (d, k): (Vec<f64>, Vec<f64>) = pairs().map(|(a, b)| (distances[a][b], gram[(a, b)])).unzip();
    let equivalent = |k: f64| k > 1.0 - 1e-9;
    let (mut largest_syntactic, mut smallest_semantic) = (0f64, f64::INFINITY);
    for (&d, &k) in d.iter().zip(&k) {
        match equivalent(k) {
            true => largest_syntactic = largest_syntactic.max(d),
            false => smallest_semantic = smallest_semantic.min(d),
        }
    }
    let others = |a: usize| (0..count).filter(move |&b| b != a);
    let nearest = |a: usize| others(a).min_by(|&b, &c| distances[a][b].total_cmp(&distances[a][c]));
    let neighbour: Vec<f64> = (0..count).filter_map(|a| nearest(a).map(|b| gram[(a, b)])).collect();
    let best: Vec<f64> = (0..count).map(|a| others(a).map(|b| gram[(a, b)]).fold(-1.0, f64::max)).collect();
    Ok(Compared {
        spearman: spearman(&d, &k),
        neighbour: mean(&neighbour),
        best: mean(&best),
        largest_syntactic,
        smallest_semantic,
    })
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// The shares of meanings that one decoding and the best of ten express, and the size ratios of the shortest.
fn express(model: &Model, kernel: &Kernel, formulae: &[Formula]) -> Result<(f64, f64, Vec<f64>), VaeError> {
    let conditions = model.conditions_of(formulae)?;
    let z = model.prior(&conditions)?.mean.detach();
    let greedy = model.decode(&Codes { z, conditions: conditions.clone() }, Decoding::Greedy)?;
    let equivalent = |a: &Formula, b: &Formula| Ok::<bool, VaeError>(kernel.value(a, b)? > 1.0 - 1e-9);
    let mut first = 0;
    for (list, source) in greedy.iter().zip(formulae) {
        if let Some(formula) = &list[0].formula {
            first += usize::from(equivalent(formula, source)?);
        }
    }
    let mut ratios = Vec::with_capacity(formulae.len());
    for (list, source) in model.express(&conditions, CANDIDATES)?.iter().zip(formulae) {
        let mut shortest = f64::INFINITY;
        for found in list {
            if equivalent(&found.formula, source)? {
                shortest = shortest.min(found.formula.size() as f64 / source.size() as f64);
            }
        }
        ratios.push(shortest);
    }
    let best = ratios.iter().filter(|ratio| ratio.is_finite()).count();
    let share = |number: usize| number as f64 / formulae.len() as f64;
    Ok((share(first), share(best), ratios))
}

/// The share of walks with exact ends, and the mean kernel of consecutive steps.
fn walks(
    model: &Model,
    kernel: &Kernel,
    formulae: &[Formula],
    mut progress: impl FnMut(f64),
) -> Result<(f64, f64), VaeError> {
    let exact = model.refine(formulae, &model.encode(formulae)?, &Refinement::default(), |_| {})?.exact;
    let ends = exact.chunks_exact(2).filter(|ends| ends[0] && ends[1]).count();
    let pairs: Vec<&[Formula]> = formulae.chunks_exact(2).collect();
    let mut kernels = Vec::new();
    for (number, pair) in pairs.iter().enumerate() {
        let steps = model.walk(&pair[0], &pair[1], STEPS)?;
        for neighbours in steps.windows(2) {
            if let (Some(a), Some(b)) = (&neighbours[0].formula, &neighbours[1].formula) {
                kernels.push(kernel.value(a, b)?);
            }
        }
        progress((number + 1) as f64 / pairs.len() as f64);
    }
    Ok((ends as f64 / pairs.len() as f64, mean(&kernels)))
}

//! Is every kind of formula reconstructed from its vector?

use std::collections::BTreeMap;

use logicvae_logic::{Formula, FormulaKind, GeneralSampler, SampleError, SamplerParams, all_formulae};
use serde::Serialize;

use crate::decoder::generate::Decoding;
use crate::error::VaeError;
use crate::model::{Model, Refinement};

/// The size up to which every formula is tried.
const EXHAUSTIVE: usize = 5;
/// The largest number of variables for which every small formula is tried.
const EXHAUSTIVE_VARIABLES: u32 = 6;
/// Sizes are reported in steps of this many nodes.
const STEP: usize = 5;
/// The share of random formulae that each other kind has.
const OTHER_KINDS: usize = 4;

/// How many formulae of one kind are reconstructed exactly, as ordered trees, by greedy decoding.
#[derive(Clone, Debug, Serialize)]
pub struct InvertedKind {
    /// The kind of formula.
    pub kind: String,
    /// The number of formulae.
    pub formulae: usize,
    /// Those that are reconstructed from the posterior mean: by the network alone.
    pub exact: usize,
    /// Those that are reconstructed after refinement of the others' vectors, if that was measured.
    pub refined: Option<usize>,
}

/// Whether one formula is reconstructed.
#[derive(Clone, Copy)]
struct Single {
    exact: bool,
    refined: Option<bool>,
}

/// Encodes and decodes `count` random formulae of any size and any subset of the model's variables, every
/// formula of at most five nodes, and a quarter of `count` of other kinds. Random formulae are also reported
/// by size and by the number of variables. With `refine`, vectors that do not decode to their formula are
/// also refined. `progress` receives the number of formulae done, and of all.
pub fn inversion(
    model: &Model,
    count: usize,
    seed: u64,
    refine: bool,
    mut progress: impl FnMut(usize, usize),
) -> Result<Vec<InvertedKind>, VaeError> {
    let (variables, max_nodes) = (model.config().variables, model.config().max_nodes);
    let random = random_formulae(variables, max_nodes, count, seed)?;
    let mut sets = vec![("random".to_owned(), random)];
    if variables <= EXHAUSTIVE_VARIABLES {
        let all = all_formulae(variables, EXHAUSTIVE.min(max_nodes), model.config().constant);
        sets.push((format!("all of at most {EXHAUSTIVE} nodes"), all));
    }
    // A model that is too small for every variable has no formulae of these kinds.
    if let Ok(general) = GeneralSampler::new(variables, max_nodes) {
        let mut other = |name: &str, kind| -> Result<(), VaeError> {
            let sample = |index| Ok(general.sample_kind(kind, seed, index)?);
            let sampled = (0..(count / OTHER_KINDS) as u64).map(sample).collect::<Result<_, VaeError>>()?;
            sets.push((name.to_owned(), sampled));
            Ok(())
        };
        other("every variable occurs", FormulaKind::AllVariables)?;
        other("chains, implications and nestings", FormulaKind::Written)?;
        if model.config().constant {
            other("with constants", FormulaKind::Constants)?;
        }
    }
    let all: usize = sets.iter().map(|(_, set)| set.len()).sum();
    let (mut kinds, mut before) = (Vec::new(), 0);
    for (kind, set) in &sets {
        let results = reconstruct(model, set, refine, |done| progress(before + done, all))?;
        before += set.len();
        kinds.push(summary(kind.clone(), results.iter().copied()));
        if kind == "random" {
            let first = |size: usize| (size - 1) / STEP * STEP + 1;
            let by_size = |f: &Formula| {
                (first(f.size()), format!("{}-{} nodes", first(f.size()), first(f.size()) + STEP - 1))
            };
            kinds.extend(groups(set, &results, by_size));
            let by_variables = |f: &Formula| {
                let count = f.variables().len();
                (count, format!("{count} variable{}", if count == 1 { "" } else { "s" }))
            };
            kinds.extend(groups(set, &results, by_variables));
        }
    }
    Ok(kinds)
}

/// Distinct random formulae of any size; fewer than `count` if there are not so many.
pub(super) fn random_formulae(
    variables: u32,
    max_nodes: usize,
    count: usize,
    seed: u64,
) -> Result<Vec<Formula>, VaeError> {
    let sampler = SamplerParams { max_nodes, ..SamplerParams::new(variables) }.check()?;
    match sampler.distinct(seed, count) {
        Err(SampleError::TooFewDistinct { found, .. }) => Ok(sampler.distinct(seed, found)?),
        other => Ok(other?),
    }
}

fn reconstruct(
    model: &Model,
    formulae: &[Formula],
    refine: bool,
    mut progress: impl FnMut(usize),
) -> Result<Vec<Single>, VaeError> {
    let codes = model.encode(formulae)?;
    let decoded = model.decode(&codes, Decoding::Greedy)?;
    let refined: Vec<Option<bool>> = if refine {
        let refined = model.refine(formulae, &codes, &Refinement::default(), progress)?;
        refined.exact.into_iter().map(Some).collect()
    } else {
        progress(formulae.len());
        vec![None; formulae.len()]
    };
    let exact = decoded.iter().zip(formulae).map(|(list, f)| list[0].formula.as_ref() == Some(f));
    Ok(exact.zip(refined).map(|(exact, refined)| Single { exact, refined }).collect())
}

fn summary(kind: String, results: impl Iterator<Item = Single>) -> InvertedKind {
    results.fold(InvertedKind { kind, formulae: 0, exact: 0, refined: None }, |mut sum, one| {
        sum.formulae += 1;
        sum.exact += usize::from(one.exact);
        if let Some(refined) = one.refined {
            *sum.refined.get_or_insert(0) += usize::from(refined);
        }
        sum
    })
}

/// The results of groups of formulae, in the order of a number.
fn groups(
    formulae: &[Formula],
    results: &[Single],
    group: impl Fn(&Formula) -> (usize, String),
) -> Vec<InvertedKind> {
    let mut groups: BTreeMap<usize, (String, Vec<Single>)> = BTreeMap::new();
    for (formula, &result) in formulae.iter().zip(results) {
        let (order, name) = group(formula);
        groups.entry(order).or_insert_with(|| (name, Vec::new())).1.push(result);
    }
    groups.into_values().map(|(name, list)| summary(name, list.into_iter())).collect()
}

//! Are the variables of leaves predicted correctly?

use candle_core::DType;
use logicvae_kernel::Domain;
use logicvae_logic::{Formula, TABLE_LIMIT, uniform};
use serde::Serialize;

use super::mean;
use crate::error::VaeError;
use crate::leaves::LeafModel;
use crate::random::{Purpose, generator};
use crate::semantics::SAMPLED_ASSIGNMENTS;

/// How well the variables of leaves are predicted, given shapes and semantic vectors. Fractions are between 0
/// and 1.
#[derive(Clone, Debug, Serialize)]
pub struct Leaves {
    /// Disagreement, the paper's metric: the fraction of assignments on which the formula with the most
    /// probable variable at each leaf differs from the true one, averaged over formulae. With more than 20
    /// variables, assignments are sampled.
    pub disagreement: f64,
    /// The fraction of leaves whose most probable variable is the true one.
    pub leaf_accuracy: f64,
    /// The fraction of formulae that equal the true one.
    pub exact: f64,
    /// The fraction of formulae that agree with the true one on all these assignments.
    pub equivalent: f64,
    /// The disagreement of uniformly random variables: the baseline.
    pub guessing: f64,
    /// The number of candidates that are sampled for each formula, to keep the one whose semantic vector is
    /// closest to the requested one.
    pub candidates: usize,
    /// The disagreement of the kept candidates. This is ours: the vector is known, so candidates can be
    /// checked.
    pub searched_disagreement: f64,
    /// The fraction of kept candidates that agree with the true formula on all these assignments.
    pub searched_equivalent: f64,
    /// The disagreement of each formula, for confidence intervals.
    pub disagreements: Vec<f64>,
    /// The same for the kept candidates.
    pub searched_disagreements: Vec<f64>,
}

/// The fraction of assignments on which two formulae agree, for each pair.
pub fn agreement(found: &[Formula], wanted: &[Formula], variables: usize) -> Result<Vec<f64>, VaeError> {
    let domain = match variables {
        few if few <= TABLE_LIMIT => Domain::exact(few)?,
        many => Domain::monte_carlo(many, SAMPLED_ASSIGNMENTS, 0)?,
    };
    let (found, wanted) = (domain.values(found)?, domain.values(wanted)?);
    let differ = |row: usize| {
        found.row(row).iter().zip(wanted.row(row)).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
    };
    Ok((0..found.rows()).map(|row| 1.0 - f64::from(differ(row)) / domain.len() as f64).collect())
}

/// The number of formulae in one pass through the network.
const PART: usize = 50;

/// Predicts the variables of each formula's leaves and compares. `progress` receives the number of formulae
/// done.
pub fn leaves(
    model: &LeafModel,
    formulae: &[Formula],
    candidates: usize,
    seed: u64,
    mut progress: impl FnMut(usize),
) -> Result<Leaves, VaeError> {
    let (variables, embedding) = (model.variables(), model.embedding());
    let (mut predicted, mut kept, mut guessed) = (Vec::new(), Vec::new(), Vec::new());
    let (mut correct, mut all) = (0usize, 0usize);
    for (part_number, part) in formulae.chunks(PART).enumerate() {
        let wanted = embedding.transform(part)?;
        let batch = model.prepare(part)?;
        let rows = model.probabilities(&batch)?.to_dtype(DType::F64)?.to_vec2::<f64>()?;
        let best: Vec<u32> = rows.iter().map(|row| largest(row)).collect();
        correct += best.iter().zip(batch.indices()).filter(|(a, b)| a == b).count();
        all += best.len();
        let first = model.assemble(&batch, &best)?;
        let mut lists: Vec<Vec<Formula>> = first.iter().map(|f| vec![f.clone()]).collect();
        let mut rng = generator(seed, Purpose::Decodings, part_number as u64);
        for _ in 1..candidates {
            let drawn: Vec<u32> = rows.iter().map(|row| choose(row, uniform(&mut rng))).collect();
            lists
                .iter_mut()
                .zip(model.assemble(&batch, &drawn)?)
                .for_each(|(list, formula)| list.push(formula));
        }
        let blind: Vec<u32> = rows.iter().map(|_| (uniform(&mut rng) * variables as f64) as u32).collect();
        guessed.extend(model.assemble(&batch, &blind)?);
        for (number, list) in lists.iter().enumerate() {
            let vectors = embedding.transform(list)?;
            let distances: Vec<f64> = vectors
                .rows()
                .into_iter()
                .map(|v| (&v - &wanted.row(number)).mapv(|d| d * d).sum())
                .collect();
            let nearest =
                distances.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(at, _)| at);
            kept.push(list[nearest].clone());
        }
        predicted.extend(first);
        progress(predicted.len());
    }
    let differ = |found: &[Formula]| -> Result<Vec<f64>, VaeError> {
        Ok(agreement(found, formulae, variables)?.into_iter().map(|share| 1.0 - share).collect())
    };
    let none = |list: &[f64]| list.iter().filter(|&&d| d == 0.0).count() as f64 / list.len() as f64;
    let (disagreements, searched_disagreements) = (differ(&predicted)?, differ(&kept)?);
    Ok(Leaves {
        disagreement: mean(&disagreements),
        leaf_accuracy: correct as f64 / all as f64,
        exact: predicted.iter().zip(formulae).filter(|(a, b)| a == b).count() as f64 / formulae.len() as f64,
        equivalent: none(&disagreements),
        guessing: mean(&differ(&guessed)?),
        candidates,
        searched_disagreement: mean(&searched_disagreements),
        searched_equivalent: none(&searched_disagreements),
        disagreements,
        searched_disagreements,
    })
}

fn largest(row: &[f64]) -> u32 {
    row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(at, _)| at as u32)
}

/// The variable that a number between 0 and 1 selects.
fn choose(row: &[f64], at: f64) -> u32 {
    let mut sum = 0.0;
    let found = row.iter().position(|p| {
        sum += p;
        at < sum
    });
    found.unwrap_or(row.len() - 1) as u32
}

//! Are the variables at the leaves the right ones?

use candle_core::DType;
use logicvae_kernel::{Domain, Embedding};
use logicvae_logic::{Formula, TABLE_LIMIT};
use serde::Serialize;

use crate::context::{DRAWN, context_of};
use crate::error::VaeError;
use crate::hierarchy::LeafModel;
use crate::measures::mean;
use crate::random::{Purpose, generator, uniform};

/// How well the leaves of formulae are named, given their shapes and semantic vectors. Shares are between 0 and 1.
#[derive(Clone, Debug, Serialize)]
pub struct Leaves {
    /// Disagreement: the share of assignments on which the formula with the most probable index at each leaf differs from the
    /// true one (the paper's measure), mean over formulae. All assignments count, or drawn ones where there are more than 20 variables.
    pub disagreement: f64,
    /// The share of leaves whose most probable index is the true one.
    pub leaf_accuracy: f64,
    /// The share of formulae that are equal to the true one.
    pub exact: f64,
    /// The share of formulae that agree with the true one on all these assignments.
    pub equivalent: f64,
    /// The disagreement if indices are drawn uniformly: what knowing nothing gives.
    pub guessing: f64,
    /// How many candidates are drawn for each formula from the leaves' probabilities, to keep the one whose semantic vector
    /// is nearest to the wanted one.
    pub candidates: usize,
    /// The disagreement of those kept (ours: the vector is known, so it can be checked).
    pub searched_disagreement: f64,
    /// The share of those kept that agree with the true one on all these assignments.
    pub searched_equivalent: f64,
    /// The disagreement of each formula, for confidence intervals.
    pub disagreements: Vec<f64>,
    /// The same of those kept.
    pub searched_disagreements: Vec<f64>,
}

/// The share of assignments on which formulae of so many variables agree, pair by pair.
pub fn agreement(found: &[Formula], wanted: &[Formula], variables: usize) -> Result<Vec<f64>, VaeError> {
    let measure = match variables {
        few if few <= TABLE_LIMIT => Domain::exact(few)?,
        many => Domain::monte_carlo(many, DRAWN, 0)?,
    };
    let (found, wanted) = (measure.values(found)?, measure.values(wanted)?);
    let differ = |row: usize| {
        found.row(row).iter().zip(wanted.row(row)).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
    };
    Ok((0..found.rows()).map(|row| 1.0 - f64::from(differ(row)) / measure.len() as f64).collect())
}

/// Formulae in one pass through the network.
const PART: usize = 50;

/// Names the leaves of each formula's shape, and compares. `progress` is told how many formulae are done.
pub fn leaves(
    model: &LeafModel,
    formulae: &[Formula],
    embedding: &Embedding,
    candidates: usize,
    seed: u64,
    mut progress: impl FnMut(usize),
) -> Result<Leaves, VaeError> {
    let variables = model.variables();
    let (mut predicted, mut kept, mut guessed) = (Vec::new(), Vec::new(), Vec::new());
    let (mut right, mut all) = (0usize, 0usize);
    for (part_number, part) in formulae.chunks(PART).enumerate() {
        let context = context_of(embedding, part, model.dtype(), model.device())?;
        let wanted = embedding.transform(part)?;
        let batch = model.prepare(part)?;
        let rows = model.probabilities(&batch, &context)?.to_dtype(DType::F64)?.to_vec2::<f64>()?;
        let best: Vec<u32> = rows.iter().map(|row| largest(row)).collect();
        right += best.iter().zip(batch.indices()).filter(|(a, b)| a == b).count();
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
            let far: Vec<f64> = vectors
                .rows()
                .into_iter()
                .map(|v| (&v - &wanted.row(number)).mapv(|d| d * d).sum())
                .collect();
            let nearest = far.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(at, _)| at);
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
        leaf_accuracy: right as f64 / all as f64,
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

/// The index that a number between 0 and 1 falls on.
fn choose(row: &[f64], at: f64) -> u32 {
    let mut sum = 0.0;
    let found = row.iter().position(|p| {
        sum += p;
        at < sum
    });
    found.unwrap_or(row.len() - 1) as u32
}

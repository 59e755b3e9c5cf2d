//! Can the kernel predict whether an assignment satisfies a formula, from the labels of other formulae?
//!
//! A random assignment τ labels each training formula ±1 by its value at τ. Kernel ridge regression on these
//! labels predicts the sign for test formulae. The kernel excludes τ from its domain; otherwise the label
//! would be one of its features.

use ndarray::{Array1, Array2};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use super::paper_formulae;
use crate::domain::Domain;
use crate::error::KernelError;
use crate::form::Form;
use crate::gram::Kernel;
use crate::linalg::{Backend, eigen};

/// The settings of the experiment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassificationParams {
    /// The number of repetitions, each with its own formulae and assignment.
    pub repetitions: usize,
    /// The number of training formulae.
    pub train: usize,
    /// The number of test formulae.
    pub test: usize,
    /// The ridge penalty.
    pub ridge: f64,
    /// The form of the kernel.
    pub form: Form,
}

/// Test accuracies for one number of variables.
#[derive(Clone, Debug)]
pub struct Accuracy {
    /// The number of variables.
    pub variables: u32,
    /// The 5, 25, 50, 75 and 95 % quantiles over the repetitions.
    pub quantiles: [f64; 5],
    /// The mean over the repetitions.
    pub mean: f64,
    /// The mean fraction of the majority label: the accuracy of always guessing it.
    pub guessing: f64,
}

/// Runs the experiment for one number of variables.
pub fn classification(
    variables: u32,
    params: &ClassificationParams,
    seed: u64,
) -> Result<Accuracy, KernelError> {
    let results: Vec<(f64, f64)> = (0..params.repetitions)
        .into_par_iter()
        .map(|r| repetition(variables, params, seed, r as u64))
        .collect::<Result<_, _>>()?;
    let mean =
        |field: fn(&(f64, f64)) -> f64| results.iter().map(field).sum::<f64>() / results.len().max(1) as f64;
    let mut accuracies: Vec<f64> = results.iter().map(|r| r.0).collect();
    let quantiles = logicvae_logic::quantiles(&mut accuracies, [0.05, 0.25, 0.5, 0.75, 0.95]);
    Ok(Accuracy { variables, quantiles, mean: mean(|r| r.0), guessing: mean(|r| r.1) })
}

/// The test accuracy, and the accuracy of guessing the majority label.
fn repetition(
    variables: u32,
    params: &ClassificationParams,
    seed: u64,
    repetition: u64,
) -> Result<(f64, f64), KernelError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(repetition + 1);
    let formulae = paper_formulae(variables, params.train + params.test, rng.next_u64())?;
    let all = 1usize << variables;
    let hidden = rng.next_u64() as usize % all;
    let weights: Vec<f64> = (0..all).map(|i| if i == hidden { 0.0 } else { 1.0 }).collect();
    let domain = Domain::exact(variables as usize)?.weighted(&weights)?;
    let values = domain.values(&formulae)?;
    let labels: Array1<f64> =
        (0..formulae.len()).map(|row| if values.get(row, hidden) { 1.0 } else { -1.0 }).collect();

    let kernel = Kernel::new(domain, params.form)?;
    let (train, test) = formulae.split_at(params.train);
    let alpha =
        ridge(&kernel.gram(train)?, &labels.slice(ndarray::s![..params.train]).to_owned(), params.ridge)?;
    let scores = kernel.cross(test, train)?.dot(&alpha);
    let truth = labels.slice(ndarray::s![params.train..]);
    let correct = scores.iter().zip(truth).filter(|(score, label)| *score * *label > 0.0).count();
    let positive = truth.iter().filter(|label| **label > 0.0).count();
    let share = |part: usize| part as f64 / truth.len() as f64;
    Ok((share(correct), share(positive).max(1.0 - share(positive))))
}

/// Solves kernel ridge regression: (K + ridge·I)⁻¹·labels.
fn ridge(gram: &Array2<f64>, labels: &Array1<f64>, ridge: f64) -> Result<Array1<f64>, KernelError> {
    let parts = eigen(Backend::default(), gram)?;
    let inverse = parts.values.mapv(|v| 1.0 / (v.max(0.0) + ridge));
    Ok(parts.vectors.dot(&(parts.vectors.t().dot(labels) * inverse)))
}

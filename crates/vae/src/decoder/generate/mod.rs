//! Generation: from latent vectors to formulae, many at once.
//!
//! A tree is generated depth-first, one node per step. The trees of all latent vectors are generated
//! together, and samples of one vector that have made the same choices so far are computed only once. Ten
//! samples of a vector that the model is certain about cost as much as one.
//!
//! # With a budget, every decoded formula is valid
//!
//! **Theorem.** With the setting `budget` and at least one variable, a decoded tree is complete after at most
//! `max_nodes` nodes, whatever the weights are.
//!
//! *Proof.* Let `open` be the number of nodes that are still due, and `left` the number of nodes that may
//! still be added. At the start, `open = 1 ≤ max_nodes = left`. A node of arity `a` is allowed only if
//! `a ≤ left − open`. It fills one slot, opens `a` new ones, and uses up one node, so afterwards
//! `open − 1 + a ≤ left − 1`: the invariant `open ≤ left` holds. A leaf has `a = 0`, so at least leaves are
//! always allowed. Since `left` decreases with every node, generation ends, and only with `open = 0`. ∎

mod choice;
mod growth;
mod newest;
mod parents;
mod search;
mod weights;

use logicvae_logic::Formula;
use rayon::prelude::*;

pub(crate) use weights::{GenerationWeights, KeptWeights};

use crate::config::ModelConfig;
use crate::decoder::goals::Goal;
use crate::error::VaeError;
use growth::Growth;

/// How nodes are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decoding {
    /// The most probable type at every step.
    Greedy,
    /// Types are sampled.
    Sampled {
        /// The number of samples per vector.
        samples: usize,
        /// Logits are divided by it. Values below 1 favour probable types, values above 1 give more variety.
        temperature: f64,
        /// If given, only this many of the most probable types are sampled from.
        top_k: Option<usize>,
        /// The seed. Sample `i` of vector `v` depends on the seed, `v` and `i` only.
        seed: u64,
    },
    /// Beam search for the most probable formulae.
    Beam {
        /// The width of the beam.
        width: usize,
    },
}

impl Decoding {
    /// Samples at temperature 1, from all types.
    pub fn samples(samples: usize, seed: u64) -> Self {
        Self::Sampled { samples, temperature: 1.0, top_k: None, seed }
    }

    pub(crate) fn check(&self) -> Result<(), VaeError> {
        let refuse = |setting: &str, reason: &str| {
            Err(VaeError::Setting { setting: setting.into(), reason: reason.into() })
        };
        match *self {
            Decoding::Sampled { samples: 0, .. } => refuse("samples", "must be at least 1"),
            Decoding::Sampled { temperature, .. } if !(temperature > 0.0 && temperature.is_finite()) => {
                refuse("temperature", "must be positive; for the most probable types use greedy decoding")
            }
            Decoding::Sampled { top_k: Some(0), .. } => refuse("top_k", "must be at least 1"),
            Decoding::Beam { width: 0 } => refuse("beam", "the width must be at least 1"),
            _ => Ok(()),
        }
    }

    /// The maximum number of trees of one vector that are generated at once.
    fn width(&self) -> usize {
        match *self {
            Decoding::Greedy => 1,
            Decoding::Sampled { samples, .. } => samples,
            Decoding::Beam { width } => width,
        }
    }
}

/// A decoded formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The formula, or `None` if the tree was not complete after `max_nodes` nodes or is not a formula.
    pub formula: Option<Formula>,
    /// The log-probability of the choices made: for a formula, log p(φ | z, y).
    pub log_probability: f64,
    /// The number of samples that gave it.
    pub count: usize,
}

/// The number of trees that are generated together: many enough for fast products, and few enough for the
/// states to stay in the caches.
const TOGETHER: usize = 192;

/// The number of vectors that one thread decodes, if there are enough. It does not depend on the number of
/// threads, so neither do results.
const PART: usize = 512;

/// Decodes vectors, given z and y with one row per vector, and their goals, if the decoder is
/// goal-conditioned. `finish` receives each row with what was decoded from it, on any thread, and returns
/// what is kept of it.
pub(crate) fn generate(
    config: &ModelConfig,
    weights: &GenerationWeights,
    latent: &[f32],
    goals: &[Goal],
    decoding: Decoding,
    finish: impl Fn(usize, Vec<Decoded>) -> Result<Vec<Decoded>, VaeError> + Sync,
) -> Result<Vec<Vec<Decoded>>, VaeError> {
    let width = weights.inputs;
    let part = (PART / decoding.width()).max(1);
    let indices: Vec<usize> = (0..latent.len() / width).collect();
    let decoded: Vec<Vec<Vec<Decoded>>> = indices
        .par_chunks(part)
        .map(|indices| {
            let range = indices[0]..indices[0] + indices.len();
            let h0 = weights.start_inputs(&latent[range.start * width..range.end * width]);
            let goals = if goals.is_empty() { &[] } else { &goals[range] };
            let lists = Growth::new(config, weights, &h0, goals, TOGETHER).run(decoding, indices[0]);
            indices.iter().zip(lists).map(|(&row, list)| finish(row, list)).collect()
        })
        .collect::<Result<_, VaeError>>()?;
    Ok(decoded.into_iter().flatten().collect())
}

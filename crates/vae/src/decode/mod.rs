//! Decoding: from latent vectors to formulae, many at once.
//!
//! A tree grows depth-first, a node a step, as [the decoder](Model) has learned it. Trees of all latent vectors grow
//! together; decodings of one vector that have made the same choices so far are one computation, so that ten decodings of
//! a vector that the model is sure about cost as much as one.
//!
//! # With a budget, every decoded formula is valid
//!
//! **Theorem.** With the setting `budget`, and at least one variable, a decoded tree is complete after at most `max_nodes`
//! nodes, whatever the weights are.
//!
//! *Proof.* Let `open` be the number of nodes that are still due, `left` the number of nodes that may still be added. At
//! the start `open = 1 ≤ max_nodes = left`. A node of arity `a` is offered only if `a ≤ left − open`; it fills one slot,
//! opens `a`, and uses up one node, so afterwards `open − 1 + a ≤ left − 1`: `open ≤ left` stays true. A leaf has `a = 0`,
//! so there is always something to offer. Since `left` falls with every node, growth ends, and it ends only with
//! `open = 0`. ∎

mod choice;
mod growth;
mod guided;
mod search;
mod weights;

use candle_core::{DType, Device, Tensor};
use logicvae_logic::Formula;
use rayon::prelude::*;

use crate::decode::growth::Growth;
use crate::decode::weights::Weights;
use crate::error::VaeError;
use crate::model::Model;

/// How nodes are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decoding {
    /// The most probable type at every step.
    Greedy,
    /// Types are drawn.
    Sampled {
        /// How many decodings of each vector.
        samples: usize,
        /// Logits are divided by it: below 1 for what is more probable, above 1 for variety.
        temperature: f64,
        /// Only so many of the most probable types are drawn from; all if `None`.
        top_k: Option<usize>,
        /// The seed. Decoding number `i` of vector number `v` depends on the seed, `v` and `i` alone.
        seed: u64,
    },
    /// The most probable formulae, by following so many beginnings at once.
    Beam {
        /// How many.
        width: usize,
    },
}

impl Decoding {
    /// So many plain decodings, as the model gives their probabilities.
    pub fn samples(samples: usize, seed: u64) -> Self {
        Self::Sampled { samples, temperature: 1.0, top_k: None, seed }
    }

    fn check(&self) -> Result<(), VaeError> {
        let refuse = |setting: &str, reason: &str| {
            Err(VaeError::Setting { setting: setting.into(), reason: reason.into() })
        };
        match *self {
            Decoding::Sampled { samples: 0, .. } => refuse("samples", "must be at least 1"),
            Decoding::Sampled { temperature, .. } if !(temperature > 0.0 && temperature.is_finite()) => {
                refuse("temperature", "must be above 0; for the most probable types decode greedily")
            }
            Decoding::Sampled { top_k: Some(0), .. } => refuse("top_k", "must be at least 1"),
            Decoding::Beam { width: 0 } => refuse("beam", "the width must be at least 1"),
            _ => Ok(()),
        }
    }

    /// How many trees of one vector grow at once, at most.
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
    /// The formula; `None` if the tree was not complete after `max_nodes` nodes, or is none.
    pub formula: Option<Formula>,
    /// log p of the choices made, as the model gives it: for a formula, log p(φ | z, y).
    pub log_probability: f64,
    /// How many of the decodings gave it.
    pub count: usize,
}

/// Trees that grow together. Their number is fixed, so that results do not depend on threads, and small enough for their
/// states to stay in the caches.
const TOGETHER: usize = 256;

impl Model {
    /// Decodes latent vectors (`[rows, latent]`): for each the different results. Those of a beam stand with the most
    /// probable first, those of sampling with the most frequent first.
    ///
    /// ```
    /// use candle_core::{DType, Device, Tensor};
    /// use logicvae_vae::{Config, Decoding, Model};
    /// let model = Model::new(&Config::preset("tiny").unwrap())?;
    /// let z = Tensor::zeros((3, model.config().latent), DType::F32, &Device::Cpu)?;
    /// let decoded = model.decode(&z, None, Decoding::Beam { width: 5 })?;
    /// assert!(decoded.iter().all(|list| list[0].log_probability >= list[4].log_probability));
    /// # Ok::<(), logicvae_vae::VaeError>(())
    /// ```
    pub fn decode(
        &self,
        z: &Tensor,
        context: Option<&Tensor>,
        decoding: Decoding,
    ) -> Result<Vec<Vec<Decoded>>, VaeError> {
        decoding.check()?;
        let rows = match *z.dims() {
            [rows, width] if width == self.config().latent => rows,
            ref other => {
                let message = format!(
                    "latent vectors are {other:?}, but this model has {} numbers for each",
                    self.config().latent
                );
                return Err(VaeError::Input(message));
            }
        };
        if rows == 0 {
            return Ok(Vec::new());
        }
        let z = z.to_dtype(self.dtype())?.to_device(self.device())?;
        let h0 = self.start(&z, context)?.detach().to_dtype(DType::F32)?.to_device(&Device::Cpu)?;
        let h0: Vec<f32> = h0.flatten_all()?.to_vec1()?;
        let goals = self.goals(context)?;
        let weights = Weights::new(self.decoder())?;
        let part = (TOGETHER / decoding.width()).max(1);
        let numbers: Vec<usize> = (0..rows).collect();
        let decoded: Vec<Vec<Vec<Decoded>>> = numbers
            .par_chunks(part)
            .map(|numbers| {
                let h = weights.hidden;
                let h0 = &h0[numbers[0] * h..(numbers[0] + numbers.len()) * h];
                let goals =
                    if goals.is_empty() { &[] } else { &goals[numbers[0]..numbers[0] + numbers.len()] };
                Growth::new(self.config(), &weights, h0, goals).run(decoding, numbers[0])
            })
            .collect();
        Ok(decoded.into_iter().flatten().collect())
    }
}

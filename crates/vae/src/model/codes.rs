//! Encoding: from formulae to latent vectors.

use candle_core::Tensor;
use logicvae_gnn::GraphError;
use logicvae_logic::Formula;

use super::Model;
use crate::error::VaeError;
use crate::semantics::Conditions;

/// Latent vectors with the conditions under which they are decoded.
#[derive(Clone, Debug)]
pub struct Codes {
    /// `[rows, latent]`.
    pub z: Tensor,
    /// The semantic vectors of a conditional model.
    pub conditions: Conditions,
}

impl Codes {
    /// Latent vectors of a model that is not conditional.
    pub fn unconditional(z: Tensor) -> Result<Self, VaeError> {
        let rows = z.dims2()?.0;
        Ok(Self { z, conditions: Conditions::none(rows) })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.conditions.rows()
    }

    /// Some rows, in this order; a row may be repeated.
    pub fn select(&self, rows: &[usize]) -> Result<Self, VaeError> {
        let numbers: Vec<u32> = rows.iter().map(|&row| row as u32).collect();
        let z = self.z.index_select(&Tensor::new(numbers, self.z.device())?, 0)?;
        Ok(Self { z, conditions: self.conditions.select(rows)? })
    }
}

/// The number of formulae in one pass through the encoder.
const PART: usize = 256;

impl Model {
    /// Encodes formulae: the means of their posteriors, with their own meanings as conditions.
    pub fn encode(&self, formulae: &[Formula]) -> Result<Codes, VaeError> {
        self.encode_with_progress(formulae, |_| {})
    }

    /// Encodes formulae. `progress` receives the number of formulae done.
    pub fn encode_with_progress(
        &self,
        formulae: &[Formula],
        mut progress: impl FnMut(usize),
    ) -> Result<Codes, VaeError> {
        if formulae.is_empty() {
            return Err(GraphError::EmptyBatch.into());
        }
        let (mut z, mut vectors, mut done) = (Vec::new(), Vec::new(), 0);
        for part in formulae.chunks(PART) {
            let batch = self.prepare(part)?;
            z.push(self.posterior(&batch)?.mean.detach());
            vectors.extend(batch.conditions.vectors().cloned());
            done += part.len();
            progress(done);
        }
        let conditions = match vectors.is_empty() {
            true => Conditions::none(formulae.len()),
            false => Conditions::from_vectors(Tensor::cat(&vectors, 0)?)?,
        };
        Ok(Codes { z: Tensor::cat(&z, 0)?, conditions })
    }
}

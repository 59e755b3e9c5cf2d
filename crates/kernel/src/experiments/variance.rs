//! The variance explained by the leading components, for different numbers of variables.

use super::paper_formulae;
use crate::domain::Domain;
use crate::embedding::{Embedding, EmbeddingParams};
use crate::error::KernelError;
use crate::form::Form;

/// Cumulative explained variance for one number of variables.
#[derive(Clone, Debug)]
pub struct VarianceCurve {
    /// The number of variables.
    pub variables: u32,
    /// The fraction explained by the first component, the first two, … Shorter if the rank is lower.
    pub cumulative: Vec<f64>,
}

/// Fits gram-pca to `pool` random formulae for each number of variables.
pub fn variance(
    variables: impl IntoIterator<Item = u32>,
    pool: usize,
    components: usize,
    form: Form,
    seed: u64,
) -> Result<Vec<VarianceCurve>, KernelError> {
    let curve = |variables: u32| {
        let formulae = paper_formulae(variables, pool, seed)?;
        let params = EmbeddingParams { form, up_to_rank: true, ..EmbeddingParams::new(components) };
        let embedding = Embedding::fit(Domain::exact(variables as usize)?, &formulae, &params)?;
        let shares = embedding.explained_variance();
        let cumulative = shares.iter().scan(0.0, |sum, share| {
            *sum += share;
            Some(*sum)
        });
        Ok(VarianceCurve { variables, cumulative: cumulative.collect() })
    };
    variables.into_iter().map(curve).collect()
}

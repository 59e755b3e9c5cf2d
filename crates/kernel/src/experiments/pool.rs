//! The mean similarity of the formulae of a pool, as a baseline for other results.

use super::correlation::distances;
use super::paper_formulae;
use crate::domain::Domain;
use crate::embedding::{Embedding, EmbeddingParams};
use crate::error::KernelError;
use crate::form::Form;
use crate::gram::Kernel;

/// Averages over all pairs of a pool of formulae.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoolStatistics {
    /// The number of variables.
    pub variables: u32,
    /// The form of the kernel.
    pub form: Form,
    /// The mean kernel value.
    pub mean_kernel: f64,
    /// The mean distance between embeddings.
    pub mean_distance: f64,
    /// The number of components of the embedding.
    pub components: usize,
    /// The fraction of variance that the components explain.
    pub explained_variance: f64,
}

/// Computes the statistics of `count` random formulae, embedded by gram-pca with up to `components`
/// components.
pub fn pool_statistics(
    variables: u32,
    count: usize,
    components: usize,
    form: Form,
    seed: u64,
) -> Result<PoolStatistics, KernelError> {
    let formulae = paper_formulae(variables, count, seed)?;
    let domain = Domain::exact(variables as usize)?;
    let pairs = (count * count.saturating_sub(1)) as f64;
    let gram = Kernel::new(domain.clone(), form)?.gram(&formulae)?;
    let mean_kernel = (gram.sum() - gram.diag().sum()) / pairs;
    drop(gram);
    let params = EmbeddingParams { form, up_to_rank: true, ..EmbeddingParams::new(components) };
    let embedding = Embedding::fit(domain, &formulae, &params)?;
    let mean_distance = distances(&embedding.transform(&formulae)?).sum() / pairs;
    let explained_variance = embedding.explained_variance().sum();
    Ok(PoolStatistics {
        variables,
        form,
        mean_kernel,
        mean_distance,
        components: embedding.components(),
        explained_variance,
    })
}

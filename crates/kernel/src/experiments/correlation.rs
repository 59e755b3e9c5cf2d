//! Do distances between embeddings decrease as kernel values increase?

use logicvae_logic::{pearson, spearman};
use ndarray::Array2;

use super::paper_formulae;
use crate::domain::Domain;
use crate::embedding::{Embedding, EmbeddingParams};
use crate::error::KernelError;
use crate::form::Form;
use crate::gram::Kernel;

/// Kernel values and distances of all pairs of a set of formulae.
#[derive(Clone, Debug)]
pub struct Correlation {
    /// The number of variables.
    pub variables: u32,
    /// Kernel value and embedding distance of every pair, in the order of the formulae.
    pub pairs: Vec<(f64, f64)>,
    /// Pearson's correlation coefficient of the two.
    pub pearson: f64,
    /// Spearman's rank correlation coefficient: how close the relation is to a monotonic one.
    pub spearman: f64,
}

/// Embeds `count` formulae of n variables by gram-pca and compares their distances with kernel values in the
/// same form.
pub fn correlation(
    variables: u32,
    count: usize,
    components: usize,
    form: Form,
    seed: u64,
) -> Result<Correlation, KernelError> {
    let formulae = paper_formulae(variables, count, seed)?;
    let domain = Domain::exact(variables as usize)?;
    let gram = Kernel::new(domain.clone(), form)?.gram(&formulae)?;
    let params = EmbeddingParams { form, up_to_rank: true, ..EmbeddingParams::new(components) };
    let vectors = Embedding::fit(domain, &formulae, &params)?.transform(&formulae)?;
    let distance = distances(&vectors);
    let pairs: Vec<(f64, f64)> =
        (0..count).flat_map(|i| (0..i).map(move |j| (i, j))).map(|at| (gram[at], distance[at])).collect();
    let (kernels, distances): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let pearson = pearson(&kernels, &distances);
    let spearman = spearman(&kernels, &distances);
    Ok(Correlation { variables, pairs, pearson, spearman })
}

/// Euclidean distances between all pairs of rows.
pub(super) fn distances(vectors: &Array2<f64>) -> Array2<f64> {
    let products = crate::linalg::product(crate::linalg::Backend::default(), vectors.view(), vectors.t());
    let squares = products.diag().to_owned();
    Array2::from_shape_fn(products.dim(), |(i, j)| {
        (squares[i] + squares[j] - 2.0 * products[[i, j]]).max(0.0).sqrt()
    })
}

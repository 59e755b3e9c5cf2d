//! Selects the cheapest exact algorithm for an embedding.
//!
//! | algorithm | used for | cost |
//! |---|---|---|
//! | primal | plain kernel, at most [`MAX_PRIMAL`] assignments | N·m²/64 + m³ |
//! | dual, full | few distinct formulae, or nearly all components | u³ |
//! | dual, truncated | all other cases | u²·components |
//!
//! m is the number of assignments and u the number of *distinct* rows of values. Formulae with equal values
//! have equal rows in the Gram matrix, so each distinct row enters the decomposition once, weighted by its
//! number of occurrences.

use logicvae_logic::BitMatrix;

use super::{Embedding, EmbeddingParams, Features, dual, primal};
use crate::domain::Domain;
use crate::error::KernelError;
use crate::form::Form;
use crate::gram::Kernel;

/// The largest matrix that the primal algorithm decomposes.
const MAX_PRIMAL: usize = 2048;

/// Directions with less than this fraction of the largest variance are rounding errors.
const NEGLIGIBLE: f64 = 1e-13;

/// The result of an algorithm: mean and projection of the features, and the variances of all directions
/// found.
pub(super) struct Fitted {
    pub features: Features,
    pub mean: ndarray::Array1<f64>,
    pub projection: ndarray::Array2<f64>,
    pub variances: ndarray::Array1<f64>,
    pub total_variance: f64,
}

pub(super) fn fit(
    domain: Domain,
    pool: &BitMatrix,
    params: &EmbeddingParams,
) -> Result<Embedding, KernelError> {
    if pool.rows() < 2 {
        return Err(KernelError::NoFormulae { needed: "the pool must have at least two" });
    }
    if params.components == 0 {
        return Err(KernelError::NoComponents);
    }
    let kernel = Kernel::new(domain, params.form)?;
    let is_primal = params.form == Form::Plain && kernel.domain().len() <= MAX_PRIMAL;
    let fitted =
        if is_primal { primal::fit(&kernel, pool, params)? } else { dual::fit(&kernel, pool, params)? };

    let Fitted { features, mean, projection, variances, total_variance } = fitted;
    let largest = variances.iter().copied().fold(0.0, f64::max);
    let rank = variances
        .iter()
        .take(params.components)
        .take_while(|v| **v > NEGLIGIBLE * largest && **v > 0.0)
        .count();
    if rank == 0 || (rank < params.components && !params.up_to_rank) {
        return Err(KernelError::Rank { asked: params.components, rank });
    }
    let head = ndarray::s![..rank];
    Ok(Embedding {
        kernel,
        method: params.method,
        features,
        mean,
        projection: projection.slice(ndarray::s![.., ..rank]).to_owned(),
        variances: variances.slice(head).to_owned(),
        total_variance,
    })
}

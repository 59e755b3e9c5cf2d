//! Choosing the cheapest exact way to an embedding.
//!
//! | way | when | cost |
//! |---|---|---|
//! | primal | plain kernel, at most [`MAX_PRIMAL`] assignments | N·m²/64 + m³ |
//! | dual, whole | few different formulae, or nearly all components | u³ |
//! | dual, truncated | else | u²·components |
//!
//! m is the number of assignments and u the number of *different* rows of values: formulae with equal values have equal
//! rows in the Gram matrix, so they are decomposed once and counted as often as they occur.

use logicvae_logic::BitMatrix;

use super::{Embedding, EmbeddingParams, Features, dual, primal};
use crate::domain::Domain;
use crate::error::KernelError;
use crate::form::Form;
use crate::gram::Kernel;

/// The primal way decomposes a matrix of this size at the most.
const MAX_PRIMAL: usize = 2048;

/// Directions with less than this share of the leading variance are rounding.
const NEGLIGIBLE: f64 = 1e-13;

/// What a way comes back with: mean and projection of its features, and variances of all directions it found.
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
        return Err(KernelError::NoFormulae { needed: "at least two in the pool are" });
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

//! Settings of the training data.

use logicvae_kernel::Method;
use logicvae_logic::DatasetSpec;
use serde::{Deserialize, Serialize};

use super::defaults::is_default;

/// Settings of the training data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataConfig {
    /// How formulae are sampled. In `fresh` mode, only its validation and test sets are used.
    pub set: DatasetSpec,
    /// Whether every epoch samples `set.train` new training formulae.
    #[serde(default)]
    pub fresh: bool,
    /// Whether fresh formulae are of every kind: any size and subset of the variables, constants, and the
    /// chains and nestings that people write. Otherwise they come from the sampler of `set` alone.
    #[serde(default, skip_serializing_if = "is_default")]
    pub general: bool,
    /// The probability that such a formula is replaced by one of at most five nodes, each equally likely, so
    /// that none of them is missed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub small: f64,
    /// How training treats the order of children.
    #[serde(default)]
    pub children: Children,
    /// Whether variables are permuted at random, and ∧ exchanged with ∨, each time that a training formula is
    /// seen. This turns few formulae into many.
    #[serde(default)]
    pub symmetries: bool,
    /// The number of epochs over which formulae grow to their full size. Short formulae teach the parts of a
    /// formula long before whole ones are reconstructed. Fresh formulae start with one variable and few
    /// nodes; of given ones, subformulae are used.
    #[serde(default, skip_serializing_if = "is_default")]
    pub curriculum: usize,
    /// The probability that a training formula has a subformula replaced by one of another formula, each time
    /// that it is seen. This turns few formulae into many of nearly the same distribution.
    #[serde(default, skip_serializing_if = "is_default", alias = "crossing")]
    pub crossover: f64,
    /// The probability that a training formula is used as given, without symmetries and crossover, each time
    /// that it is seen.
    #[serde(default, skip_serializing_if = "is_default")]
    pub as_given: f64,
    /// Whether formulae are reduced to their shapes: every leaf becomes x1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shapes: bool,
}

/// How training treats the order of the children of ∧ and ∨.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Children {
    /// It is kept.
    #[default]
    Keep,
    /// Children are swapped at random each time that a formula is seen.
    Swap,
    /// Children are sorted, so that formulae that differ only in this order become equal.
    Sort,
}

/// Settings of the semantic vectors that a conditional model is conditioned on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextConfig {
    /// The number of formulae in the pool that the embedding is fitted on.
    pub pool: usize,
    /// The seed of the pool.
    pub pool_seed: u64,
    /// The width of semantic vectors.
    pub components: usize,
    /// σ² of the Gaussian kernel; without it, the plain kernel is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gaussian: Option<f64>,
    /// Another σ² for the formulae that are embedded: only the pool is decomposed with `gaussian` then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub projected_gaussian: Option<f64>,
    /// The method of principal component analysis. Kernel PCA of the plain kernel with one component per
    /// assignment keeps all distances: |y − y'|² = 2 − 2k.
    #[serde(default, skip_serializing_if = "is_default")]
    pub method: Method,
    /// Whether training gives each formula the semantic vector of the one before it in the batch, which the
    /// authors' program does by mistake. The model learns to ignore it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shifted: bool,
}

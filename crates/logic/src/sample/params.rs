//! The sampler's settings and their validation.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::sampler::Sampler;
use crate::node::MAX_VARIABLE;

/// The largest accepted value of `max_nodes`; formulae of that size already take gigabytes.
const MAX_NODES: usize = crate::formula::MAX_NODES;

/// The settings of Algorithm 1, not yet validated. [`check`](Self::check) returns the sampler.
///
/// ```
/// use logicvae_logic::SamplerParams;
/// let sampler = SamplerParams::new(3).check()?;
/// assert_eq!(sampler.sample(7, 0)?, sampler.sample(7, 0)?);
/// assert!(SamplerParams { p_leaf: 1.5, ..SamplerParams::new(3) }.check().is_err());
/// # Ok::<(), logicvae_logic::SampleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SamplerParams {
    /// Leaves are drawn from `x1` to `x_variables`.
    pub variables: u32,
    /// The probability that a node other than the root is a leaf; in (0, 1).
    pub p_leaf: f64,
    /// The largest number of nodes in a formula. With `p_leaf` = 0.4 a node has one child on average: growth
    /// ends with probability 1, but the expected size is infinite, so this limit is required.
    pub max_nodes: usize,
    /// The largest number of edges from the root to a leaf, if limited.
    pub max_depth: Option<usize>,
    /// Whether every variable must occur.
    pub all_variables: bool,
    /// How often each operator is drawn, relative to the others; equally often by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operators: Option<OperatorWeights>,
}

/// How often each operator is drawn. The weights need not add up to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperatorWeights {
    /// The weight of `&`.
    pub and: f64,
    /// The weight of `|`.
    pub or: f64,
    /// The weight of `!`.
    pub not: f64,
}

impl OperatorWeights {
    fn is_valid(self) -> bool {
        // Without a binary operator or without `!`, the limits could be impossible to meet.
        [self.and, self.or, self.not].into_iter().all(|weight| weight.is_finite() && weight > 0.0)
    }
}

/// Invalid sampler settings, or a sampler that cannot find enough formulae.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SampleError {
    /// `p_leaf` outside (0, 1).
    #[error("p_leaf must be strictly between 0 and 1, not {0}")]
    LeafProbability(f64),
    /// The number of variables is 0 or too large.
    #[error("the number of variables must be 1 to {MAX_VARIABLE}, not {0}")]
    Variables(u32),
    /// An operator's weight is not positive.
    #[error("the weights of operators must be positive numbers, not {} for &, {} for | and {} for !",
        .0.and, .0.or, .0.not)]
    Operators(OperatorWeights),
    /// `max_nodes` is too large.
    #[error("max_nodes must be at most {MAX_NODES}, not {0}")]
    TooManyNodes(usize),
    /// No formula has so few nodes.
    #[error(
        "no formula fits: an operator at the root{} takes at least {needed} nodes, \
         but max_nodes is {max_nodes}: raise max_nodes to at least {needed}",
        describe_all_variables(*.all_variables)
    )]
    Nodes {
        /// The given limit.
        max_nodes: usize,
        /// The smallest limit that admits a formula.
        needed: usize,
        /// Whether every variable must occur.
        all_variables: bool,
    },
    /// No formula is so shallow.
    #[error(
        "no formula fits: an operator at the root{} takes a depth of at least {needed}, \
         but max_depth is {max_depth}: raise max_depth to at least {needed}",
        describe_all_variables(*.all_variables)
    )]
    Depth {
        /// The given limit.
        max_depth: usize,
        /// The smallest limit that admits a formula.
        needed: usize,
        /// Whether every variable must occur.
        all_variables: bool,
    },
    /// Nearly every drawn tree violates a limit.
    #[error(
        "{attempts} trees in a row violated the limits: raise max_depth or max_nodes, \
         or do not require all variables"
    )]
    TooStrict {
        /// The number of trees drawn for one formula.
        attempts: u32,
    },
    /// No more distinct formulae are found.
    #[error(
        "found only {found} different formulae of {wanted} in {draws} draws: \
         ask for fewer, or allow more nodes or variables"
    )]
    TooFewDistinct {
        /// The number of distinct formulae found.
        found: usize,
        /// The number of distinct formulae requested.
        wanted: usize,
        /// The number of formulae drawn.
        draws: u64,
    },
}

fn describe_all_variables(all_variables: bool) -> &'static str {
    if all_variables { " and every variable in use" } else { "" }
}

impl SamplerParams {
    /// The paper's `p_leaf` = 0.4, at most max(30, 4n + 2) nodes, unlimited depth, and not all variables
    /// required.
    pub fn new(variables: u32) -> Self {
        let max_nodes = 30.max(4 * variables as usize + 2);
        Self { variables, p_leaf: 0.4, max_nodes, max_depth: None, all_variables: false, operators: None }
    }

    /// Validates the settings and builds the sampler.
    pub fn check(self) -> Result<Sampler, SampleError> {
        let Self { variables, p_leaf, max_nodes, max_depth, all_variables, operators } = self;
        if !(p_leaf > 0.0 && p_leaf < 1.0) {
            return Err(SampleError::LeafProbability(p_leaf));
        }
        if !(1..=MAX_VARIABLE).contains(&variables) {
            return Err(SampleError::Variables(variables));
        }
        if let Some(weights) = operators.filter(|weights| !weights.is_valid()) {
            return Err(SampleError::Operators(weights));
        }
        if max_nodes > MAX_NODES {
            return Err(SampleError::TooManyNodes(max_nodes));
        }
        let leaves = if all_variables { variables as usize } else { 1 };
        let needed = (2 * leaves - 1).max(2);
        if max_nodes < needed {
            return Err(SampleError::Nodes { max_nodes, needed, all_variables });
        }
        let needed = (leaves.next_power_of_two().trailing_zeros() as usize).max(1);
        if let Some(max_depth) = max_depth.filter(|&d| d < needed) {
            return Err(SampleError::Depth { max_depth, needed, all_variables });
        }
        Ok(Sampler::new(self))
    }
}

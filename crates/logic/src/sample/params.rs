//! What a sampler can be told, and what it refuses.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::sampler::Sampler;
use crate::node::MAX_VARIABLE;

/// The most nodes that a limit may allow: formulae of that size already take gigabytes.
const MAX_NODES: usize = 1 << 30;

/// Settings of Algorithm 1, not yet checked: [`check`](Self::check) gives the sampler.
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
    /// Leaves are drawn from `x1..=x_variables`.
    pub variables: u32,
    /// The probability that a node other than the root is a leaf; in (0, 1).
    pub p_leaf: f64,
    /// The most nodes a formula may have. With `p_leaf` = 0.4 a tree has one child a node on average: it ends, but its
    /// mean size is infinite, so a limit is not optional.
    pub max_nodes: usize,
    /// The most edges from root to leaf, if limited.
    pub max_depth: Option<usize>,
    /// Whether every one of the variables must occur.
    pub all_variables: bool,
}

/// Settings that no sampler can have, or a sampler that found too few formulae.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SampleError {
    /// `p_leaf` outside (0, 1).
    #[error("p_leaf must lie strictly between 0 and 1, not be {0}")]
    LeafProbability(f64),
    /// No variables, or too many.
    #[error("the number of variables must be 1 to {MAX_VARIABLE}, not {0}")]
    Variables(u32),
    /// A limit that is none.
    #[error("max_nodes must be at most {MAX_NODES}, not {0}")]
    TooManyNodes(usize),
    /// No formula is that small.
    #[error("no formula fits: an operator at the root{} takes at least {needed} nodes, but max_nodes is {max_nodes}", both(*.all_variables))]
    Nodes {
        /// The limit that was given.
        max_nodes: usize,
        /// The smallest limit that admits a formula.
        needed: usize,
        /// Whether every variable must occur.
        all_variables: bool,
    },
    /// No formula is that shallow.
    #[error("no formula fits: an operator at the root{} takes a depth of at least {needed}, but max_depth is {max_depth}", both(*.all_variables))]
    Depth {
        /// The limit that was given.
        max_depth: usize,
        /// The smallest limit that admits a formula.
        needed: usize,
        /// Whether every variable must occur.
        all_variables: bool,
    },
    /// Nearly every drawn tree broke a limit.
    #[error(
        "{attempts} trees in a row broke the limits: raise max_depth or max_nodes, or drop the all-variables rule"
    )]
    TooStrict {
        /// How many were tried for one formula.
        attempts: u32,
    },
    /// New formulae no longer turn up.
    #[error(
        "found only {found} different formulae of {wanted} in {draws} draws: ask for fewer, or allow more nodes or variables"
    )]
    TooFewDistinct {
        /// How many were found.
        found: usize,
        /// How many were asked for.
        wanted: usize,
        /// How many were drawn.
        draws: u64,
    },
}

fn both(all_variables: bool) -> &'static str {
    if all_variables { " and every variable in use" } else { "" }
}

impl SamplerParams {
    /// The paper's `p_leaf` = 0.4, at most 30 nodes or 4n + 2 if that is more, no depth limit, variables as they fall.
    pub fn new(variables: u32) -> Self {
        let max_nodes = 30.max(4 * variables as usize + 2);
        Self { variables, p_leaf: 0.4, max_nodes, max_depth: None, all_variables: false }
    }

    /// Checks that formulae with these settings exist, and prepares to draw them.
    pub fn check(self) -> Result<Sampler, SampleError> {
        let Self { variables, p_leaf, max_nodes, max_depth, all_variables } = self;
        if !(p_leaf > 0.0 && p_leaf < 1.0) {
            return Err(SampleError::LeafProbability(p_leaf));
        }
        if !(1..=MAX_VARIABLE).contains(&variables) {
            return Err(SampleError::Variables(variables));
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

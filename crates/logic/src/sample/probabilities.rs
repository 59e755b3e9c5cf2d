//! The distribution of the next node of a partial tree, given that the complete tree must satisfy the limits.
//!
//! Rejection sampling (drawing trees and discarding those that violate a limit) wastes nearly all of them:
//! for `paper-10`, more than 999 of 1,000. Instead, each node is drawn with its own probability *times the
//! probability that the rest of the tree satisfies the limits*. This gives exactly the distribution of the
//! accepted trees, and no tree is discarded for its size or its variables. (A depth limit is not part of the
//! table; trees that exceed it are rejected.)
//!
//! In preorder, the completion probability depends on three numbers only: the number of subtrees still to be
//! drawn (`open`), the number of nodes that may still be used (`left`), and the number of variables that have
//! not occurred yet (`unseen`).

use super::params::{OperatorWeights, SamplerParams};

/// Tables with more states (40 MiB) are not built; the sampler then falls back to rejection.
const MAX_STATES: usize = 1 << 20;

/// Cumulative probabilities of the next node. A uniform draw below `new_leaf` is a variable that has not
/// occurred yet; from there to below `leaf` it is one that has occurred (or any variable, if that does not
/// matter); then follow `!`, `&` and `|`.
#[derive(Clone, Copy)]
pub(super) struct NodeDistribution {
    pub new_leaf: f64,
    pub leaf: f64,
    pub not: f64,
    pub and: f64,
}

impl NodeDistribution {
    /// Multiplies each probability of Algorithm 1 by the completion probability of the state it leads to,
    /// which is `completion(change of open, unseen)`. Also returns the sum, the completion probability of
    /// this state.
    fn new(
        p_leaf: f64,
        params: &SamplerParams,
        unseen: usize,
        completion: impl Fn(isize, usize) -> f64,
    ) -> (Self, f64) {
        let (and, or, not) = match params.operators {
            None => [(1.0 - p_leaf) / 3.0; 3].into(),
            Some(OperatorWeights { and, or, not }) => {
                let share = (1.0 - p_leaf) / (and + or + not);
                (and * share, or * share, not * share)
            }
        };
        let share = unseen as f64 / f64::from(params.variables);
        let new_leaf = if unseen == 0 { 0.0 } else { p_leaf * share * completion(-1, unseen - 1) };
        let old_leaf = p_leaf * (1.0 - share) * completion(-1, unseen);
        let not = not * completion(0, unseen);
        let (and, or) = (and * completion(1, unseen), or * completion(1, unseen));
        let total = new_leaf + old_leaf + not + (and + or);
        let sums =
            [new_leaf, new_leaf + old_leaf, new_leaf + old_leaf + not, new_leaf + old_leaf + not + and];
        // Outcomes after the last possible one must have probability 0: no draw below 1 may reach them.
        let last = sums.iter().zip([new_leaf, old_leaf, not, and]).rposition(|(_, weight)| weight > 0.0);
        let cumulative =
            |i: usize| if or == 0.0 && last.is_some_and(|l| i >= l) { 1.0 } else { sums[i] / total };
        (Self { new_leaf: cumulative(0), leaf: cumulative(1), not: cumulative(2), and: cumulative(3) }, total)
    }
}

/// The distribution of the next node in every state.
pub(super) struct DistributionTable {
    table: Vec<NodeDistribution>,
    root: NodeDistribution,
    open_states: usize,
    unseen_states: usize,
}

impl DistributionTable {
    /// The table, or `None` if it would be too large; see [`unconditioned`] for that case.
    pub fn new(params: &SamplerParams) -> Option<Self> {
        let (open_states, left_states) = (params.max_nodes + 2, params.max_nodes + 1);
        let unseen_states = if params.all_variables { params.variables as usize + 1 } else { 1 };
        let states = open_states.checked_mul(left_states)?.checked_mul(unseen_states)?;
        if states > MAX_STATES {
            return None;
        }
        let index =
            |open: usize, left: usize, unseen: usize| (left * open_states + open) * unseen_states + unseen;
        let impossible = NodeDistribution { new_leaf: 0.0, leaf: 0.0, not: 0.0, and: 0.0 };
        let mut table = vec![impossible; states];
        let mut completion = vec![0.0; states];
        for left in 0..left_states {
            completion[index(0, left, 0)] = 1.0;
            for open in 1..=left {
                for unseen in 0..unseen_states {
                    let after = |more: isize, unseen: usize| {
                        completion[index(open.wrapping_add_signed(more), left - 1, unseen)]
                    };
                    let (distribution, total) = NodeDistribution::new(params.p_leaf, params, unseen, after);
                    table[index(open, left, unseen)] = distribution;
                    completion[index(open, left, unseen)] = total;
                }
            }
        }
        // The root is an operator.
        let after = |more: isize, unseen: usize| {
            completion[index(1usize.wrapping_add_signed(more), params.max_nodes - 1, unseen)]
        };
        let (root, _) = NodeDistribution::new(0.0, params, unseen_states - 1, after);
        Some(Self { table, root, open_states, unseen_states })
    }

    #[inline]
    pub fn get(&self, open: usize, left: usize, unseen: usize) -> &NodeDistribution {
        &self.table[(left * self.open_states + open) * self.unseen_states + unseen]
    }

    pub fn root(&self) -> &NodeDistribution {
        &self.root
    }
}

/// The distribution of Algorithm 1 alone: trees that violate a limit have to be rejected.
pub(super) fn unconditioned(params: &SamplerParams, root: bool, unseen: usize) -> NodeDistribution {
    let p_leaf = if root { 0.0 } else { params.p_leaf };
    NodeDistribution::new(p_leaf, params, unseen, |_, _| 1.0).0
}

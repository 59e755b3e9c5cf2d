//! The probability that a tree half drawn will keep the limits.
//!
//! Drawing trees and throwing away those that break a limit wastes nearly all of them: at `paper-10`, more than
//! 999 of 1,000. Instead each step is drawn in proportion to its own probability *times the chance that what follows
//! keeps the limits*. That gives exactly the distribution of the trees that would have been kept, and none is wasted.
//!
//! In preorder, that chance depends on three numbers only: how many subtrees are still to be drawn (`open`), how many
//! nodes may still be used (`left`), and how many variables have not occurred yet (`unseen`).

use super::params::SamplerParams;

/// Tables past this many entries (32 MiB) are not made; the sampler then rejects.
const MAX_ENTRIES: usize = 1 << 22;

pub(super) struct Chances {
    table: Vec<f64>,
    width: usize,
    unseen_states: usize,
}

/// Unnormalised probabilities of what the next node is.
#[derive(Clone, Copy)]
pub(super) struct Weights {
    pub unseen_leaf: f64,
    pub seen_leaf: f64,
    pub not: f64,
    /// `&` and `|` together, half each.
    pub binary: f64,
}

impl Chances {
    /// The table, if it is of a reasonable size.
    pub fn new(params: &SamplerParams) -> Option<Self> {
        let width = params.max_nodes + 2;
        let unseen_states = if params.all_variables { params.variables as usize + 1 } else { 1 };
        let entries = width.checked_mul(width)?.checked_mul(unseen_states)?;
        if entries > MAX_ENTRIES {
            return None;
        }
        let mut chances = Self { table: vec![0.0; entries], width, unseen_states };
        for left in 0..=params.max_nodes {
            for open in 0..=left {
                for unseen in 0..unseen_states {
                    let chance = if open == 0 {
                        if unseen == 0 { 1.0 } else { 0.0 }
                    } else {
                        let w = weights(params, Some(&chances), open, left, unseen);
                        w.unseen_leaf + w.seen_leaf + w.not + w.binary
                    };
                    let at = chances.place(open, left, unseen);
                    chances.table[at] = chance;
                }
            }
        }
        Some(chances)
    }

    fn place(&self, open: usize, left: usize, unseen: usize) -> usize {
        (left * self.width + open) * self.unseen_states + unseen
    }

    /// The probability that `open` subtrees take at most `left` nodes and hold all `unseen` variables.
    pub fn get(&self, open: usize, left: usize, unseen: usize) -> f64 {
        if open > left { 0.0 } else { self.table[self.place(open, left, unseen)] }
    }
}

/// The next node's probabilities by Algorithm 1, each times the chance that the rest keeps the limits (1 without a
/// table). `unseen` is 0 where it does not matter which variables occur.
#[inline]
pub(super) fn weights(params: &SamplerParams, chances: Option<&Chances>, open: usize, left: usize, unseen: usize) -> Weights {
    let chance = |open: usize, unseen: usize| chances.map_or(1.0, |c| c.get(open, left - 1, unseen));
    let operator = (1.0 - params.p_leaf) / 3.0;
    let share_unseen = unseen as f64 / f64::from(params.variables);
    Weights {
        unseen_leaf: if unseen == 0 { 0.0 } else { params.p_leaf * share_unseen * chance(open - 1, unseen - 1) },
        seen_leaf: params.p_leaf * (1.0 - share_unseen) * chance(open - 1, unseen),
        not: operator * chance(open, unseen),
        binary: 2.0 * operator * chance(open + 1, unseen),
    }
}

//! What the next node of a half-drawn tree is, given that the tree must keep the limits.
//!
//! Drawing trees and throwing away those that break a limit wastes nearly all of them: at `paper-10`, more than
//! 999 of 1,000. Instead each node is drawn in proportion to its own probability *times the chance that what follows
//! keeps the limits*. That gives exactly the distribution of the trees that would have been kept, and none is wasted.
//!
//! In preorder, that chance depends on three numbers only: how many subtrees are still to be drawn (`open`), how many
//! nodes may still be used (`left`), and how many variables have not occurred yet (`unseen`).

use super::params::SamplerParams;

/// Tables past this many states (40 MiB) are not made; the sampler then rejects.
const MAX_STATES: usize = 1 << 20;

/// Cumulative probabilities of what the next node is: a draw below `new_leaf` is a variable that has not occurred, a
/// draw from there to below `leaf` one that has (or any, where that does not matter), then `!`, then `&`, then `|`.
#[derive(Clone, Copy)]
pub(super) struct Outcomes {
    pub new_leaf: f64,
    pub leaf: f64,
    pub not: f64,
    pub and: f64,
}

impl Outcomes {
    /// Algorithm 1's probabilities, each times the chance of what follows: `chance(subtrees more or less, unseen)`.
    fn new(p_leaf: f64, variables: u32, unseen: usize, chance: impl Fn(isize, usize) -> f64) -> (Self, f64) {
        let operator = (1.0 - p_leaf) / 3.0;
        let share = unseen as f64 / f64::from(variables);
        let new_leaf = if unseen == 0 { 0.0 } else { p_leaf * share * chance(-1, unseen - 1) };
        let old_leaf = p_leaf * (1.0 - share) * chance(-1, unseen);
        let not = operator * chance(0, unseen);
        let binary = operator * chance(1, unseen); // each of the two
        let total = new_leaf + old_leaf + not + 2.0 * binary;
        let sums =
            [new_leaf, new_leaf + old_leaf, new_leaf + old_leaf + not, new_leaf + old_leaf + not + binary];
        // What comes after the last possible outcome must be out of reach of every draw below 1.
        let last = sums.iter().zip([new_leaf, old_leaf, not, binary]).rposition(|(_, weight)| weight > 0.0);
        let cumulative =
            |i: usize| if binary == 0.0 && last.is_some_and(|l| i >= l) { 1.0 } else { sums[i] / total };
        (Self { new_leaf: cumulative(0), leaf: cumulative(1), not: cumulative(2), and: cumulative(3) }, total)
    }
}

/// The outcomes in every state.
pub(super) struct Chances {
    table: Vec<Outcomes>,
    root: Outcomes,
    open_states: usize,
    unseen_states: usize,
}

impl Chances {
    /// The table, if it is of a reasonable size; without one, see [`unconditioned`].
    pub fn new(params: &SamplerParams) -> Option<Self> {
        let (open_states, left_states) = (params.max_nodes + 2, params.max_nodes + 1);
        let unseen_states = if params.all_variables { params.variables as usize + 1 } else { 1 };
        let states = open_states.checked_mul(left_states)?.checked_mul(unseen_states)?;
        if states > MAX_STATES {
            return None;
        }
        let place =
            |open: usize, left: usize, unseen: usize| (left * open_states + open) * unseen_states + unseen;
        let impossible = Outcomes { new_leaf: 0.0, leaf: 0.0, not: 0.0, and: 0.0 };
        let mut table = vec![impossible; states];
        let mut chances = vec![0.0; states];
        for left in 0..left_states {
            chances[place(0, left, 0)] = 1.0;
            for open in 1..=left {
                for unseen in 0..unseen_states {
                    let after = |more: isize, unseen: usize| {
                        chances[place(open.wrapping_add_signed(more), left - 1, unseen)]
                    };
                    let (outcomes, chance) = Outcomes::new(params.p_leaf, params.variables, unseen, after);
                    table[place(open, left, unseen)] = outcomes;
                    chances[place(open, left, unseen)] = chance;
                }
            }
        }
        // The root is an operator.
        let after = |more: isize, unseen: usize| {
            chances[place(1usize.wrapping_add_signed(more), params.max_nodes - 1, unseen)]
        };
        let (root, _) = Outcomes::new(0.0, params.variables, unseen_states - 1, after);
        Some(Self { table, root, open_states, unseen_states })
    }

    #[inline]
    pub fn get(&self, open: usize, left: usize, unseen: usize) -> &Outcomes {
        &self.table[(left * self.open_states + open) * self.unseen_states + unseen]
    }

    pub fn root(&self) -> &Outcomes {
        &self.root
    }
}

/// The outcomes by Algorithm 1 alone: trees that break a limit have to be thrown away.
pub(super) fn unconditioned(params: &SamplerParams, root: bool, unseen: usize) -> Outcomes {
    let p_leaf = if root { 0.0 } else { params.p_leaf };
    Outcomes::new(p_leaf, params.variables, unseen, |_, _| 1.0).0
}

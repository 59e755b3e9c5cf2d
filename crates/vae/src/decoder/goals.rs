//! What is still to be said: for each node that is due, the values that its subformula should have.
//!
//! A tree grows depth-first, so that wherever a right child is due its left sibling is complete, and its values are known.
//! Where the whole shall be true at an assignment, and `A & ?` is to be it there, `?` must be true; where it shall be false
//! and `A` is false, `?` may be anything. Left children owe less: of `? & ?`, one must be false where the whole shall be,
//! and the other can see to that; what they are asked for is a wish.

use logicvae_gnn::Vocabulary;
use logicvae_gnn::fused::Real;

/// At most so many variables: a truth table fits into a word.
pub(crate) const MOST_VARIABLES: u32 = 6;

/// A truth table of few variables: bit `i` is the value at assignment `i`, which sets x(b+1) to bit b of `i`.
pub(crate) type Table = u64;

/// The table of a variable, counted from 0.
fn variable(position: usize) -> Table {
    [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ][position]
}

/// The assignments of so many variables, one bit each.
pub(crate) fn everywhere(variables: u32) -> Table {
    Table::MAX >> (64 - (1 << variables))
}

/// Where a subformula must be true and where false, and where it would be of help. What is in none of the four is free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Goal {
    pub one: Table,
    pub zero: Table,
    pub wish_one: Table,
    pub wish_zero: Table,
}

impl Goal {
    /// To be this table.
    pub fn to_be(table: Table, variables: u32) -> Self {
        let all = everywhere(variables);
        Self { one: table & all, zero: !table & all, ..Self::default() }
    }

    fn only(self, mask: Table) -> Self {
        Self {
            one: self.one & mask,
            zero: self.zero & mask,
            wish_one: self.wish_one & mask,
            wish_zero: self.wish_zero & mask,
        }
    }

    fn negated(self) -> Self {
        Self { one: self.zero, zero: self.one, wish_one: self.wish_zero, wish_zero: self.wish_one }
    }

    /// As numbers, two for each of the assignments: what must be (1, -1, or 0 where it is free), and what is wished.
    pub fn write<T: Real>(&self, to: &mut [T]) {
        let (must, wish) = to.split_at_mut(to.len() / 2);
        let planes = [(must, self.one, self.zero), (wish, self.wish_one, self.wish_zero)];
        for (plane, one, zero) in planes {
            for (bit, to) in plane.iter_mut().enumerate() {
                *to = T::of((one >> bit & 1) as f32 - (zero >> bit & 1) as f32);
            }
        }
    }
}

/// An operator that is not complete.
#[derive(Clone, Copy, Debug)]
struct Pending {
    kind: u32,
    goal: Goal,
    /// The table of its left child, once that is complete.
    left: Option<Table>,
}

/// Follows a tree as it grows.
#[derive(Clone, Debug)]
pub(crate) struct Tracker {
    root: Goal,
    pending: Vec<Pending>,
}

impl Tracker {
    /// For a tree that should have this goal.
    pub fn new(root: Goal) -> Self {
        Self { root, pending: Vec::new() }
    }

    /// The goal of the node that comes next.
    pub fn goal(&self) -> Goal {
        let Some(&Pending { kind, goal, left }) = self.pending.last() else { return self.root };
        match (kind, left) {
            (Vocabulary::NOT, _) => goal.negated(),
            (Vocabulary::AND, None) => Goal { zero: 0, wish_zero: goal.zero | goal.wish_zero, ..goal },
            (Vocabulary::AND, Some(left)) => goal.only(left),
            (_, None) => Goal { one: 0, wish_one: goal.one | goal.wish_one, ..goal },
            (_, Some(left)) => goal.only(!left),
        }
    }

    /// Adds the next node, by its type.
    pub fn add(&mut self, kind: u32) {
        if kind < Vocabulary::FIRST_VARIABLE {
            let goal = self.goal();
            self.pending.push(Pending { kind, goal, left: None });
            return;
        }
        let mut table = variable((kind - Vocabulary::FIRST_VARIABLE) as usize);
        while let Some(last) = self.pending.last_mut() {
            table = match (last.kind, last.left) {
                (Vocabulary::NOT, _) => !table,
                (_, None) => {
                    last.left = Some(table);
                    return;
                }
                (Vocabulary::AND, Some(left)) => left & table,
                (_, Some(left)) => left | table,
            };
            self.pending.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use logicvae_logic::{Formula, SamplerParams};

    use super::*;

    /// The goals of all nodes of a formula, whose own table is the goal of the whole.
    fn goals(formula: &Formula, variables: u32) -> Vec<Goal> {
        let mut tracker = Tracker::new(Goal::to_be(table(formula, variables), variables));
        let vocabulary = Vocabulary::new(variables);
        let nodes = formula.preorder().map(|node| {
            let goal = tracker.goal();
            tracker.add(vocabulary.type_of(node).unwrap());
            goal
        });
        nodes.collect()
    }

    /// The table of what a formula's node spans.
    fn table(formula: &Formula, variables: u32) -> Table {
        formula.truth_table(variables as usize).unwrap().words()[0]
    }

    #[test]
    fn a_formula_keeps_the_goals_that_its_own_table_sets() {
        for variables in [1, 3, 5, 6] {
            let params = SamplerParams { all_variables: false, ..SamplerParams::new(variables) };
            for formula in params.check().unwrap().distinct(3, if variables == 1 { 5 } else { 200 }).unwrap()
            {
                let goals = goals(&formula, variables);
                assert_eq!(goals.len(), formula.size());
                assert_eq!(goals[0], Goal::to_be(table(&formula, variables), variables));
                for (goal, part) in goals.iter().zip(formula.subformulae()) {
                    let table = table(&part, variables);
                    assert_eq!((goal.one & !table, goal.zero & table), (0, 0), "{part} in {formula}");
                    assert_eq!(
                        (goal.one | goal.wish_one) & (goal.zero | goal.wish_zero),
                        0,
                        "{part} in {formula}"
                    );
                }
            }
        }
    }

    #[test]
    fn whatever_keeps_a_right_childs_goal_makes_the_whole_right() {
        // x1 & ?, which shall be x1 & x2: where x1 is false, ? is free.
        let goals = goals(&"x1 & x2".parse().unwrap(), 2);
        let (x1, x2) = (0b1010, 0b1100);
        assert_eq!(goals[2], Goal { one: x1 & x2, zero: x1 & !x2, ..Goal::default() });
        for table in 0..16 {
            let kept = goals[2].one & !table == 0 && goals[2].zero & table == 0;
            assert_eq!(kept, x1 & table == x1 & x2, "{table:04b}");
        }
        let mut numbers = [0f32; 8];
        goals[2].write(&mut numbers);
        assert_eq!(numbers, [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    }
}

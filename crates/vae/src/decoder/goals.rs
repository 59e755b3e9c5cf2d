//! Goals: for each next node, the values that its subformula should have.
//!
//! A tree is generated depth-first. When a right child is next, its left sibling is complete and its values
//! are known. Where the whole formula `A & ?` must be true, `?` must be true; where it must be false and `A`
//! is false already, `?` is free. A left child is less constrained: where `? & ?` must be false, either child
//! may be false, so the left child's value is only preferred, not required.

use logicvae_compute::Real;
use logicvae_gnn::Vocabulary;
use logicvae_logic::{Formula, VARIABLE_PATTERNS};

use crate::config::MAX_GOAL_VARIABLES;

/// A truth table of up to six variables: bit `i` is the value at assignment `i`, which sets x(b+1) to bit b
/// of `i`.
pub(crate) type Table = u64;

/// A table that is true everywhere.
fn all_assignments(variables: u32) -> Table {
    Table::MAX >> (64 - (1 << variables))
}

/// Where a subformula must be true or false, and where one of them is preferred. Elsewhere it is free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Goal {
    pub one: Table,
    pub zero: Table,
    pub prefer_one: Table,
    pub prefer_zero: Table,
}

impl Goal {
    /// The goal of having exactly this table.
    pub fn exactly(table: Table, variables: u32) -> Self {
        let all = all_assignments(variables);
        Self { one: table & all, zero: !table & all, ..Self::default() }
    }

    /// The goal of being true where a value is near 1, and false where it is near -1. Values in between, such
    /// as those of assignments that were not observed, are free.
    pub fn from_values(values: &[f32]) -> Self {
        /// Half of the smallest value that an observed assignment has.
        const CERTAIN: f32 = 0.5;
        let table = |wanted: &dyn Fn(f32) -> bool| -> Table {
            values.iter().enumerate().map(|(bit, &value)| Table::from(wanted(value)) << bit).sum()
        };
        Self { one: table(&|v| v >= CERTAIN), zero: table(&|v| v <= -CERTAIN), ..Self::default() }
    }

    /// Whether a value is required at every assignment.
    pub fn is_complete(&self, variables: u32) -> bool {
        self.one | self.zero == all_assignments(variables)
    }

    /// The share of required values that a formula has; 1 if none is required.
    pub fn agreement(&self, formula: &Formula) -> f64 {
        // A table of fewer variables repeats itself in that of six.
        let table = formula.truth_table(MAX_GOAL_VARIABLES as usize).map_or(0, |table| table.words()[0]);
        let met = (self.one & table).count_ones() + (self.zero & !table).count_ones();
        match (self.one | self.zero).count_ones() {
            0 => 1.0,
            required => f64::from(met) / f64::from(required),
        }
    }

    fn only(self, mask: Table) -> Self {
        Self {
            one: self.one & mask,
            zero: self.zero & mask,
            prefer_one: self.prefer_one & mask,
            prefer_zero: self.prefer_zero & mask,
        }
    }

    fn negated(self) -> Self {
        Self { one: self.zero, zero: self.one, prefer_one: self.prefer_zero, prefer_zero: self.prefer_one }
    }

    /// The goal as numbers: first the required value at each assignment (1, -1, or 0 if free), then the
    /// preferred one.
    pub fn write<T: Real>(&self, to: &mut [T]) {
        let (must, prefer) = to.split_at_mut(to.len() / 2);
        let planes = [(must, self.one, self.zero), (prefer, self.prefer_one, self.prefer_zero)];
        for (plane, one, zero) in planes {
            for (bit, to) in plane.iter_mut().enumerate() {
                *to = T::constant((one >> bit & 1) as f32 - (zero >> bit & 1) as f32);
            }
        }
    }
}

/// An operator whose operands are not complete.
#[derive(Clone, Copy, Debug)]
struct Pending {
    kind: u32,
    goal: Goal,
    /// The table of its left child, once that is complete.
    left: Option<Table>,
}

/// Tracks the goals of a tree during its generation.
#[derive(Clone, Debug)]
pub(crate) struct Tracker {
    root: Goal,
    /// The number of variables; the type after the last variable is the constant 1.
    variables: u32,
    pending: Vec<Pending>,
}

impl Tracker {
    /// For a tree with this goal.
    pub fn new(root: Goal, variables: u32) -> Self {
        Self { root, variables, pending: Vec::new() }
    }

    /// The goal of the next node.
    pub fn goal(&self) -> Goal {
        let Some(&Pending { kind, goal, left }) = self.pending.last() else { return self.root };
        match (kind, left) {
            (Vocabulary::NOT, _) => goal.negated(),
            (Vocabulary::AND, None) => Goal { zero: 0, prefer_zero: goal.zero | goal.prefer_zero, ..goal },
            (Vocabulary::AND, Some(left)) => goal.only(left),
            (_, None) => Goal { one: 0, prefer_one: goal.one | goal.prefer_one, ..goal },
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
        let mut table = match kind - Vocabulary::FIRST_VARIABLE {
            number if number < self.variables => VARIABLE_PATTERNS[number as usize],
            _ => Table::MAX,
        };
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
    use logicvae_logic::SamplerParams;

    use super::*;

    /// The goals of all nodes of a formula when its own table is the goal.
    fn goals(formula: &Formula, variables: u32) -> Vec<Goal> {
        let mut tracker = Tracker::new(Goal::exactly(table(formula, variables), variables), variables);
        let vocabulary = Vocabulary { constant: true, ..Vocabulary::new(variables) };
        let nodes = formula.preorder().map(|node| {
            let goal = tracker.goal();
            tracker.add(vocabulary.type_of(node).unwrap());
            goal
        });
        nodes.collect()
    }

    /// The truth table of a formula.
    fn table(formula: &Formula, variables: u32) -> Table {
        formula.truth_table(variables as usize).unwrap().words()[0]
    }

    #[test]
    fn a_formula_meets_the_goals_that_its_own_table_sets() {
        for variables in [1, 3, 5, 6] {
            let params = SamplerParams { all_variables: false, ..SamplerParams::new(variables) };
            let mut formulae =
                params.check().unwrap().distinct(3, if variables == 1 { 5 } else { 200 }).unwrap();
            formulae.extend(["1", "!1", "x1 & 1", "!(1 | x1)"].map(|text| text.parse().unwrap()));
            for formula in formulae {
                let goals = goals(&formula, variables);
                assert_eq!(goals.len(), formula.size());
                assert_eq!(goals[0], Goal::exactly(table(&formula, variables), variables));
                for (goal, part) in goals.iter().zip(formula.subformulae()) {
                    let table = table(&part, variables);
                    assert_eq!((goal.one & !table, goal.zero & table), (0, 0), "{part} in {formula}");
                    assert_eq!(
                        (goal.one | goal.prefer_one) & (goal.zero | goal.prefer_zero),
                        0,
                        "{part} in {formula}"
                    );
                }
            }
        }
    }

    #[test]
    fn unobserved_values_are_free() {
        let goal = Goal::from_values(&[1.0, -1.0, 0.0, 0.2]);
        assert_eq!(goal, Goal { one: 0b0001, zero: 0b0010, ..Goal::default() });
        let agreement = |text: &str| goal.agreement(&text.parse().unwrap());
        assert_eq!((agreement("!x1"), agreement("x1"), agreement("1")), (1.0, 0.0, 0.5));
        assert_eq!(Goal::default().agreement(&"x1".parse().unwrap()), 1.0);
    }

    #[test]
    fn whatever_meets_a_right_childs_goal_makes_the_whole_correct() {
        // x1 & ?, which should be x1 & x2: where x1 is false, ? is free.
        let goals = goals(&"x1 & x2".parse().unwrap(), 2);
        let (x1, x2) = (0b1010, 0b1100);
        assert_eq!(goals[2], Goal { one: x1 & x2, zero: x1 & !x2, ..Goal::default() });
        for table in 0..16 {
            let met = goals[2].one & !table == 0 && goals[2].zero & table == 0;
            assert_eq!(met, x1 & table == x1 & x2, "{table:04b}");
        }
        let mut numbers = [0f32; 8];
        goals[2].write(&mut numbers);
        assert_eq!(numbers, [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    }
}

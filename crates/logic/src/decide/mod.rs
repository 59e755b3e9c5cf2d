//! Decision procedures: satisfiability, tautology, equivalence and model counting.
//!
//! Up to [`TABLE_LIMIT`] variables they use a truth table, unless the formula is so large that its table
//! would take seconds; otherwise a SAT solver.

mod count;
mod sat;

pub use count::CountError;
pub(crate) use sat::{Answer, Solver};

use crate::budget::{Budget, Unknown};
use crate::eval::{Assignment, Assignments};
use crate::formula::Formula;

/// Up to this number of distinct variables, formulae are decided by truth table (at most 128 KiB).
pub const TABLE_LIMIT: usize = 20;

/// The largest number of nodes times assignments of a truth table; well below a second.
const TABLE_WORK: u64 = 1 << 34;

/// Whether a formula of this size is decided by a truth table.
fn by_table(nodes: usize, variables: usize) -> bool {
    variables <= TABLE_LIMIT && (nodes as u64).saturating_mul(1 << variables) <= TABLE_WORK
}

/// The result of [`Formula::compare`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Equivalence {
    /// Both formulae have the same value at every assignment.
    Equivalent,
    /// The formulae differ at this assignment, which has a value for every variable of both.
    Differ(Assignment),
}

impl Formula {
    /// A satisfying assignment, if there is one. It has a value for every variable up to the largest one of
    /// the formula.
    ///
    /// ```
    /// use logicvae_logic::x;
    /// assert_eq!((x(1) & !x(3)).find_model().map(|m| m.to_string()), Some("100".into()));
    /// assert_eq!((x(1) & !x(1)).find_model(), None);
    /// ```
    pub fn find_model(&self) -> Option<Assignment> {
        self.difference(&Formula::falsity())
    }

    /// A satisfying assignment, if there is one, or [`Unknown`] if the budget is spent before that is known.
    pub fn find_model_within(&self, budget: &Budget) -> Result<Option<Assignment>, Unknown> {
        self.find_difference(&Formula::falsity(), budget)
    }

    /// An assignment at which the formula is false, if there is one, or [`Unknown`] if the budget is spent
    /// before that is known.
    pub(crate) fn find_counterexample_within(&self, budget: &Budget) -> Result<Option<Assignment>, Unknown> {
        self.find_difference(&Formula::truth(), budget)
    }

    /// Whether the formula is true at some assignment.
    pub fn is_satisfiable(&self) -> bool {
        self.find_model().is_some()
    }

    /// Whether the formula is true at every assignment.
    pub fn is_tautology(&self) -> bool {
        self.difference(&Formula::truth()).is_none()
    }

    /// Whether both formulae have the same value at every assignment.
    pub fn is_equivalent(&self, other: &Formula) -> bool {
        self.difference(other).is_none()
    }

    /// Checks equivalence. If the formulae differ, returns an assignment at which they do.
    ///
    /// ```
    /// use logicvae_logic::{Equivalence, Formula};
    /// let parse = |t: &str| t.parse::<Formula>().unwrap();
    /// assert_eq!(parse("!(x1 & x2)").compare(&parse("!x1 | !x2")), Equivalence::Equivalent);
    /// assert_eq!(parse("x1").compare(&parse("x1 & x2")), Equivalence::Differ("10".parse().unwrap()));
    /// ```
    pub fn compare(&self, other: &Formula) -> Equivalence {
        self.difference(other).map_or(Equivalence::Equivalent, Equivalence::Differ)
    }

    /// Checks equivalence as [`compare`](Self::compare) does, until the budget is spent.
    pub fn compare_within(&self, other: &Formula, budget: &Budget) -> Result<Equivalence, Unknown> {
        let difference = self.find_difference(other, budget)?;
        Ok(difference.map_or(Equivalence::Equivalent, Equivalence::Differ))
    }

    fn difference(&self, other: &Formula) -> Option<Assignment> {
        self.find_difference(other, &Budget::unlimited()).unwrap_or_default()
    }

    /// An assignment at which the values differ. The variables of both are renamed without gaps, so that
    /// formulae over `x1` and `x1000` have two variables, not a thousand.
    fn find_difference(&self, other: &Formula, budget: &Budget) -> Result<Option<Assignment>, Unknown> {
        let (pair, names) = (self & other).compact();
        let (Some(first), Some(second)) = (pair.subformula(1), pair.subformula(1 + self.size())) else {
            unreachable!("a conjunction has two operands")
        };
        let values = if by_table(pair.size(), names.len()) {
            difference_by_table(&first, &second, names.len())
        } else {
            sat::difference(&first, &second, names.len(), budget)?
        };
        let Some(values) = values else { return Ok(None) };
        let mut whole = vec![false; names.last().map_or(0, |v| v.index() as usize)];
        for (name, value) in names.iter().zip(values) {
            whole[name.position()] = value;
        }
        Ok(Some(whole.into()))
    }
}

fn difference_by_table(first: &Formula, second: &Formula, variables: usize) -> Option<Vec<bool>> {
    let all = Assignments::all(variables).ok()?;
    let values = all.evaluate(&[first.clone(), second.clone()]).ok()?;
    let pairs = values.row(0).iter().zip(values.row(1));
    let (word, difference) = pairs.map(|(a, b)| a ^ b).enumerate().find(|&(_, d)| d != 0)?;
    let index = word as u64 * 64 + u64::from(difference.trailing_zeros());
    Some(Assignment::from_index(index, variables).values().to_vec())
}

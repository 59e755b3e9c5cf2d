//! Relations within a set of formulae: which are equivalent, which follow from others, and which contradict
//! each other.

mod conflict;
mod pairs;
mod samples;

use crate::budget::Budget;
use crate::decide::Solver;
use crate::formula::Formula;

/// What [`relations`] found. Formulae are named by their position in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relations {
    /// Formulae that are always true.
    pub tautologies: Vec<usize>,
    /// Formulae that are never true.
    pub unsatisfiable: Vec<usize>,
    /// Pairs of formulae with the same meaning. In this list and in the next two, formulae that are always
    /// or never true are left out, since they are related to every other formula.
    pub equivalent: Vec<(usize, usize)>,
    /// Pairs in which the second formula follows from the first, but not the other way round.
    pub entails: Vec<(usize, usize)>,
    /// Pairs that cannot be true together.
    pub contradicts: Vec<(usize, usize)>,
    /// Whether all formulae can be true together; `None` if that is unknown.
    pub consistent: Option<bool>,
    /// If they cannot: formulae that cannot be true together, although they can if any one of them is left
    /// out.
    pub core: Vec<usize>,
    /// Whether it is proven that no smaller set of formulae is inconsistent.
    pub core_is_smallest: bool,
    /// The number of pairs whose relation is unknown since the budget was spent.
    pub undecided: usize,
}

/// Finds the relations between formulae over any number of variables.
///
/// Most pairs are told apart by their values at sampled assignments. The others are decided by truth tables
/// if they have few variables, and by a SAT solver otherwise; the assignments that it finds are added to the
/// samples.
///
/// ```
/// use logicvae_logic::{Budget, Formula, relations};
/// let texts = ["x1 -> x2", "!x2 -> !x1", "x1", "!x2", "x3 | !x3", "x1 | x4"];
/// let list: Vec<Formula> = texts.iter().map(|text| text.parse().unwrap()).collect();
/// let found = relations(&list, &Budget::unlimited());
/// assert_eq!(found.equivalent, [(0, 1)]);
/// assert_eq!(found.entails, [(2, 5)]);
/// assert_eq!(found.tautologies, [4]);
/// assert_eq!((found.consistent, found.core), (Some(false), vec![0, 2, 3]));
/// ```
pub fn relations(formulae: &[Formula], budget: &Budget) -> Relations {
    // Variables without gaps: the solver and the samples have an array entry for each.
    let (formulae, variables) = compact(formulae);
    let mut solver = Solver::new(variables, budget);
    let roots: Vec<_> = formulae.iter().map(|formula| solver.encode(formula)).collect();
    let mut found = Relations::default();
    pairs::find(&formulae, variables, &mut solver, &roots, budget, &mut found);
    conflict::find(&mut solver, &roots, budget, &mut found);
    found
}

/// Renames the variables of all formulae together to `x1`, `x2`, … without gaps.
fn compact(formulae: &[Formula]) -> (Vec<Formula>, usize) {
    let mut used: Vec<_> = formulae.iter().flat_map(Formula::variables).collect();
    used.sort_unstable();
    used.dedup();
    let place = |var| used.binary_search(&var).ok().and_then(|at| crate::Var::new(at as u32 + 1).ok());
    (formulae.iter().map(|f| f.rename(|var| place(var).unwrap_or(var))).collect(), used.len())
}

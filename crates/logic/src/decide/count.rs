//! Model counting: the number of assignments at which a formula is true.
//!
//! Where a truth table is quick, this is a population count of it. Larger formulae are
//! decomposed. Operands that share no variable are counted separately, and their counts multiplied. A part
//! that cannot be split is checked with the SAT solver and, if satisfiable, branched on its most frequent
//! variable, until the parts are small enough for a truth table. The result is exact; after [`MAX_BRANCHES`]
//! branchings, [`MAX_NODES`] nodes in them, or [`MAX_CONFLICTS`] conflicts of the solver the search stops
//! with an error.

use thiserror::Error;

use super::{by_table, sat};
use crate::budget::{Budget, Unknown};
use crate::formula::Formula;
use crate::node::{AND, NOT, Node, OR, VAR, Var};

/// Counting stops after this many branchings, which take about ten seconds.
const MAX_BRANCHES: u32 = 4096;

/// Counting stops once all formulae that were branched on have this many nodes together; about ten seconds.
const MAX_NODES: usize = 1 << 27;

/// Counting stops after this many conflicts of the SAT solver, over all of its calls; a few seconds.
const MAX_CONFLICTS: u64 = 100_000;

/// The largest number of variables whose models can be counted in 128 bits.
const MAX_VARIABLES: usize = 127;

/// A model count that could not be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CountError {
    /// The count might not fit in 128 bits.
    #[error("counting is possible for at most {MAX_VARIABLES} variables, not {variables}")]
    TooManyVariables {
        /// The requested number of variables.
        variables: usize,
    },
    /// The formula has variables outside those counted over.
    #[error(
        "the formula has x{variable}, but models over only {variables} variables are counted: \
         raise the number of variables"
    )]
    Variable {
        /// The largest variable of the formula.
        variable: u32,
        /// The number of variables counted over.
        variables: usize,
    },
    /// The search needed too many branchings or conflicts.
    #[error(
        "model counting stopped after {MAX_BRANCHES} branchings or {MAX_CONFLICTS} conflicts: the formula is \
         too hard to count exactly; use fewer variables, or estimate the count from random assignments"
    )]
    TooHard,
    /// The budget was spent.
    #[error(transparent)]
    Unknown(#[from] Unknown),
}

impl Formula {
    /// The number of assignments to `x1..=x_n` at which the formula is true, with n = `variables`.
    ///
    /// ```
    /// let f: logicvae_logic::Formula = "x1 | x2".parse().unwrap();
    /// assert_eq!(f.count_models(2), Ok(3));
    /// assert_eq!(f.count_models(100), Ok(3 << 98));
    /// ```
    pub fn count_models(&self, variables: usize) -> Result<u128, CountError> {
        self.count_models_within(variables, &Budget::unlimited())
    }

    /// Counts as [`count_models`](Self::count_models) does, until the budget is spent.
    pub fn count_models_within(&self, variables: usize, budget: &Budget) -> Result<u128, CountError> {
        if variables > MAX_VARIABLES {
            return Err(CountError::TooManyVariables { variables });
        }
        if self.max_variable() as usize > variables {
            return Err(CountError::Variable { variable: self.max_variable(), variables });
        }
        let (branches, nodes, conflicts) = (MAX_BRANCHES, MAX_NODES, MAX_CONFLICTS);
        let mut search = Search { branches, nodes, conflicts, budget };
        let part = search.count(&self.simplify())?;
        Ok(part.models << (variables - part.variables))
    }
}

/// A number of models, and the number of variables that they are counted over.
struct Part {
    models: u128,
    variables: usize,
}

/// A search with the number of branchings, of nodes in them and of conflicts that it may still have.
struct Search<'a> {
    branches: u32,
    nodes: usize,
    conflicts: u64,
    budget: &'a Budget,
}

impl Search<'_> {
    /// Counts the models of a simplified formula over its own variables. Each variable adds at most two
    /// levels of recursion, so there are at most 254.
    fn count(&mut self, formula: &Formula) -> Result<Part, CountError> {
        let (formula, names) = formula.compact();
        let variables = names.len();
        if by_table(formula.size(), variables) {
            let table =
                formula.truth_table(variables).map_err(|_| CountError::TooManyVariables { variables })?;
            return Ok(Part { models: table.count_ones().into(), variables });
        }
        let (formula, negated) = match formula.root() {
            Node::Not => (Formula::from_codes(&formula.codes()[1..]), true),
            _ => (formula, false),
        };
        let groups = components(&formula);
        let models = if groups.len() > 1 {
            self.product(&formula, groups)?
        } else if self.satisfiable(&formula, variables)? {
            self.branch(&formula)?
        } else {
            0
        };
        Ok(Part { models: if negated { (1 << variables) - models } else { models }, variables })
    }

    fn satisfiable(&mut self, formula: &Formula, variables: usize) -> Result<bool, CountError> {
        let limited = self.budget.at_most_conflicts(self.conflicts);
        match sat::satisfiable(formula, variables, &limited) {
            Ok((found, conflicts)) => {
                self.conflicts = self.conflicts.saturating_sub(conflicts);
                Ok(found)
            }
            Err(Unknown) if self.budget.is_spent() => Err(Unknown.into()),
            Err(Unknown) => Err(CountError::TooHard),
        }
    }

    /// Counts operands that share no variables, which are independent. For a conjunction the numbers of
    /// models multiply; for a disjunction the numbers of assignments at which an operand is false do.
    fn product(&mut self, formula: &Formula, groups: Vec<Formula>) -> Result<u128, CountError> {
        let conjunction = formula.root() == Node::And;
        let mut product = 1u128;
        let mut variables = 0;
        for group in groups {
            let part = self.count(&group)?;
            variables += part.variables;
            product *= if conjunction { part.models } else { (1 << part.variables) - part.models };
        }
        Ok(if conjunction { product } else { (1 << variables) - product })
    }

    fn branch(&mut self, formula: &Formula) -> Result<u128, CountError> {
        self.branches = self.branches.checked_sub(1).ok_or(CountError::TooHard)?;
        self.nodes = self.nodes.checked_sub(formula.size()).ok_or(CountError::TooHard)?;
        if self.budget.is_spent() {
            return Err(Unknown.into());
        }
        let all = formula.variables();
        let mut uses = vec![0u32; all.len() + 1]; // the variables have no gaps
        formula.codes().iter().filter(|&&c| c > VAR).for_each(|&c| uses[(c - VAR) as usize] += 1);
        let Some(&chosen) = all.iter().max_by_key(|v| uses[v.index() as usize]) else { return Ok(0) };
        let mut models = 0;
        for value in [Formula::truth(), Formula::falsity()] {
            let case = formula.substitute(|v: Var| (v == chosen).then(|| value.clone())).simplify();
            let part = self.count(&case)?;
            models += part.models << (all.len() - 1 - part.variables);
        }
        Ok(models)
    }
}

/// The operands of the chain at the root, grouped into independent formulae: operands that share variables,
/// directly or through others, are joined again. The result has one element if the formula cannot be split.
fn components(formula: &Formula) -> Vec<Formula> {
    let op = formula.codes()[0];
    if op != AND && op != OR {
        return vec![formula.clone()];
    }
    let operands = operands(formula, op);
    // Union-find over variables: every operand joins all of its variables.
    let mut group: Vec<usize> = (0..=formula.max_variable() as usize).collect();
    fn find(group: &mut [usize], mut v: usize) -> usize {
        while group[v] != v {
            group[v] = group[group[v]];
            v = group[v];
        }
        v
    }
    let firsts: Vec<usize> =
        operands.iter().map(|o| o.variables().first().map_or(0, |v| v.index() as usize)).collect();
    for (operand, &first) in operands.iter().zip(&firsts) {
        for v in operand.variables() {
            let (a, b) = (find(&mut group, first), find(&mut group, v.index() as usize));
            group[a] = b;
        }
    }
    let mut parts: Vec<(usize, Vec<Formula>)> = Vec::new();
    for (operand, &first) in operands.into_iter().zip(&firsts) {
        let root = find(&mut group, first);
        match parts.iter_mut().find(|(r, _)| *r == root) {
            Some((_, members)) => members.push(operand),
            None => parts.push((root, vec![operand])),
        }
    }
    let join = |members: Vec<Formula>| if op == AND { Formula::all(members) } else { Formula::any(members) };
    parts.into_iter().map(|(_, members)| join(members)).collect()
}

/// The operands of the chain of `op` at the root, for any placement of parentheses.
fn operands(formula: &Formula, op: u32) -> Vec<Formula> {
    let ends = formula.ends();
    let codes = formula.codes();
    debug_assert_ne!(op, NOT);
    let mut found = Vec::new();
    let mut at = 0;
    while at < codes.len() {
        if codes[at] == op {
            at += 1; // the left operand follows, then the right one
        } else {
            found.push(Formula::from_codes(&codes[at..ends[at]]));
            at = ends[at];
        }
    }
    found
}

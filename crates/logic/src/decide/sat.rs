//! Encoding formulae as clauses for a SAT solver (batsat, a Rust implementation of MiniSat's algorithm).

use batsat::{Callbacks, ClauseKind, Lit, Solver as BatSolver, SolverInterface, SolverOpts, lbool};

use crate::budget::{Budget, Unknown};
use crate::formula::Formula;
use crate::node::{AND, NOT, OR, TRUE, VAR};

/// Values of `x1..=x_variables` at which the two formulae differ, if there are any.
pub(super) fn difference(
    first: &Formula,
    second: &Formula,
    variables: usize,
    budget: &Budget,
) -> Result<Option<Vec<bool>>, Unknown> {
    let mut solver = Solver::new(variables, budget);
    let (a, b) = (solver.encode(first), solver.encode(second));
    solver.clause(&[a, b]);
    solver.clause(&[!a, !b]);
    solver.model()
}

/// Whether the formula is true at some assignment to `x1..=x_variables`, and how many conflicts it took to
/// find out.
pub(super) fn satisfiable(
    formula: &Formula,
    variables: usize,
    budget: &Budget,
) -> Result<(bool, u64), Unknown> {
    let mut solver = Solver::new(variables, budget);
    let root = solver.encode(formula);
    solver.clause(&[root]);
    let found = solver.model()?.is_some();
    Ok((found, solver.solver.cb().conflicts))
}

/// With a limit of conflicts, a question has at most this many nodes times conflicts. A conflict takes longer
/// the more nodes there are, so large formulae have fewer of them.
const WORK: u64 = 1 << 34;

/// Ends a search when its budget is spent.
struct Watch {
    budget: Budget,
    /// The nodes of all formulae.
    nodes: u64,
    /// The conflicts of the current question: each one teaches the solver a clause.
    conflicts: u64,
}

impl Callbacks for Watch {
    fn on_start(&mut self) {
        self.conflicts = 0;
    }

    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        self.conflicts += u64::from(kind == ClauseKind::Learnt);
    }

    fn stop(&self) -> bool {
        let limit = match self.budget.conflict_limit() {
            u64::MAX => u64::MAX,
            limit => limit.min(WORK / self.nodes.max(1)),
        };
        self.conflicts >= limit || self.budget.is_spent()
    }
}

/// A SAT solver for formulae over the same variables. Formulae are encoded once, and questions about them are
/// asked under assumptions.
pub(crate) struct Solver {
    solver: BatSolver<Watch>,
    /// The literal that is always true, followed by the literals of `x1`, `x2`, …
    leaves: Vec<Lit>,
    scratch: Vec<Lit>,
}

/// The answer to a question under assumptions.
pub(crate) enum Answer {
    /// The values of the variables at which all assumptions are true.
    Model(Vec<bool>),
    /// The assumptions that cannot be true together; a part of those given.
    Core(Vec<Lit>),
}

impl Solver {
    /// A solver for `x1..=x_variables` that answers within the budget.
    pub fn new(variables: usize, budget: &Budget) -> Self {
        let watch = Watch { budget: budget.clone(), nodes: 0, conflicts: 0 };
        let mut solver = BatSolver::new(SolverOpts::default(), watch);
        let leaves: Vec<Lit> = (0..=variables).map(|_| Lit::new(solver.new_var_default(), true)).collect();
        let mut encoder = Self { solver, scratch: Vec::new(), leaves };
        encoder.clause(&[encoder.leaves[0]]);
        encoder
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.scratch.clear();
        self.scratch.extend_from_slice(literals);
        self.solver.add_clause_reuse(&mut self.scratch);
    }

    /// The literal that equals the formula, by Tseitin's encoding: a fresh variable for each binary node,
    /// equivalent to its value. Negation needs no variable.
    pub fn encode(&mut self, formula: &Formula) -> Lit {
        self.solver.cb_mut().nodes += formula.size() as u64;
        let mut stack: Vec<Lit> = Vec::new();
        let missing = self.leaves[0];
        for &code in formula.codes().iter().rev() {
            let literal = match code {
                NOT => !stack.pop().unwrap_or(missing),
                AND | OR => {
                    let (left, right) = (stack.pop().unwrap_or(missing), stack.pop().unwrap_or(missing));
                    // a | b is !(!a & !b)
                    if code == AND { self.and(left, right) } else { !self.and(!left, !right) }
                }
                TRUE => self.leaves[0],
                _ => self.leaves[(code - VAR) as usize],
            };
            stack.push(literal);
        }
        stack[0]
    }

    fn and(&mut self, left: Lit, right: Lit) -> Lit {
        let both = Lit::new(self.solver.new_var_default(), true);
        self.clause(&[!both, left]);
        self.clause(&[!both, right]);
        self.clause(&[both, !left, !right]);
        both
    }

    /// Whether these literals can be true together.
    pub fn ask(&mut self, assumptions: &[Lit]) -> Result<Answer, Unknown> {
        let answer = self.solver.solve_limited(assumptions);
        if answer == lbool::TRUE {
            let value = |&leaf: &Lit| self.solver.value_lit(leaf) == lbool::TRUE;
            return Ok(Answer::Model(self.leaves[1..].iter().map(value).collect()));
        }
        if answer != lbool::FALSE {
            return Err(Unknown);
        }
        let used = |literal: &&Lit| self.solver.unsat_core_contains_var(literal.var());
        Ok(Answer::Core(assumptions.iter().filter(used).copied().collect()))
    }

    fn model(&mut self) -> Result<Option<Vec<bool>>, Unknown> {
        match self.ask(&[])? {
            Answer::Model(values) => Ok(Some(values)),
            Answer::Core(_) => Ok(None),
        }
    }
}

//! Encoding formulae as clauses for a SAT solver (batsat, a Rust implementation of MiniSat's algorithm).

use batsat::{BasicSolver, Lit, SolverInterface, lbool};

use crate::formula::Formula;
use crate::node::{AND, NOT, OR, TRUE, VAR};

/// Values of `x1..=x_variables` at which the two formulae differ, if there are any.
pub(super) fn difference(first: &Formula, second: &Formula, variables: usize) -> Option<Vec<bool>> {
    let mut encoder = Encoder::new(variables);
    let (a, b) = (encoder.encode(first), encoder.encode(second));
    encoder.clause(&[a, b]);
    encoder.clause(&[!a, !b]);
    encoder.solve()
}

/// Whether the formula is true at some assignment to `x1..=x_variables`.
pub(super) fn satisfiable(formula: &Formula, variables: usize) -> bool {
    let mut encoder = Encoder::new(variables);
    let root = encoder.encode(formula);
    encoder.clause(&[root]);
    encoder.solve().is_some()
}

struct Encoder {
    solver: BasicSolver,
    /// The literal that is always true, followed by the literals of `x1`, `x2`, …
    leaves: Vec<Lit>,
    scratch: Vec<Lit>,
}

impl Encoder {
    fn new(variables: usize) -> Self {
        let mut solver = BasicSolver::default();
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

    /// The Tseitin encoding: a fresh variable for each binary node, equivalent to its value. Negation needs
    /// no variable.
    fn encode(&mut self, formula: &Formula) -> Lit {
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

    fn solve(&mut self) -> Option<Vec<bool>> {
        if self.solver.solve_limited(&[]) != lbool::TRUE {
            return None;
        }
        Some(self.leaves[1..].iter().map(|&l| self.solver.value_lit(l) == lbool::TRUE).collect())
    }
}

//! What is searched for: the rows, the score, and what a formula may look like.

use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use logicvae_logic::Operators;

use crate::error::MineError;
use crate::expr::{Expr, Join};
use crate::feature::Feature;
use crate::rows::Rows;
use crate::score::Score;
use crate::shape::Shape;
use crate::shown::Style;

/// The operators that mined formulae may have. `&` and `|` are always allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MineOperators {
    /// `!`, `!=` and `<`.
    pub(crate) not: bool,
    /// `^`.
    pub(crate) xor: bool,
    /// `at least k of (...)`.
    pub(crate) at_least: bool,
    /// `->`, where it makes a formula shorter.
    pub(crate) implies: bool,
}

impl Default for MineOperators {
    fn default() -> Self {
        Self { not: true, xor: true, at_least: true, implies: false }
    }
}

impl FromStr for MineOperators {
    type Err = MineError;

    /// Reads a list such as `not,and,or,xor,atleast,implies`.
    fn from_str(text: &str) -> Result<Self, MineError> {
        let mut operators = Self { not: false, xor: false, at_least: false, implies: false };
        for name in text.split(',').map(str::trim) {
            match name {
                "and" | "or" => {}
                "not" => operators.not = true,
                "xor" => operators.xor = true,
                "atleast" | "at-least" => operators.at_least = true,
                "implies" => operators.implies = true,
                _ => {
                    return Err(MineError::Settings(format!(
                        "`{name}` is not an operator: use a list of not, and, or, xor, atleast, implies"
                    )));
                }
            }
        }
        Ok(operators)
    }
}

impl MineOperators {
    /// The operators for the minimisation of small functions.
    pub(crate) fn basic(self) -> Operators {
        Operators { not: self.not, xor: self.xor, ..Operators::BASIC }
    }
}

/// A formula that was tried.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub expr: Expr,
    /// The weight of the rows that it gets wrong.
    pub errors: u64,
    /// Its number of nodes.
    pub size: usize,
    /// The bits of the errors and of the formula.
    pub score: f64,
}

/// A table, and which formulae are searched for.
pub(crate) struct Problem<'a> {
    pub rows: &'a Rows,
    pub features: &'a [Feature],
    pub score: Score,
    pub operators: MineOperators,
    pub max_size: usize,
    /// Columns that must occur.
    pub must: Vec<String>,
    pub shape: Shape,
    /// The number of formulae whose errors were computed.
    pub evaluated: AtomicU64,
}

impl<'a> Problem<'a> {
    /// Counts formulae whose errors were computed.
    pub fn count(&self, formulae: usize) {
        self.evaluated.fetch_add(formulae as u64, Ordering::Relaxed);
    }

    pub fn style(&self) -> Style<'a> {
        Style { features: self.features, implies: self.operators.implies }
    }

    /// The same problem for other rows, with other questions.
    pub fn with_rows<'b>(&self, rows: &'b Rows, features: &'b [Feature]) -> Problem<'b> {
        Problem {
            rows,
            features,
            score: Score::for_rows(rows),
            operators: self.operators,
            max_size: self.max_size,
            must: self.must.clone(),
            shape: self.shape.clone(),
            evaluated: AtomicU64::new(0),
        }
    }

    /// Scores a formula; `None` if it is not allowed.
    pub fn candidate(&self, expr: Expr) -> Option<Candidate> {
        if !self.allows(&expr) {
            return None;
        }
        let errors = self.rows.errors(&expr.values(self.rows));
        self.count(1);
        self.scored(expr, errors)
    }

    /// The same for a formula that is allowed and whose errors are known.
    pub fn scored(&self, expr: Expr, errors: u64) -> Option<Candidate> {
        let size = self.style().size(&expr);
        if size > self.max_size {
            return None;
        }
        let score = self.score.total(errors, &expr);
        Some(Candidate { expr, errors, size, score })
    }

    /// Whether a formula has only operators that are allowed, and the required shape.
    pub fn allows(&self, expr: &Expr) -> bool {
        self.has_operators(expr) && self.shape.allows(expr)
    }

    /// Whether all required columns occur.
    pub fn is_complete(&self, expr: &Expr) -> bool {
        if self.must.is_empty() {
            return true;
        }
        let used = expr.features();
        let uses = |name: &String| used.iter().any(|&f| self.features[f as usize].column == *name);
        self.must.iter().all(uses)
    }

    fn has_operators(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_) => true,
            Expr::Literal(_, negated) => !negated || self.operators.not,
            Expr::Join(join, children) => {
                let own = match join {
                    Join::And | Join::Or => true,
                    Join::Xor(negated) => self.operators.xor && (!negated || self.operators.not),
                    // A repeated operand would count twice, which nobody reads correctly.
                    Join::AtLeast(_) => {
                        self.operators.at_least && children.windows(2).all(|pair| pair[0] != pair[1])
                    }
                };
                own && children.iter().all(|child| self.has_operators(child))
            }
        }
    }
}

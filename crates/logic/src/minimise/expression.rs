//! Formulae that may also contain `^`.

use std::fmt;

use super::Operators;
use crate::formula::Formula;
use crate::names::Names;
use crate::node::{AND, NOT, OR, TRUE, VAR, Var};

/// The code of `^`, which formulae do not have.
pub(super) const XOR: u32 = u32::MAX;

/// The result of a minimisation: a syntax tree of `!`, `&`, `|`, and `^` if it is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The nodes in preorder.
    codes: Vec<u32>,
}

/// An operator of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// Conjunction.
    And,
    /// Disjunction.
    Or,
    /// Exclusive or.
    Xor,
}

/// The number of operands.
fn arity(code: u32) -> usize {
    match code {
        NOT => 1,
        AND | OR | XOR => 2,
        _ => 0,
    }
}

impl Expression {
    /// The tree with these nodes in preorder.
    pub(super) fn from_codes(codes: Vec<u32>) -> Self {
        Self { codes }
    }

    pub(super) fn leaf(code: u32) -> Self {
        Self { codes: vec![code] }
    }

    pub(super) fn constant(value: bool) -> Self {
        Self { codes: if value { vec![TRUE] } else { vec![NOT, TRUE] } }
    }

    /// The negation, without a double one.
    pub(super) fn negated(&self) -> Self {
        match self.codes[0] {
            NOT => Self { codes: self.codes[1..].to_vec() },
            _ => Self { codes: std::iter::once(NOT).chain(self.codes.iter().copied()).collect() },
        }
    }

    pub(super) fn join(operator: u32, left: &Self, right: &Self) -> Self {
        let operands = left.codes.iter().chain(&right.codes).copied();
        Self { codes: std::iter::once(operator).chain(operands).collect() }
    }

    /// All operands under one operator; `None` if there are none.
    pub(super) fn chain(operator: u32, operands: impl IntoIterator<Item = Self>) -> Option<Self> {
        operands.into_iter().reduce(|left, right| Self::join(operator, &left, &right))
    }

    /// The same expression with operands in the order of their first variables, as people write them.
    pub(super) fn ordered(&self) -> Self {
        // The parts so far, each with its smallest variable, or the largest number for none.
        let mut stack: Vec<(u32, Vec<u32>)> = Vec::new();
        for &code in self.codes.iter().rev() {
            let new = match arity(code) {
                0 => (if code == TRUE { u32::MAX } else { code }, vec![code]),
                1 => {
                    let (key, part) = stack.pop().unwrap_or_default();
                    (key, [&[code], &part[..]].concat())
                }
                _ => {
                    let (left, right) = (stack.pop().unwrap_or_default(), stack.pop().unwrap_or_default());
                    let swapped = (right.0, right.1.len()) < (left.0, left.1.len());
                    let (first, second) = if swapped { (right, left) } else { (left, right) };
                    (first.0, [&[code], &first.1[..], &second.1].concat())
                }
            };
            stack.push(new);
        }
        Self { codes: stack.pop().unwrap_or_default().1 }
    }

    pub(super) fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Replaces the subtree at a position.
    pub(super) fn with_subtree(&self, at: usize, new: &Self) -> Self {
        let end = self.end(at);
        Self { codes: [&self.codes[..at], &new.codes, &self.codes[end..]].concat() }
    }

    /// The position just past the subtree at `at`.
    pub(super) fn end(&self, at: usize) -> usize {
        let mut open = 1;
        let length = self.codes[at..].iter().position(|&code| {
            open = open - 1 + arity(code);
            open == 0
        });
        length.map_or(self.codes.len(), |last| at + last + 1)
    }

    pub(super) fn subtree(&self, at: usize) -> Self {
        Self { codes: self.codes[at..self.end(at)].to_vec() }
    }

    /// Renames variables: `x_i` becomes the i-th of the list.
    pub(super) fn renamed(&self, names: &[Var]) -> Self {
        let rename = |&code: &u32| match code {
            TRUE | NOT | AND | OR | XOR => code,
            _ => names.get((code - VAR) as usize - 1).map_or(code, |var| VAR + var.index()),
        };
        Self { codes: self.codes.iter().map(rename).collect() }
    }

    /// The number of nodes.
    pub fn size(&self) -> usize {
        self.codes.len()
    }

    /// Computes a value from the leaves up. `leaf` is called for variables, and with `None` for the constant
    /// 1; `join` is called for `&`, `|` and `^`.
    ///
    /// ```
    /// use logicvae_logic::{Budget, Operators, minimise, x};
    /// let found = minimise(&(x(1) & !x(2)), Operators::BASIC, &Budget::unlimited()).unwrap();
    /// let leaves = found.expression.fold(|_| 1, |inner| inner, |_, left, right| left + right);
    /// assert_eq!(leaves, 2);
    /// ```
    pub fn fold<T>(
        &self,
        mut leaf: impl FnMut(Option<Var>) -> T,
        mut not: impl FnMut(T) -> T,
        mut join: impl FnMut(BinaryOperator, T, T) -> T,
    ) -> T {
        let mut stack: Vec<T> = Vec::new();
        for &code in self.codes.iter().rev() {
            let new = match (code, stack.pop()) {
                (NOT, Some(inner)) => not(inner),
                (AND | OR | XOR, Some(left)) => {
                    let operator = match code {
                        AND => BinaryOperator::And,
                        OR => BinaryOperator::Or,
                        _ => BinaryOperator::Xor,
                    };
                    let right = stack.pop().unwrap_or_else(|| leaf(None));
                    join(operator, left, right)
                }
                (_, below) => {
                    stack.extend(below);
                    leaf(if code == TRUE { None } else { Var::new(code - VAR).ok() })
                }
            };
            stack.push(new);
        }
        stack.pop().unwrap_or_else(|| leaf(None))
    }

    /// The formula, in which `^` is expanded.
    ///
    /// ```
    /// use logicvae_logic::{Budget, Operators, minimise, x};
    /// let odd = (x(1) & !x(2)) | (!x(1) & x(2));
    /// let found = minimise(&odd, Operators::WITH_XOR, &Budget::unlimited()).unwrap();
    /// assert_eq!(found.expression.to_string(), "x1 ^ x2");
    /// assert!(found.expression.to_formula().is_equivalent(&odd));
    /// ```
    pub fn to_formula(&self) -> Formula {
        let mut stack: Vec<Formula> = Vec::new();
        for &code in self.codes.iter().rev() {
            let mut next = || stack.pop().unwrap_or_else(Formula::truth);
            let new = match code {
                TRUE => Formula::truth(),
                NOT => !next(),
                AND | OR | XOR => {
                    let (a, b) = (next(), next());
                    match code {
                        AND => a & b,
                        OR => a | b,
                        _ => (&a & !&b) | (!a & b),
                    }
                }
                _ => Formula::from_codes([code]),
            };
            stack.push(new);
        }
        stack.pop().unwrap_or_else(Formula::truth)
    }

    /// The same tree as a formula has, without `^`.
    pub(super) fn from_formula(formula: &Formula) -> Self {
        Self { codes: formula.codes().to_vec() }
    }

    /// Whether all operators are allowed.
    pub(super) fn uses_only(&self, operators: Operators) -> bool {
        self.codes.iter().all(|&code| match code {
            NOT => operators.not,
            AND => operators.and,
            OR => operators.or,
            XOR => operators.xor,
            _ => true,
        })
    }

    /// Shows the expression with names of variables.
    pub fn display<'a>(&'a self, names: &'a Names) -> impl fmt::Display + 'a {
        NamedExpression { expression: self, names }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        NamedExpression { expression: self, names: &Names::default() }.fmt(f)
    }
}

struct NamedExpression<'a> {
    expression: &'a Expression,
    names: &'a Names,
}

impl fmt::Display for NamedExpression<'_> {
    /// Writes the fewest parentheses with which the text has the same tree, up to the grouping of chains.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let precedence = |code: u32| match code {
            OR => 1,
            XOR => 2,
            AND => 3,
            _ => 4,
        };
        enum Task {
            Node(u8),
            Text(&'static str),
        }
        let mut codes = self.expression.codes.iter().copied().peekable();
        let mut tasks = vec![Task::Node(0)];
        while let Some(task) = tasks.pop() {
            let required = match task {
                Task::Node(required) => required,
                Task::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
            };
            let Some(code) = codes.next() else { return Err(fmt::Error) };
            let own = precedence(code);
            if own < required {
                f.write_str("(")?;
                tasks.push(Task::Text(")"));
            }
            match code {
                TRUE => f.write_str("1")?,
                NOT if codes.next_if_eq(&TRUE).is_some() => f.write_str("0")?,
                NOT => {
                    f.write_str("!")?;
                    tasks.push(Task::Node(4));
                }
                AND | OR | XOR => {
                    let sign = [" | ", " ^ ", " & "][usize::from(own) - 1];
                    // All three are associative, so a chain needs no parentheses.
                    tasks.extend([Task::Node(own), Task::Text(sign), Task::Node(own)]);
                }
                _ => match Var::new(code - VAR) {
                    Ok(var) => f.write_str(&self.names.show(var))?,
                    Err(_) => return Err(fmt::Error),
                },
            }
        }
        Ok(())
    }
}

//! Shapes: what a formula must look like.

use std::str::FromStr;

use crate::error::MineError;
use crate::expr::{Expr, Join};
use crate::parse::parse;

/// A prescribed shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Shape {
    /// Any formula.
    #[default]
    Any,
    /// A conjunction of literals.
    Conjunction,
    /// A disjunction of literals.
    Disjunction,
    /// A disjunction of conjunctions of literals.
    Dnf,
    /// A conjunction of disjunctions of literals.
    Cnf,
    /// A template with holes: every feature `_` of it is replaced by a literal.
    Template(Expr),
}

impl FromStr for Shape {
    type Err = MineError;

    /// Reads `any`, `and`, `or`, `dnf`, `cnf` or a template such as `_ & (_ | _)`.
    fn from_str(text: &str) -> Result<Self, MineError> {
        match text.trim() {
            "any" => return Ok(Self::Any),
            "and" => return Ok(Self::Conjunction),
            "or" => return Ok(Self::Disjunction),
            "dnf" => return Ok(Self::Dnf),
            "cnf" => return Ok(Self::Cnf),
            _ => {}
        }
        if !text.contains('_') {
            return Err(MineError::Settings(format!(
                "`{text}` is not a shape: use any, and, or, dnf, cnf, or a template such as `_ & (_ | _)`"
            )));
        }
        // Holes get different names, so that they are not merged.
        let mut holes = 0;
        let numbered: String = text
            .chars()
            .map(|c| match c {
                '_' => {
                    holes += 1;
                    format!("hole{holes}")
                }
                other => other.to_string(),
            })
            .collect();
        let parsed = parse(&numbered)?;
        if let Some(other) = parsed.features.iter().find(|feature| !feature.column.starts_with("hole")) {
            return Err(MineError::Settings(format!(
                "a template has holes `_` only, but this one has `{other}`"
            )));
        }
        if parsed.expr.literals() != holes {
            return Err(MineError::Settings("a template must not be a constant".into()));
        }
        Ok(Self::Template(parsed.expr))
    }
}

impl Shape {
    /// Whether a formula has this shape. Constants are allowed everywhere, and so are shorter formulae.
    pub(crate) fn allows(&self, expr: &Expr) -> bool {
        match self {
            Self::Any => true,
            Self::Conjunction => flat(expr, Join::And),
            Self::Disjunction => flat(expr, Join::Or),
            Self::Dnf => two_level(expr, Join::Or, Join::And),
            Self::Cnf => two_level(expr, Join::And, Join::Or),
            Self::Template(template) => fits(expr, template),
        }
    }
}

fn flat(expr: &Expr, join: Join) -> bool {
    match expr {
        Expr::Join(own, children) => *own == join && children.iter().all(|c| c.children().is_empty()),
        _ => true,
    }
}

fn two_level(expr: &Expr, outer: Join, inner: Join) -> bool {
    match expr {
        Expr::Join(own, children) if *own == outer => children.iter().all(|child| flat(child, inner)),
        other => flat(other, inner),
    }
}

/// Whether the operators of a formula are those of a template. Operands are sorted, so those of a formula
/// are tried in every order.
fn fits(expr: &Expr, template: &Expr) -> bool {
    match (expr, template) {
        (Expr::Literal(..), Expr::Literal(..)) | (Expr::Const(_), _) => true,
        (Expr::Join(own, children), Expr::Join(wanted, parts)) => {
            let same = match (own, wanted) {
                (Join::Xor(_), Join::Xor(_)) => true,
                (a, b) => a == b,
            };
            same && children.len() == parts.len() && matched(children, parts, &mut vec![false; parts.len()])
        }
        _ => false,
    }
}

fn matched(children: &[Expr], parts: &[Expr], used: &mut Vec<bool>) -> bool {
    let [first, rest @ ..] = children else { return true };
    (0..parts.len()).any(|at| {
        if used[at] || !fits(first, &parts[at]) {
            return false;
        }
        used[at] = true;
        let found = matched(rest, parts, used);
        used[at] = false;
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_fix_the_operators() {
        let shape: Shape = "_ & (_ | _)".parse().unwrap();
        let formula = |text: &str| parse(text).unwrap().expr;
        assert!(shape.allows(&formula("(a | !b) & c")));
        assert!(!shape.allows(&formula("a | b & c")));
        assert!("nonsense".parse::<Shape>().is_err());
        assert!("_ & a".parse::<Shape>().is_err());
        assert!(Shape::Dnf.allows(&formula("a & b | c")) && !Shape::Cnf.allows(&formula("a & b | c")));
    }
}

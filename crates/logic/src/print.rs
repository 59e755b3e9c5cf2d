//! The canonical text of a formula, such as `x1 & !x2 | 1`, with the fewest parentheses that preserve the
//! tree.

use std::fmt::{self, Write};

use crate::formula::Formula;
use crate::names::NamedFormula;
use crate::node::{AND, NOT, OR, TRUE, VAR, Var};

/// How formulae are written in a language with infix operators whose precedence is that of ours.
pub(crate) struct Syntax<'a> {
    pub not: &'a str,
    pub and: &'a str,
    pub or: &'a str,
    pub one: &'a str,
    pub zero: &'a str,
    /// Writes a variable.
    pub variable: &'a dyn Fn(u32, &mut dyn Write) -> fmt::Result,
}

/// Our own syntax.
fn own<'a>(variable: &'a dyn Fn(u32, &mut dyn Write) -> fmt::Result) -> Syntax<'a> {
    Syntax { not: "!", and: " & ", or: " | ", one: "1", zero: "0", variable }
}

impl fmt::Display for Formula {
    /// `&` and `|` associate to the left, so only a right operand of the same operator needs parentheses.
    /// `!1` is written as `0`. Parsing the text gives the same tree.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_infix(self, &own(&|index, out| write!(out, "x{index}")), f)
    }
}

impl fmt::Display for NamedFormula<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variable = |index, out: &mut dyn Write| match Var::new(index) {
            Ok(var) => out.write_str(&self.names.show(var)),
            Err(_) => Err(fmt::Error),
        };
        write_infix(self.formula, &own(&variable), f)
    }
}

/// Operator precedence. A child with a lower precedence than its position requires is put in parentheses.
fn precedence(code: u32) -> u8 {
    match code {
        OR => 1,
        AND => 2,
        _ => 3,
    }
}

/// Pending output; the last task is written first.
enum Task<'a> {
    /// The next node in preorder, at a position that requires at least this precedence.
    Node(u8),
    Text(&'a str),
}

/// Writes a formula with the fewest parentheses that preserve the tree.
pub(crate) fn write_infix(formula: &Formula, syntax: &Syntax<'_>, out: &mut dyn Write) -> fmt::Result {
    let mut codes = formula.codes().iter().copied().peekable();
    let mut tasks = vec![Task::Node(0)];
    while let Some(task) = tasks.pop() {
        let required = match task {
            Task::Node(required) => required,
            Task::Text(text) => {
                out.write_str(text)?;
                continue;
            }
        };
        // There are exactly as many node tasks as nodes, so a next node always exists.
        let Some(code) = codes.next() else { return Err(fmt::Error) };
        let own = precedence(code);
        if own < required {
            out.write_char('(')?;
            tasks.push(Task::Text(")"));
        }
        match code {
            TRUE => out.write_str(syntax.one)?,
            NOT if codes.next_if_eq(&TRUE).is_some() => out.write_str(syntax.zero)?,
            NOT => {
                out.write_str(syntax.not)?;
                tasks.push(Task::Node(3));
            }
            AND | OR => {
                let sign = if code == AND { syntax.and } else { syntax.or };
                tasks.extend([Task::Node(own + 1), Task::Text(sign), Task::Node(own)]);
            }
            _ => (syntax.variable)(code - VAR, out)?,
        }
    }
    Ok(())
}

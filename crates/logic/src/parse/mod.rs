//! Parsing formulae.
//!
//! | precedence | operators | associativity |
//! |---|---|---|
//! | highest | `!` `~` `¬` `not` | prefix |
//! | | `&` `&&` `∧` `and` | left |
//! | | `^` `⊕` `xor` (exclusive or) | left |
//! | | <code>\|</code> <code>\|\|</code> `∨` `or` | left |
//! | | `->` `→` | right |
//! | lowest | `<->` `↔` | left |
//!
//! Operands are variables (`x1` or `x_1`), the constants `1` and `0`, and formulae in parentheses. `->`,
//! `<->` and `^` exist only in the syntax: the parser expands them into `!`, `&` and `|`.
//!
//! The parser is hand-written, because generated and combinator parsers recurse. This one must read a million
//! nested negations on a small stack and report exactly where it stopped and what it expected. It is an
//! operator-precedence parser that emits postorder, which is converted to preorder in one pass.

mod error;
mod lexer;
mod output;

use std::str::FromStr;

pub use error::{ParseError, ParseErrorKind};
use lexer::{Lexer, Token};
use output::Output;

use crate::formula::Formula;
use crate::node::{AND, NOT, OR, TRUE, VAR};

/// A binary operator of the syntax, in order of increasing precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Operator {
    Iff,
    Implies,
    Or,
    Xor,
    And,
}

/// A stack entry that waits for its right operand or its closing parenthesis.
#[derive(Clone, Copy)]
enum Pending {
    Open { at: usize },
    Not,
    Binary(Operator),
}

impl FromStr for Formula {
    type Err = ParseError;

    /// Parses a formula. Line breaks count as spaces.
    ///
    /// ```
    /// use logicvae_logic::{Formula, x};
    /// assert_eq!("x1 ∧ ¬x_2".parse::<Formula>()?, x(1) & !x(2));
    /// assert_eq!("x1 -> x2".parse::<Formula>()?, !x(1) | x(2));
    ///
    /// let error = "x1 & (x2 |".parse::<Formula>().unwrap_err();
    /// assert_eq!((error.line, error.column), (1, 11));
    /// # Ok::<(), logicvae_logic::ParseError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, ParseError> {
        parse(text).map_err(|(at, kind)| ParseError::new(text, at, kind))
    }
}

type Failure = (usize, ParseErrorKind);

fn parse(text: &str) -> Result<Formula, Failure> {
    let mut lexer = Lexer::new(text);
    let mut pending: Vec<Pending> = Vec::new();
    let mut output = Output::new(text.len());
    loop {
        operand(&mut lexer, &mut pending, &mut output)?;
        // An operand is complete: apply the operators that end here, then continue after the next binary
        // operator.
        loop {
            let (at, token) = lexer.next()?;
            match token {
                Token::Close => match reduce(&mut pending, &mut output, None).map_err(|kind| (at, kind))? {
                    Some(_) => reduce_nots(&mut pending, &mut output),
                    None => return Err((at, ParseErrorKind::UnmatchedClose)),
                },
                Token::End => {
                    return match reduce(&mut pending, &mut output, None).map_err(|kind| (at, kind))? {
                        Some(open) => Err((open, ParseErrorKind::UnclosedOpen)),
                        None => Ok(output.into_formula()),
                    };
                }
                Token::Binary(operator) => {
                    reduce(&mut pending, &mut output, Some(operator)).map_err(|kind| (at, kind))?;
                    if operator == Operator::Implies {
                        output.negate(); // the left operand is complete, and a -> b is !a | b
                    }
                    pending.push(Pending::Binary(operator));
                    break;
                }
                _ => return Err((at, ParseErrorKind::ExpectedOperator { found: lexer.text_of(at) })),
            }
        }
    }
}

/// Parses prefix operators and opening parentheses, up to and including a leaf.
fn operand(lexer: &mut Lexer<'_>, pending: &mut Vec<Pending>, output: &mut Output) -> Result<(), Failure> {
    loop {
        let (at, token) = lexer.next()?;
        match token {
            Token::Not => pending.push(Pending::Not),
            Token::Open => pending.push(Pending::Open { at }),
            Token::True => break output.leaf(TRUE),
            Token::False => {
                output.leaf(TRUE);
                break output.negate();
            }
            Token::Var(index) => break output.leaf(VAR + index),
            _ => {
                let found = lexer.text_of(at);
                let empty = pending.is_empty() && output.is_empty() && token == Token::End;
                return Err((
                    at,
                    if empty { ParseErrorKind::Empty } else { ParseErrorKind::ExpectedOperand { found } },
                ));
            }
        }
    }
    reduce_nots(pending, output);
    Ok(())
}

fn reduce_nots(pending: &mut Vec<Pending>, output: &mut Output) {
    while let Some(Pending::Not) = pending.last() {
        pending.pop();
        output.negate();
    }
}

/// Applies pending operators back to the innermost open parenthesis: those with at least the precedence of
/// `next`, or all of them if `next` is `None`. With `next = None`, also removes the parenthesis and returns
/// its byte offset.
fn reduce(
    pending: &mut Vec<Pending>,
    output: &mut Output,
    next: Option<Operator>,
) -> Result<Option<usize>, ParseErrorKind> {
    while let Some(&top) = pending.last() {
        match (top, next) {
            (Pending::Open { at }, None) => {
                pending.pop();
                return Ok(Some(at));
            }
            (Pending::Open { .. }, Some(_)) => break,
            (Pending::Binary(waiting), Some(next)) => {
                let waits = waiting < next || (waiting == next && next == Operator::Implies);
                if waits {
                    break;
                }
            }
            _ => {}
        }
        pending.pop();
        match top {
            Pending::Binary(operator) => apply(operator, output)?,
            Pending::Not => output.negate(),
            Pending::Open { .. } => {}
        }
    }
    Ok(None)
}

fn apply(operator: Operator, output: &mut Output) -> Result<(), ParseErrorKind> {
    match operator {
        Operator::And => output.join(AND),
        Operator::Or | Operator::Implies => output.join(OR),
        // Both use their operands twice: a ^ b is a & !b | !a & b, and a <-> b is a & b | !a & !b.
        Operator::Xor => output.join_twice(&[&[NOT, AND], &[NOT], &[AND, OR]])?,
        Operator::Iff => output.join_twice(&[&[AND], &[NOT], &[NOT, AND, OR]])?,
    }
    Ok(())
}

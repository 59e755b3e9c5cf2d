//! Parsing formulae.
//!
//! | precedence | operators | associativity |
//! |---|---|---|
//! | highest | `!` `~` `¬` `not` | prefix |
//! | | `&` `&&` `∧` `and`, `nand` | left |
//! | | `^` `⊕` `xor` (exclusive or) | left |
//! | | <code>\|</code> <code>\|\|</code> `∨` `or`, `nor` | left |
//! | | `->` `=>` `→` `implies` | right |
//! | lowest | `<->` `<=>` `↔` `iff` | left |
//!
//! Operands are variables (`x1`, `X1` or `x_1`), the constants `1` or `true` and `0` or `false`, and formulae
//! in parentheses. Words may be written in any case. With a table of names, variables may also be written as
//! words such as `door_open`, or in quotes, as in `"speed >= 30"`.
//!
//! Only `!`, `&` and `|` exist in formulae: the parser expands all other operators into these. Chains of `^`
//! and of `<->` are expanded as balanced trees, whose size is quadratic in the number of operands.
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
pub(crate) use output::{IFF, XOR, from_postorder, joined, joined_length};

use crate::formula::{Formula, MAX_NODES};
use crate::names::Names;
use crate::node::{AND, OR, TRUE, VAR, Var};

/// A binary operator of the syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Iff,
    Implies,
    Or,
    Nor,
    Xor,
    And,
    Nand,
}

impl Operator {
    /// Operators with a higher precedence bind more tightly.
    fn precedence(self) -> u8 {
        match self {
            Self::Iff => 0,
            Self::Implies => 1,
            Self::Or | Self::Nor => 2,
            Self::Xor => 3,
            Self::And | Self::Nand => 4,
        }
    }
}

/// A stack entry that waits for its right operand or its closing parenthesis.
#[derive(Clone, Copy)]
enum Pending {
    Open {
        at: usize,
    },
    /// One or more negations: millions of them take no more room than one.
    Not {
        count: u32,
    },
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
        parse(text, 0, &mut Symbols::None).map_err(|(at, kind)| ParseError::new(text, at, kind))
    }
}

impl Names {
    /// Parses a formula. New names are added to the table.
    pub fn parse(&mut self, text: &str) -> Result<Formula, ParseError> {
        if let Some(formula) = parse_known(text, 0, self)? {
            return Ok(formula);
        }
        // Names must not take an index that this text uses as x1, x2, …
        reserve_indices(text, 0, self);
        parse_new(text, 0, self)
    }
}

/// Parses a formula that starts at this byte of the text, with the names of a table; `None` if it has
/// another name.
pub(crate) fn parse_known(
    text: &str,
    start: usize,
    names: &mut Names,
) -> Result<Option<Formula>, ParseError> {
    match parse(text, start, &mut Symbols::Known(names)) {
        Ok(formula) => Ok(Some(formula)),
        Err((_, ParseErrorKind::UnknownWord { .. })) => Ok(None),
        Err((at, kind)) => Err(ParseError::new(text, at, kind)),
    }
}

/// Parses a formula that starts at this byte of the text, and adds new names to the table.
pub(crate) fn parse_new(text: &str, start: usize, names: &mut Names) -> Result<Formula, ParseError> {
    parse(text, start, &mut Symbols::Open(names)).map_err(|(at, kind)| ParseError::new(text, at, kind))
}

/// Keeps the indices that a formula uses as x1, x2, … from being named. Indices that have a name already are
/// found, and reported, when the text is parsed.
pub(crate) fn reserve_indices(text: &str, start: usize, names: &mut Names) {
    let mut lexer = Lexer::new(text, start);
    while let Ok((_, token)) = lexer.next() {
        match token {
            Token::End => break,
            Token::Var(index) => drop(Var::new(index).map(|var| names.reserve(var))),
            _ => {}
        }
    }
}

/// The variables in a text such as `door_open x2 "speed >= 30"`.
pub(crate) fn name_list(text: &str) -> Option<Vec<String>> {
    let mut lexer = Lexer::new(text, 0);
    let mut list = Vec::new();
    loop {
        match lexer.next().ok()? {
            (_, Token::End) => return Some(list),
            (_, Token::Var(index)) => list.push(format!("x{index}")),
            (at, Token::Name) => list.push(lexer.name(at).to_owned()),
            _ => return None,
        }
    }
}

/// What names mean in a text.
enum Symbols<'a> {
    /// Nothing: they are errors.
    None,
    /// Variables of the table; other names are errors.
    Known(&'a mut Names),
    /// Variables of the table, to which new ones are added.
    Open(&'a mut Names),
}

impl Symbols<'_> {
    /// The index of a name.
    fn name(&mut self, name: &str) -> Result<u32, ParseErrorKind> {
        let unknown = || ParseErrorKind::UnknownWord { word: lexer::shortened(name) };
        match self {
            Self::None => Err(unknown()),
            Self::Known(names) => names.index(name).map(Var::index).ok_or_else(unknown),
            Self::Open(names) => names.declare(name).map(Var::index).map_err(ParseErrorKind::Name),
        }
    }

    /// Notes that a variable is written as x1, x2, …
    fn index(&mut self, index: u32) -> Result<(), ParseErrorKind> {
        match (self, Var::new(index)) {
            (Self::Known(names) | Self::Open(names), Ok(var)) => {
                names.reserve(var).map_err(ParseErrorKind::Name)
            }
            _ => Ok(()),
        }
    }
}

type Failure = (usize, ParseErrorKind);

fn parse(text: &str, start: usize, symbols: &mut Symbols<'_>) -> Result<Formula, Failure> {
    let mut lexer = Lexer::new(text, start);
    let mut pending: Vec<Pending> = Vec::new();
    let mut output = Output::new(text.len() - start);
    loop {
        operand(&mut lexer, symbols, &mut pending, &mut output)?;
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
fn operand(
    lexer: &mut Lexer<'_>,
    symbols: &mut Symbols<'_>,
    pending: &mut Vec<Pending>,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut prefixes = 0;
    loop {
        let (at, token) = lexer.next()?;
        prefixes += 1;
        if prefixes + pending.len() + output.len() > MAX_NODES {
            return Err((at, ParseErrorKind::TooLong));
        }
        match token {
            Token::Not => match pending.last_mut() {
                Some(Pending::Not { count }) => *count += 1,
                _ => pending.push(Pending::Not { count: 1 }),
            },
            Token::Open => pending.push(Pending::Open { at }),
            Token::True => break output.leaf(TRUE),
            Token::False => {
                output.leaf(TRUE);
                break output.negate();
            }
            Token::Var(index) => {
                symbols.index(index).map_err(|kind| (at, kind))?;
                break output.leaf(VAR + index);
            }
            Token::Name => {
                let index = symbols.name(lexer.name(at)).map_err(|kind| (at, kind))?;
                break output.leaf(VAR + index);
            }
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
    if let Some(&Pending::Not { count }) = pending.last() {
        pending.pop();
        (0..count).for_each(|_| output.negate());
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
                // `->` associates to the right. Chains of `^` and `<->` are joined when they are complete.
                let together = matches!(next, Operator::Implies | Operator::Xor | Operator::Iff);
                let (before, after) = (waiting.precedence(), next.precedence());
                let waits = before < after || (before == after && together);
                if waits {
                    break;
                }
            }
            _ => {}
        }
        pending.pop();
        match top {
            Pending::Binary(operator @ (Operator::Xor | Operator::Iff)) => {
                let mut operands = 2;
                while pending.pop_if(|p| matches!(p, Pending::Binary(o) if *o == operator)).is_some() {
                    operands += 1;
                }
                join_chain(operator, operands, output)?;
            }
            Pending::Binary(operator) => apply(operator, output),
            Pending::Not { count } => (0..count).for_each(|_| output.negate()),
            Pending::Open { .. } => {}
        }
    }
    Ok(None)
}

fn apply(operator: Operator, output: &mut Output) {
    output.join(if matches!(operator, Operator::And | Operator::Nand) { AND } else { OR });
    if matches!(operator, Operator::Nand | Operator::Nor) {
        output.negate();
    }
}

/// Joins a chain of `^` or `<->`, which use their operands twice.
fn join_chain(operator: Operator, operands: usize, output: &mut Output) -> Result<(), ParseErrorKind> {
    output.join_chain(operands, if operator == Operator::Xor { &XOR } else { &IFF })
}

//! What was wrong with a text, where, and what would have been right.

use std::fmt;

use thiserror::Error;

use crate::node::MAX_VARIABLE;

/// A text that is not a formula. Its message shows the place:
///
/// ```
/// let error = "x1 & ) | x2".parse::<logicvae_logic::Formula>().unwrap_err();
/// assert_eq!(error.to_string(), "\
/// line 1, column 6: expected a variable, 1, 0, `!` or `(`, found `)`
///   | x1 & ) | x2
///   |      ^");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What was wrong.
    pub kind: ParseErrorKind,
    /// The line, from 1.
    pub line: usize,
    /// The character in that line, from 1.
    pub column: usize,
    /// The part of the line around the place ...
    excerpt: String,
    /// ... and how many characters of it stand before the place.
    caret: usize,
}

/// The ways in which a text can fail to be a formula.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// Nothing but spaces.
    #[error("expected a formula such as `x1 & !x2`, found nothing")]
    Empty,
    /// An operand was needed.
    #[error("expected a variable, 1, 0, `!` or `(`, found {}", quoted(.found))]
    ExpectedOperand {
        /// What stands there instead; empty at the end of the text.
        found: String,
    },
    /// An operand was complete, and something else than an operator follows.
    #[error("expected an operator (`&`, `|`, `->`, `<->`, `^`) or the end, found {}", quoted(.found))]
    ExpectedOperator {
        /// What stands there instead.
        found: String,
    },
    /// `)` with no `(` before it.
    #[error("this `)` closes nothing: remove it, or add a `(` before it")]
    UnmatchedClose,
    /// `(` with no `)` after it.
    #[error("this `(` is never closed: add a `)` after its formula")]
    UnclosedOpen,
    /// A character that no formula has.
    #[error("unknown symbol `{}`: formulae are made of x1, x2, …, 1, 0, `!`, `&`, `|`, `->`, `<->`, `^`, `(`, `)`", .symbol.escape_debug())]
    UnknownSymbol {
        /// The character.
        symbol: char,
    },
    /// A word that is neither a variable nor an operator.
    #[error("unknown word `{word}`: variables are x1, x2, …, and operators and, or, not, xor")]
    UnknownWord {
        /// The word.
        word: String,
    },
    /// `x0`.
    #[error("there is no x0: variables are numbered from x1")]
    VariableZero,
    /// An index that is too large.
    #[error("`{name}` is too large: variables go up to x{MAX_VARIABLE}")]
    VariableTooLarge {
        /// The name that was read.
        name: String,
    },
    /// Nested `^` and `<->` that would fill the memory when they are written out.
    #[error(
        "`^` and `<->` are written out with `&` and `|`, and that gives {nodes} nodes here (limit {limit}): \
         split the formula, or nest them less"
    )]
    TooLarge {
        /// How many nodes it would take.
        nodes: usize,
        /// How many a text of this length may give.
        limit: usize,
    },
}

fn quoted(found: &str) -> String {
    if found.is_empty() { "the end of the text".to_owned() } else { format!("`{found}`") }
}

impl ParseError {
    /// Characters of the line that are shown on each side of the place.
    const SHOWN: usize = 60;

    pub(super) fn new(text: &str, at: usize, kind: ParseErrorKind) -> Self {
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let line_text = text[line_start..].lines().next().unwrap_or("");
        let column = before[line_start..].chars().count() + 1;
        let skipped = (column - 1).saturating_sub(Self::SHOWN);
        let shown = line_text.chars().skip(skipped).take(2 * Self::SHOWN);
        let mut excerpt: String = shown.map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut caret = column - 1 - skipped;
        if skipped > 0 {
            excerpt.insert_str(0, "… ");
            caret += 2;
        }
        let line = before.matches('\n').count() + 1;
        Self { kind, line, column, excerpt, caret }
    }

    /// The same error in a text that starts later in a file: `lines` lines come before it.
    pub fn after_lines(mut self, lines: usize) -> Self {
        self.line += lines;
        self
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "line {}, column {}: {}", self.line, self.column, self.kind)?;
        writeln!(f, "  | {}", self.excerpt)?;
        write!(f, "  | {}^", " ".repeat(self.caret))
    }
}

impl std::error::Error for ParseError {}

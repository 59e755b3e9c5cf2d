//! Parse errors: what is wrong, where, and what was expected.

use std::fmt;

use thiserror::Error;

use crate::formula::MAX_NODES;
use crate::names::NameError;
use crate::node::MAX_VARIABLE;

/// A text that is not a formula. The message shows the position of the error:
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
    /// What is wrong.
    pub kind: ParseErrorKind,
    /// The line number, starting at 1.
    pub line: usize,
    /// The column, in characters, starting at 1.
    pub column: usize,
    /// The part of the line around the error.
    excerpt: String,
    /// The number of characters of the excerpt before the error.
    caret: usize,
}

/// The kinds of parse errors.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The text is empty or only whitespace.
    #[error("expected a formula such as `x1 & !x2`, found nothing")]
    Empty,
    /// An operand was expected.
    #[error("expected a variable, 1, 0, `!` or `(`, found {}", quoted(.found))]
    ExpectedOperand {
        /// The token found instead; empty at the end of the text.
        found: String,
    },
    /// An operator or the end was expected after a complete operand.
    #[error("expected an operator (`&`, `|`, `->`, `<->`, `^`) or the end, found {}", quoted(.found))]
    ExpectedOperator {
        /// The token found instead.
        found: String,
    },
    /// `)` without a matching `(`.
    #[error("this `)` closes nothing: remove it, or add a `(` before it")]
    UnmatchedClose,
    /// `(` without a matching `)`.
    #[error("this `(` is never closed: add a `)` after its formula")]
    UnclosedOpen,
    /// A character that is not part of the syntax.
    #[error(
        "unknown symbol `{}`: formulae are made of variables, 1, 0, \
         `!`, `&`, `|`, `->`, `<->`, `^`, `(`, `)`",
        .symbol.escape_debug()
    )]
    UnknownSymbol {
        /// The character.
        symbol: char,
    },
    /// A name where names have no meaning.
    #[error(
        "unknown word `{word}`: use x1, x2, … for variables; the operator words are not, and, or, xor, \
         nand, nor, implies, iff"
    )]
    UnknownWord {
        /// The word.
        word: String,
    },
    /// A word that begins with a digit.
    #[error("`{word}` is not a name: begin names with a letter, or put them in quotes, as in \"{word}\"")]
    BadName {
        /// The word.
        word: String,
    },
    /// A name in quotes without an end.
    #[error("the name in quotes has no end: add the closing quote")]
    UnclosedQuote,
    /// A variable that cannot be written like this.
    #[error(transparent)]
    Name(NameError),
    /// The variable `x0`.
    #[error("there is no x0: variables are numbered from x1")]
    VariableZero,
    /// A variable index that is too large.
    #[error("`{name}` is too large: the largest variable is x{MAX_VARIABLE}")]
    VariableTooLarge {
        /// The name in the text.
        name: String,
    },
    /// A text with too many nodes or parentheses.
    #[error("the formula has more than {MAX_NODES} nodes or open parentheses: split it")]
    TooLong,
    /// Nested `^` and `<->` whose expansion would exhaust memory.
    #[error(
        "`^` and `<->` are expanded into `&`, `|` and `!`, which gives {nodes} nodes here (limit {limit}): \
         split the formula or nest these operators less"
    )]
    TooLarge {
        /// The number of nodes after expansion.
        nodes: usize,
        /// The largest number of nodes allowed for a text of this length.
        limit: usize,
    },
}

fn quoted(found: &str) -> String {
    if found.is_empty() { "the end of the text".to_owned() } else { format!("`{found}`") }
}

impl ParseError {
    /// The number of characters of the line shown on each side of the error.
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

    /// Adds `lines` to the line number, for a text that starts after that many lines of a file.
    pub(crate) fn after_lines(mut self, lines: usize) -> Self {
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

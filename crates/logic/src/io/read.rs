//! Reading a file of formulae in either format.

use std::io::{self, BufRead, Chain, Cursor, Read};

use thiserror::Error;

use super::binary::BinaryReader;
use super::container::{ContainerError, MAGIC, read_up_to};
use super::entry::Entry;
use super::text::TextReader;
use crate::formula::Formula;
use crate::names::{NameError, Names};
use crate::node::TRUE;
use crate::parse::ParseError;

/// An error while reading a file of formulae.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A line that is not a formula.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// A line that is not UTF-8.
    #[error("line {line}, byte {column}: this is not UTF-8 text")]
    Encoding {
        /// The line number, starting at 1.
        line: usize,
        /// The byte position in the line, starting at 1.
        column: usize,
    },
    /// A damaged container, or one of another kind.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// A formula with a variable above the declared number of variables.
    #[error(
        "{place}: x{variable} occurs, but there are only {variables} variables: \
         use x1 to x{variables}, or raise the number of variables"
    )]
    Variable {
        /// The line, or the number of the formula in a binary file.
        place: String,
        /// The variable.
        variable: u32,
        /// The declared number of variables.
        variables: u32,
    },
    /// A formula beyond the limits of what will use it.
    #[error("{place}: {error}")]
    Limit {
        /// The line, or the number of the formula in a binary file.
        place: String,
        /// The limit.
        error: LimitError,
    },
    /// Names that do not fit those of the table.
    #[error("{place}: {error}")]
    Names {
        /// The line, or the whole file.
        place: String,
        /// What is wrong.
        error: NameError,
    },
    /// A file in another format that is not what it should be.
    #[error("line {line}: {what}")]
    Format {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// An I/O error of the underlying reader.
    #[error("reading failed: {0}")]
    Io(io::Error),
}

/// What a formula may be for those who use it, such as a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormulaLimits {
    /// The largest index of a variable.
    pub variables: u32,
    /// The largest number of nodes.
    pub max_nodes: usize,
    /// Whether the constant 1 may occur.
    pub constants: bool,
}

/// A formula beyond a limit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LimitError {
    /// A variable above the largest.
    #[error("x{variable} occurs, but only x1 to x{limit} are supported")]
    Variable {
        /// The variable.
        variable: u32,
        /// The largest variable.
        limit: u32,
    },
    /// Too many nodes.
    #[error("the formula has {nodes} nodes, but at most {limit} are supported: simplify or split it")]
    Nodes {
        /// Its size.
        nodes: usize,
        /// The largest size.
        limit: usize,
    },
    /// A formula that is always true or always false.
    #[error("the formula is a constant, which is not supported: leave it out")]
    Constant,
}

impl FormulaLimits {
    /// The formula as it can be used: where constants are not supported, they are simplified away.
    ///
    /// ```
    /// use logicvae_logic::FormulaLimits;
    /// let limits = FormulaLimits { variables: 5, max_nodes: 30, constants: false };
    /// let formula = limits.admit("x1 & (x5 | 0)".parse().unwrap()).unwrap();
    /// assert_eq!(formula.to_string(), "x1 & x5");
    /// let error = limits.admit("x1 & x7".parse().unwrap()).unwrap_err();
    /// assert_eq!(error.to_string(), "x7 occurs, but only x1 to x5 are supported");
    /// ```
    pub fn admit(&self, formula: Formula) -> Result<Formula, LimitError> {
        let formula = if self.constants { formula } else { formula.without_constants() };
        let (variable, nodes) = (formula.max_variable(), formula.size());
        if variable > self.variables {
            return Err(LimitError::Variable { variable, limit: self.variables });
        }
        if nodes > self.max_nodes {
            return Err(LimitError::Nodes { nodes, limit: self.max_nodes });
        }
        if !self.constants && formula.codes().contains(&TRUE) {
            return Err(LimitError::Constant);
        }
        Ok(formula)
    }
}

type Start<R> = Chain<Cursor<Vec<u8>>, R>;

enum Form<R: BufRead> {
    Text(TextReader<Start<R>>),
    Binary(BinaryReader<Start<R>>),
}

/// Reads formulae one at a time, from text or from a binary container. The format is detected from the first
/// bytes.
///
/// ```
/// use logicvae_logic::{FormulaReader, x};
/// let text = "# two formulae\nx1 & x2\n\n!x1  # the second\n";
/// let formulae: Result<Vec<_>, _> = FormulaReader::new(text.as_bytes())?.collect();
/// assert_eq!(formulae?, [x(1) & x(2), !x(1)]);
/// # Ok::<(), logicvae_logic::ReadError>(())
/// ```
pub struct FormulaReader<R: BufRead> {
    form: Form<R>,
    read: usize,
    variables: Option<u32>,
    limits: Option<FormulaLimits>,
    /// The names that a binary file is translated to.
    names: Option<Names>,
    failed: bool,
}

impl<R: BufRead> FormulaReader<R> {
    /// Detects the format. Formulae are read on demand.
    pub fn new(mut reader: R) -> Result<Self, ReadError> {
        let mut start = vec![0; MAGIC.len()];
        let got = read_up_to(&mut reader, &mut start).map_err(ReadError::Io)?;
        start.truncate(got);
        let binary = start == MAGIC;
        let whole = Cursor::new(start).chain(reader);
        let form =
            if binary { Form::Binary(BinaryReader::new(whole)?) } else { Form::Text(TextReader::new(whole)) };
        Ok(Self { form, read: 0, variables: None, limits: None, names: None, failed: false })
    }

    /// Rejects formulae with variables above `x_variables`.
    pub fn with_variables(mut self, variables: Option<u32>) -> Self {
        self.variables = variables;
        self
    }

    /// Rejects formulae beyond these limits.
    pub fn with_limits(mut self, limits: FormulaLimits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Reads into a table of names, such as that of another file: equal names are the same variable.
    pub fn with_names(mut self, names: Names) -> Self {
        match &mut self.form {
            Form::Text(reader) => reader.set_names(names),
            Form::Binary(_) => self.names = (names.width() > 0).then_some(names),
        }
        self
    }

    /// The names of the variables in what has been read so far.
    pub fn names(&self) -> &Names {
        match &self.form {
            Form::Text(reader) => reader.names(),
            Form::Binary(reader) => self.names.as_ref().unwrap_or(&reader.names),
        }
    }

    /// Where the last formula was: its line, or its number in a binary file.
    fn location(&self) -> String {
        match &self.form {
            Form::Text(reader) => format!("line {}", reader.lines),
            Form::Binary(_) => format!("formula {}", self.read),
        }
    }

    /// The next formula with its label; `None` at the end.
    pub fn next_entry(&mut self) -> Result<Option<Entry>, ReadError> {
        let next = match &mut self.form {
            Form::Text(reader) => reader.next()?,
            Form::Binary(reader) => {
                let next = reader.next()?;
                let place = || format!("formula {}", self.read + 1);
                let translated = next.map(|formula| match &mut self.names {
                    Some(names) => match names.translate(&reader.names, &[formula]) {
                        Ok(mut one) => Ok(one.remove(0)),
                        Err(error) => Err(ReadError::Names { place: place(), error }),
                    },
                    None => Ok(formula),
                });
                translated.transpose()?.map(|formula| Entry { formula, label: None, line: self.read + 1 })
            }
        };
        let Some(entry) = next else { return Ok(None) };
        let formula = &entry.formula;
        self.read += 1;
        match self.variables {
            Some(variables) if formula.max_variable() > variables => Err(ReadError::Variable {
                place: self.location(),
                variable: formula.max_variable(),
                variables,
            }),
            _ => match self.limits.map_or(Ok(formula.clone()), |limits| limits.admit(formula.clone())) {
                Ok(formula) => Ok(Some(Entry { formula, ..entry })),
                Err(error) => Err(ReadError::Limit { place: self.location(), error }),
            },
        }
    }
}

impl<R: BufRead> Iterator for FormulaReader<R> {
    type Item = Result<Formula, ReadError>;

    /// After an error, the iterator ends.
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = self.next_entry().transpose();
        self.failed = matches!(next, Some(Err(_)));
        next.map(|entry| entry.map(|entry| entry.formula))
    }
}

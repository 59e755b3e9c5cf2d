//! Reading a file of formulae in either format.

use std::io::{self, BufRead, Chain, Cursor, Read};

use thiserror::Error;

use super::binary::BinaryReader;
use super::container::{ContainerError, MAGIC, read_up_to};
use super::text::TextReader;
use crate::formula::Formula;
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
    /// An I/O error of the underlying reader.
    #[error("reading failed: {0}")]
    Io(io::Error),
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
        Ok(Self { form, read: 0, variables: None, failed: false })
    }

    /// Rejects formulae with variables above `x_variables`.
    pub fn with_variables(mut self, variables: Option<u32>) -> Self {
        self.variables = variables;
        self
    }

    fn read(&mut self) -> Result<Option<Formula>, ReadError> {
        let next = match &mut self.form {
            Form::Text(reader) => reader.next()?,
            Form::Binary(reader) => reader.next()?,
        };
        let Some(formula) = next else { return Ok(None) };
        self.read += 1;
        match self.variables {
            Some(variables) if formula.max_variable() > variables => {
                let place = match &self.form {
                    Form::Text(reader) => format!("line {}", reader.lines),
                    Form::Binary(_) => format!("formula {}", self.read),
                };
                Err(ReadError::Variable { place, variable: formula.max_variable(), variables })
            }
            _ => Ok(Some(formula)),
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
        let next = self.read().transpose();
        self.failed = matches!(next, Some(Err(_)));
        next
    }
}

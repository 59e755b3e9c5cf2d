//! Reading a file of formulae, whichever of the two forms it has.

use std::io::{self, BufRead, Chain, Cursor, Read};

use thiserror::Error;

use super::binary::BinaryReader;
use super::container::{ContainerError, MAGIC, read_up_to};
use super::text::TextReader;
use crate::formula::Formula;
use crate::parse::ParseError;

/// A file of formulae that cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A line that is not a formula.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// A line that is not text.
    #[error("line {line}, byte {column}: this is not UTF-8 text")]
    Encoding {
        /// The line, from 1.
        line: usize,
        /// The byte in it, from 1.
        column: usize,
    },
    /// A container that is damaged or of another kind.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// A variable beyond the declared ones.
    #[error(
        "{place}: x{variable} occurs, but there are only {variables} variables: use x1 to x{variables}, or raise the number of variables"
    )]
    Variable {
        /// The line, or the number of the formula in a binary file.
        place: String,
        /// The variable.
        variable: u32,
        /// How many there are.
        variables: u32,
    },
    /// The reader failed.
    #[error("reading failed: {0}")]
    Io(io::Error),
}

type Start<R> = Chain<Cursor<Vec<u8>>, R>;

enum Form<R: BufRead> {
    Text(TextReader<Start<R>>),
    Binary(BinaryReader<Start<R>>),
}

/// Reads formulae one by one from text or from a container; which of them it is shows in the first bytes.
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
    /// Looks at the first bytes; formulae are read as they are asked for.
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

    /// Refuses formulae with variables above `x_variables`.
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

    /// Nothing follows an error.
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = self.read().transpose();
        self.failed = matches!(next, Some(Err(_)));
        next
    }
}

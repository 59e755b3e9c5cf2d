//! Files of other programs: reading and writing formulae with their names and labels in many formats.

mod csv;
mod dimacs;
mod graphviz;
mod json;
mod latex;
mod pla;
mod smtlib;
mod sympy;

use std::io::{self, BufRead, Write};
use std::path::Path;

use crate::formula::Formula;
use crate::io::{BinaryWriter, Entry, FormulaReader, ReadError, write_entries};
use crate::names::Names;

/// A format of files of formulae.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileFormat {
    /// One formula per line.
    Text,
    /// The compact binary format of this project.
    Binary,
    /// A JSON object with the variables and the formulae, as text and as trees.
    Json,
    /// A table with a column `formula`, and a column `id` or `label`. Only read.
    Csv,
    /// Clauses in conjunctive normal form. Written, all formulae together are one problem, by Tseitin's
    /// encoding; read, a problem is one formula.
    Dimacs,
    /// The Boolean part of SMT-LIB 2: one assertion per formula.
    SmtLib,
    /// Two-level logic as in the files of espresso: one formula per output. Only read.
    Pla,
    /// Formulae for a LaTeX document. Only written.
    Latex,
    /// A Python program that builds the formulae with SymPy. Only written.
    Sympy,
    /// The syntax trees for the `dot` program of Graphviz. Only written.
    Graphviz,
}

impl FileFormat {
    /// All formats, with their names on the command line and the extensions of their files.
    pub const ALL: [(Self, &'static str, &'static [&'static str]); 10] = [
        (Self::Text, "text", &["txt"]),
        (Self::Binary, "binary", &["bin"]),
        (Self::Json, "json", &["json"]),
        (Self::Csv, "csv", &["csv", "tsv"]),
        (Self::Dimacs, "dimacs", &["cnf", "dimacs"]),
        (Self::SmtLib, "smtlib", &["smt2"]),
        (Self::Pla, "pla", &["pla"]),
        (Self::Latex, "latex", &["tex"]),
        (Self::Sympy, "sympy", &["py"]),
        (Self::Graphviz, "graphviz", &["dot", "gv"]),
    ];

    /// The format that the extension of a file name stands for.
    pub fn from_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let mut all = Self::ALL.iter();
        all.find(|(_, _, extensions)| extensions.contains(&extension.as_str())).map(|(format, ..)| *format)
    }

    /// Whether files of this format can be read.
    pub fn is_readable(self) -> bool {
        !matches!(self, Self::Latex | Self::Sympy | Self::Graphviz)
    }

    /// Whether files of this format can be written.
    pub fn is_writable(self) -> bool {
        !matches!(self, Self::Csv | Self::Pla)
    }
}

/// The contents of a file: formulae with their labels and places, and the names of their variables.
///
/// ```
/// use logicvae_logic::{FileFormat, FormulaFile};
/// let text = "REQ-1: door_open & !alarm -> locked\nalarm | locked  # REQ-2 one of both\n";
/// let file = FormulaFile::read(text.as_bytes(), FileFormat::Text)?;
/// assert_eq!(file.entries[1].label.as_deref(), Some("REQ-2 one of both"));
/// let mut out = Vec::new();
/// file.write(&mut out, FileFormat::SmtLib)?;
/// assert!(String::from_utf8_lossy(&out).contains("(declare-const door_open Bool)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormulaFile {
    /// The names of the variables.
    pub names: Names,
    /// The formulae.
    pub entries: Vec<Entry>,
}

impl FormulaFile {
    /// Reads a file. Text and binary files are told apart by their first bytes.
    pub fn read(reader: impl BufRead, format: FileFormat) -> Result<Self, ReadError> {
        Self::read_with(reader, format, Names::default())
    }

    /// Reads a file into a table of names, such as that of another file: equal names are the same variable.
    pub fn read_with(mut reader: impl BufRead, format: FileFormat, names: Names) -> Result<Self, ReadError> {
        if matches!(format, FileFormat::Text | FileFormat::Binary) {
            let mut reader = FormulaReader::new(reader)?.with_names(names);
            let mut entries = Vec::new();
            while let Some(entry) = reader.next_entry()? {
                entries.push(entry);
            }
            return Ok(Self { names: reader.names().clone(), entries });
        }
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).map_err(ReadError::Io)?;
        let text = utf8(bytes)?;
        let text = text.trim_start_matches('\u{feff}');
        let file = match format {
            FileFormat::Json => json::read(text)?,
            FileFormat::Csv => return csv::read(text, names),
            FileFormat::Dimacs => dimacs::read(text)?,
            FileFormat::SmtLib => smtlib::read(text)?,
            FileFormat::Pla => pla::read(text)?,
            _ => {
                return Err(ReadError::Format {
                    line: 1,
                    what: "files of this format can be written, but not read".to_owned(),
                });
            }
        };
        file.aligned(names)
    }

    /// The same formulae in another table of names.
    fn aligned(self, mut names: Names) -> Result<Self, ReadError> {
        if names.width() == 0 {
            return Ok(self);
        }
        let formulae: Vec<Formula> = self.entries.iter().map(|entry| entry.formula.clone()).collect();
        let place = "the names of this file".to_owned();
        let formulae =
            names.translate(&self.names, &formulae).map_err(|error| ReadError::Names { place, error })?;
        let entries = self.entries.into_iter().zip(formulae);
        let entries = entries.map(|(entry, formula)| Entry { formula, ..entry }).collect();
        Ok(Self { names, entries })
    }

    /// Writes the formulae in a format. It is an error if the format can only be read.
    pub fn write(&self, writer: &mut dyn Write, format: FileFormat) -> io::Result<()> {
        match format {
            FileFormat::Text => write_entries(writer, &self.names, &self.entries),
            FileFormat::Binary => {
                let mut binary = BinaryWriter::with_names(writer, &self.names)?;
                self.entries.iter().try_for_each(|entry| binary.write(&entry.formula))?;
                binary.finish().map(drop)
            }
            FileFormat::Json => json::write(self, writer),
            FileFormat::Dimacs => dimacs::write(self, writer),
            FileFormat::SmtLib => smtlib::write(self, writer),
            FileFormat::Latex => latex::write(self, writer),
            FileFormat::Sympy => sympy::write(self, writer),
            FileFormat::Graphviz => graphviz::write(self, writer),
            FileFormat::Csv | FileFormat::Pla => {
                Err(io::Error::other("files of this format can be read, but not written"))
            }
        }
    }

    /// The largest index of a variable that occurs.
    fn largest_variable(&self) -> u32 {
        self.entries.iter().map(|entry| entry.formula.max_variable()).max().unwrap_or(0)
    }
}

fn utf8(bytes: Vec<u8>) -> Result<String, ReadError> {
    String::from_utf8(bytes).map_err(|e| {
        let before = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|&&b| b != b'\n').count() + 1;
        ReadError::Encoding { line, column }
    })
}

/// Names of variables in the language of another program: the name itself if it is allowed there, and
/// otherwise, or if two would be the same, the prefix and the index.
fn safe_name(name: Option<&str>, index: u32, prefix: &str, allowed: impl Fn(&str) -> bool) -> String {
    match name {
        Some(name) if allowed(name) => name.to_owned(),
        _ => format!("{prefix}{index}"),
    }
}

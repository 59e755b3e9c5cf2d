//! The error type of this crate.

use std::path::PathBuf;

use thiserror::Error;

/// What can go wrong when a table is read or mined.
#[derive(Debug, Error)]
pub enum MineError {
    /// A file cannot be read.
    #[error("cannot read {path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A table that is not well formed.
    #[error("{0}")]
    Table(String),
    /// A column that does not exist.
    #[error("there is no column `{name}`: the columns are {known}")]
    Column {
        /// The name that was asked for.
        name: String,
        /// The names that exist, shortened.
        known: String,
    },
    /// Settings that do not go together.
    #[error("{0}")]
    Settings(String),
    /// A text that is not a formula over columns.
    #[error("{message}\n  {text}\n  {marker}^")]
    Parse {
        /// What is wrong.
        message: String,
        /// The text.
        text: String,
        /// Spaces up to the place.
        marker: String,
    },
}

impl MineError {
    pub(crate) fn parse(message: impl Into<String>, text: &str, at: usize) -> Self {
        let at = text[..at.min(text.len())].chars().count();
        Self::Parse { message: message.into(), text: text.to_owned(), marker: " ".repeat(at) }
    }
}

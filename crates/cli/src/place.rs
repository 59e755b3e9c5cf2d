//! Where a formula of a file is, and what the file calls it.

use std::path::Path;

use logicvae_logic::Entry;
use serde::Serialize;

/// The place of a formula in results.
#[derive(Clone, Serialize)]
pub struct Place {
    /// The file; none if the formula is not from a file.
    file: Option<String>,
    /// The line in the file, from 1.
    pub line: usize,
    /// Its label, such as `REQ-12 door interlock`.
    pub label: Option<String>,
}

impl Place {
    pub fn new(file: Option<&Path>, entry: &Entry) -> Self {
        let file = file.map(|file| file.display().to_string());
        Self { file, line: entry.line, label: entry.label.clone() }
    }

    /// The cells of a table: the line and the label.
    pub fn cells(&self) -> (String, String) {
        (self.line.to_string(), self.label.clone().unwrap_or_default())
    }
}

//! One formula of a file, and where it is from.

use crate::formula::Formula;

/// A formula of a file, with its label and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The formula.
    pub formula: Formula,
    /// What the file calls it, such as `REQ-12 door interlock`.
    pub label: Option<String>,
    /// The line in the file, from 1; in binary files, the number of the formula.
    pub line: usize,
}

impl From<Formula> for Entry {
    /// A formula that is not from a file.
    fn from(formula: Formula) -> Self {
        Self { formula, label: None, line: 0 }
    }
}

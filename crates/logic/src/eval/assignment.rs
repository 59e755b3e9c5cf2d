//! A truth assignment: one truth value for each of the variables x1, x2, …

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The truth values of `x1`, `x2`, … in this order, written as a string of 0 and 1.
///
/// ```
/// use logicvae_logic::{Assignment, x};
/// let a: Assignment = "10".parse()?;
/// assert!((x(1) & !x(2)).evaluate(&a)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Assignment(Vec<bool>);

/// A text that is not a string of 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "an assignment is a string of 0 and 1, x1 first, such as 1011; character {position} is `{}`",
    .found.escape_debug()
)]
pub struct AssignmentError {
    /// The invalid character.
    pub found: char,
    /// Its position in the text, starting at 1.
    pub position: usize,
}

impl Assignment {
    /// Assignment number `index` in the order of truth tables: `x_(b+1)` is bit b of `index`.
    pub fn from_index(index: u64, variables: usize) -> Self {
        Self((0..variables).map(|b| b < 64 && index >> b & 1 == 1).collect())
    }

    /// The values, `x1` first.
    pub fn values(&self) -> &[bool] {
        &self.0
    }

    /// The number of variables.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Vec<bool>> for Assignment {
    fn from(values: Vec<bool>) -> Self {
        Self(values)
    }
}

impl FromStr for Assignment {
    type Err = AssignmentError;
    fn from_str(text: &str) -> Result<Self, AssignmentError> {
        let value = |(i, c)| match c {
            '0' => Ok(false),
            '1' => Ok(true),
            found => Err(AssignmentError { found, position: i + 1 }),
        };
        text.chars().enumerate().map(value).collect::<Result<_, _>>().map(Self)
    }
}

impl TryFrom<String> for Assignment {
    type Error = AssignmentError;
    fn try_from(text: String) -> Result<Self, AssignmentError> {
        text.parse()
    }
}

impl From<Assignment> for String {
    fn from(a: Assignment) -> String {
        a.to_string()
    }
}

impl fmt::Display for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|&v| f.write_str(if v { "1" } else { "0" }))
    }
}

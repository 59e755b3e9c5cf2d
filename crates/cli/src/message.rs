//! Messages on standard error, and words in messages.

use std::fmt::Display;
use std::io::{self, Write};

use crate::plain::plain;

/// Prints a line on standard error. Where that is closed or full, nothing can be said, so errors are ignored.
pub fn message(text: impl Display) {
    writeln!(io::stderr().lock(), "{}", plain(&text.to_string())).ok();
}

/// A number with its noun: `1 formula`, `2 formulae`.
pub fn counted(number: usize, noun: &str) -> String {
    match (number, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "formula") => format!("{number} formulae"),
        _ => format!("{number} {noun}s"),
    }
}

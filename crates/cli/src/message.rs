//! Messages on standard error.

use std::fmt::Display;
use std::io::{self, Write};

/// Prints a line on standard error. Where that is closed or full, nothing can be said, so errors are ignored.
pub fn message(text: impl Display) {
    writeln!(io::stderr().lock(), "{text}").ok();
}

//! Messages on standard error and answers on standard output. Where these are closed or full, nothing can be
//! said, and the experiments go on.

use std::fmt::Arguments;
use std::io::Write;

/// Writes a line, if it can be written.
pub fn line(mut to: impl Write, text: Arguments<'_>) {
    writeln!(to, "{text}").ok();
}

/// Prints a line on standard error, like `eprintln!`, which panics where that is closed.
macro_rules! message {
    ($($text:tt)*) => { $crate::output::line(std::io::stderr().lock(), format_args!($($text)*)) };
}

/// Prints a line on standard output, like `println!`.
macro_rules! answer {
    ($($text:tt)*) => { $crate::output::line(std::io::stdout().lock(), format_args!($($text)*)) };
}

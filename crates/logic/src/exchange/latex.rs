//! LaTeX: one formula per line of an `align*` environment.

use std::fmt;
use std::io::{self, Write};

use super::FormulaFile;
use crate::node::Var;
use crate::print::{Syntax, write_infix};

pub(super) fn write(file: &FormulaFile, writer: &mut dyn Write) -> io::Result<()> {
    let variable =
        |index: u32, out: &mut dyn fmt::Write| match Var::new(index).ok().and_then(|v| file.names.name(v)) {
            Some(name) => write!(out, "\\mathit{{{}}}", escaped(name)),
            None => write!(out, "x_{{{index}}}"),
        };
    let syntax = Syntax {
        not: "\\lnot ",
        and: " \\land ",
        or: " \\lor ",
        one: "\\top",
        zero: "\\bot",
        variable: &variable,
    };
    writeln!(writer, "\\begin{{align*}}")?;
    for (at, entry) in file.entries.iter().enumerate() {
        let mut text = String::new();
        write_infix(&entry.formula, &syntax, &mut text).map_err(io::Error::other)?;
        let label = entry.label.as_ref().map_or(String::new(), |l| format!("\\text{{{}}}", escaped(l)));
        let end = if at + 1 < file.entries.len() { " \\\\" } else { "" };
        writeln!(writer, "  {label} &\\quad {text}{end}")?;
    }
    writeln!(writer, "\\end{{align*}}")
}

/// Escapes the characters that have a meaning in LaTeX.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '_' | '&' | '%' | '$' | '#' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out.push_str("\\backslash "),
            '~' => out.push_str("\\sim "),
            '^' => out.push_str("\\hat{ }"),
            '<' => out.push_str("{<}"),
            '>' => out.push_str("{>}"),
            ' ' => out.push_str("\\ "),
            _ => out.push(c),
        }
    }
    out
}

//! SymPy: a Python program that defines `formulae`, a list, and `labels`.

use std::fmt;
use std::io::{self, Write};

use super::{FormulaFile, safe_name};
use crate::node::Var;
use crate::print::{Syntax, write_infix};

/// Words of Python, and names that the program itself uses.
const TAKEN: [&str; 41] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "Symbol",
    "true", "false", "formulae", "labels", "match",
];

pub(super) fn write(file: &FormulaFile, writer: &mut dyn Write) -> io::Result<()> {
    let name = |index: u32| {
        let own = Var::new(index).ok().and_then(|v| file.names.name(v));
        safe_name(own, index, "x", is_python_name)
    };
    let variable = |index: u32, out: &mut dyn fmt::Write| out.write_str(&name(index));
    let syntax = Syntax { not: "~", and: " & ", or: " | ", one: "true", zero: "false", variable: &variable };
    writeln!(writer, "from sympy import Symbol, false, true\n")?;
    let mut used: Vec<Var> = file.entries.iter().flat_map(|entry| entry.formula.variables()).collect();
    used.sort_unstable();
    used.dedup();
    for var in used {
        let shown = file.names.name(var).map_or_else(|| var.to_string(), str::to_owned);
        writeln!(writer, "{} = Symbol({})", name(var.index()), quoted(&shown))?;
    }
    writeln!(writer, "\nformulae = [")?;
    for entry in &file.entries {
        let mut text = String::new();
        write_infix(&entry.formula, &syntax, &mut text).map_err(io::Error::other)?;
        writeln!(writer, "    {text},")?;
    }
    writeln!(writer, "]\nlabels = [")?;
    for entry in &file.entries {
        writeln!(writer, "    {},", entry.label.as_ref().map_or("None".to_owned(), |label| quoted(label)))?;
    }
    writeln!(writer, "]")
}

fn is_python_name(name: &str) -> bool {
    let first = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let index = name.strip_prefix('x').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
    first && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && !index && !TAKEN.contains(&name)
}

/// A string as Python and JSON write it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

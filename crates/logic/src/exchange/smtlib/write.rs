//! Writes SMT-LIB.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use super::{is_simple, is_taken};
use crate::exchange::FormulaFile;
use crate::formula::Formula;
use crate::node::{AND, NOT, OR, TRUE, VAR, Var};

pub(in crate::exchange) fn write(file: &FormulaFile, writer: &mut dyn Write) -> io::Result<()> {
    writeln!(writer, "(set-logic QF_UF)")?;
    let mut used: Vec<Var> = file.entries.iter().flat_map(|entry| entry.formula.variables()).collect();
    used.sort_unstable();
    used.dedup();
    let mut symbols = Symbols::default();
    let mut names: HashMap<u32, String> = HashMap::new();
    for var in used {
        let name = symbols.add(&file.names.name(var).map_or_else(|| var.to_string(), str::to_owned));
        writeln!(writer, "(declare-const {name} Bool)")?;
        names.insert(var.index(), name);
    }
    let name = |index: u32| names.get(&index).cloned().unwrap_or_default();
    for entry in &file.entries {
        write!(writer, "(assert ")?;
        if entry.label.is_some() {
            write!(writer, "(! ")?;
        }
        term(&entry.formula, &name, writer)?;
        if let Some(label) = &entry.label {
            write!(writer, " :named {})", symbols.add(label))?;
        }
        writeln!(writer, ")")?;
    }
    writeln!(writer, "(check-sat)")
}

/// The symbols of a file. Variables and labels share them, and no two may be equal: a solver refuses the
/// second one, and goes on with the others.
#[derive(Default)]
struct Symbols(HashSet<String>);

impl Symbols {
    /// A new symbol for a name, in quotes if it needs them. A name that is taken gets a number.
    fn add(&mut self, name: &str) -> String {
        // `|` and `\` cannot occur in quoted symbols.
        let mut plain = name.replace(['|', '\\'], "_");
        if is_taken(&plain) {
            plain.push('\'');
        }
        let mut symbol = plain.clone();
        let mut number = 1;
        while !self.0.insert(symbol.clone()) {
            number += 1;
            symbol = format!("{plain} ({number})");
        }
        if is_simple(&symbol) { symbol } else { format!("|{symbol}|") }
    }
}

/// Writes a term without recursion.
fn term(formula: &Formula, name: &dyn Fn(u32) -> String, writer: &mut dyn Write) -> io::Result<()> {
    let mut open: Vec<u8> = Vec::new(); // for every open operator, the number of operands still to come
    for (at, &code) in formula.codes().iter().enumerate() {
        if at > 0 {
            write!(writer, " ")?;
        }
        match code {
            NOT => write!(writer, "(not")?,
            AND => write!(writer, "(and")?,
            OR => write!(writer, "(or")?,
            TRUE => write!(writer, "true")?,
            _ => write!(writer, "{}", name(code - VAR))?,
        }
        match code {
            NOT => open.push(1),
            AND | OR => open.push(2),
            _ => {
                while let Some(last) = open.last_mut() {
                    *last -= 1;
                    if *last > 0 {
                        break;
                    }
                    open.pop();
                    write!(writer, ")")?;
                }
            }
        }
    }
    Ok(())
}

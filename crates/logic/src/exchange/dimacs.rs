//! DIMACS: clauses in conjunctive normal form, the input of SAT solvers.
//!
//! Names are kept in comments such as `c variable 3 door_open`.

use std::io::{self, Write};

use super::FormulaFile;
use crate::formula::Formula;
use crate::io::{Entry, ReadError};
use crate::names::Names;
use crate::node::{AND, NOT, OR, TRUE, VAR, Var};

/// Writes the conjunction of all formulae by Tseitin's encoding: every `&` and `|` gets a variable of its own
/// that equals its value. The problem has a solution exactly if all formulae can be true together, and the
/// values of the first variables are such an assignment.
pub(super) fn write(file: &FormulaFile, writer: &mut dyn Write) -> io::Result<()> {
    let variables = file.largest_variable().max(1) as i64;
    let mut clauses = Clauses { next: variables + 1, list: Vec::new() };
    for entry in &file.entries {
        let root = clauses.encode(&entry.formula);
        clauses.list.push(vec![root]);
    }
    writeln!(
        writer,
        "c the conjunction of {} formulae; variables above {variables} are auxiliary",
        file.entries.len()
    )?;
    for index in (1..=variables as u32).filter_map(|index| Var::new(index).ok()) {
        if let Some(name) = file.names.name(index) {
            writeln!(writer, "c variable {} {name}", index.index())?;
        }
    }
    writeln!(writer, "p cnf {} {}", clauses.next - 1, clauses.list.len())?;
    for clause in &clauses.list {
        clause.iter().try_for_each(|literal| write!(writer, "{literal} "))?;
        writeln!(writer, "0")?;
    }
    Ok(())
}

struct Clauses {
    next: i64,
    list: Vec<Vec<i64>>,
}

impl Clauses {
    fn fresh(&mut self) -> i64 {
        self.next += 1;
        self.next - 1
    }

    /// The literal that equals the formula.
    fn encode(&mut self, formula: &Formula) -> i64 {
        let mut stack: Vec<i64> = Vec::new();
        for &code in formula.codes().iter().rev() {
            let literal = match code {
                NOT => -stack.pop().unwrap_or_default(),
                AND | OR => {
                    // a | b is !(!a & !b)
                    let sign = if code == AND { 1 } else { -1 };
                    let left = sign * stack.pop().unwrap_or_default();
                    let right = sign * stack.pop().unwrap_or_default();
                    let both = self.fresh();
                    self.list.extend([vec![-both, left], vec![-both, right], vec![both, -left, -right]]);
                    sign * both
                }
                TRUE => {
                    let one = self.fresh();
                    self.list.push(vec![one]);
                    one
                }
                _ => i64::from(code - VAR),
            };
            stack.push(literal);
        }
        stack[0]
    }
}

/// Reads a problem as one formula: the conjunction of its clauses.
pub(super) fn read(text: &str) -> Result<FormulaFile, ReadError> {
    let mut names: Vec<(u32, String)> = Vec::new();
    let mut clauses: Vec<Formula> = Vec::new();
    let mut clause: Vec<Formula> = Vec::new();
    let mut header = None;
    for (line, content) in (1..).zip(text.lines()) {
        let wrong = |what: String| ReadError::Format { line, what };
        let mut words = content.split_whitespace();
        match words.next() {
            None => continue,
            Some("c") => {
                let rest = content.trim_start().strip_prefix("c variable ").and_then(|r| r.split_once(' '));
                if let Some((Ok(index), name)) = rest.map(|(index, name)| (index.parse(), name.trim())) {
                    names.push((index, name.to_owned()));
                }
                continue;
            }
            Some("p") => {
                let numbers: Vec<u32> = words.clone().skip(1).filter_map(|w| w.parse().ok()).collect();
                let ("cnf", [variables, count]) = (words.next().unwrap_or(""), &numbers[..]) else {
                    return Err(wrong("expected `p cnf VARIABLES CLAUSES`".to_owned()));
                };
                header = Some((*variables, *count as usize));
                continue;
            }
            Some("%") => break, // some collections end their files like this
            Some(_) => {}
        }
        let Some((variables, _)) = header else {
            return Err(wrong("clauses come after a line `p cnf VARIABLES CLAUSES`".to_owned()));
        };
        for word in content.split_whitespace() {
            let number: i64 = word.parse().map_err(|_| wrong(format!("`{word}` is not a literal")))?;
            if number == 0 {
                clauses.push(Formula::any(clause.drain(..)));
                continue;
            }
            let index = u32::try_from(number.unsigned_abs()).unwrap_or(u32::MAX);
            let var = Var::new(index).ok().filter(|_| index <= variables);
            let var =
                var.ok_or_else(|| wrong(format!("variable {index} is above the {variables} declared")))?;
            clause.push(if number > 0 { Formula::var(var) } else { !Formula::var(var) });
        }
    }
    let Some((variables, count)) = header else {
        return Err(ReadError::Format {
            line: 1,
            what: "there is no line `p cnf VARIABLES CLAUSES`".to_owned(),
        });
    };
    if !clause.is_empty() || clauses.len() != count {
        let what = format!("the header declares {count} clauses, but {} are complete", clauses.len());
        return Err(ReadError::Format { line: text.lines().count(), what });
    }
    let mut list: Vec<String> = (1..=variables.min(1 << 20)).map(|index| format!("x{index}")).collect();
    let named = !names.is_empty();
    for (index, name) in names {
        if let Some(place) = (index as usize).checked_sub(1).and_then(|at| list.get_mut(at)) {
            *place = name;
        }
    }
    let names = if named { Names::new(list) } else { Ok(Names::default()) };
    let names =
        names.map_err(|error| ReadError::Names { place: "the names in comments".to_owned(), error })?;
    Ok(FormulaFile { names, entries: vec![Entry { formula: Formula::all(clauses), label: None, line: 1 }] })
}

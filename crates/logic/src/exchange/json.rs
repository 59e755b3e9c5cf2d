//! JSON: the variables, and each formula as text and as a tree.
//!
//! ```json
//! {"variables": ["door_open", "x2"],
//!  "formulae": [{"label": "REQ-1", "formula": "!door_open & x2",
//!                "tree": {"and": [{"not": "door_open"}, "x2"]}}]}
//! ```
//!
//! In a tree, a variable is a string, a constant is `true` or `false`, and an operator is an object with one
//! key: `not`, `and`, `or`, `xor`, `implies` or `iff`. When a file is read, `formula` is used if it is there.

use std::io::{self, Write};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::FormulaFile;
use crate::formula::Formula;
use crate::io::{Entry, ReadError};
use crate::names::Names;
use crate::node::{AND, NOT, OR, TRUE, VAR, Var};
use crate::parse::{parse_new, reserve_indices};

pub(super) fn write(file: &FormulaFile, writer: &mut dyn Write) -> io::Result<()> {
    let variables = file.names.width().max(file.largest_variable() as usize);
    let name = |index: u32| {
        let own = Var::new(index).ok().and_then(|var| file.names.name(var));
        Value::from(own.map_or_else(|| format!("x{index}"), str::to_owned))
    };
    let list: Vec<Value> = (1..=variables as u32).map(name).collect();
    write!(writer, "{{\"variables\": {},\n \"formulae\": [", Value::from(list))?;
    for (at, entry) in file.entries.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        let label = entry.label.as_deref().map_or(Value::Null, Value::from);
        let text = Value::from(file.names.display(&entry.formula).to_string());
        write!(writer, "{comma}\n  {{\"label\": {label}, \"formula\": {text}, \"tree\": ")?;
        tree(&entry.formula, &name, writer)?;
        write!(writer, "}}")?;
    }
    writeln!(writer, "\n]}}")
}

/// Writes a tree without recursion.
fn tree(formula: &Formula, name: &dyn Fn(u32) -> Value, writer: &mut dyn Write) -> io::Result<()> {
    enum Task {
        Node,
        Text(&'static str),
    }
    let mut codes = formula.codes().iter().copied().peekable();
    let mut tasks = vec![Task::Node];
    while let Some(task) = tasks.pop() {
        let code = match task {
            Task::Text(text) => {
                writer.write_all(text.as_bytes())?;
                continue;
            }
            Task::Node => codes.next().unwrap_or(TRUE),
        };
        match code {
            TRUE => write!(writer, "true")?,
            NOT if codes.next_if_eq(&TRUE).is_some() => write!(writer, "false")?,
            NOT => {
                write!(writer, "{{\"not\": ")?;
                tasks.extend([Task::Text("}"), Task::Node]);
            }
            AND | OR => {
                write!(writer, "{{\"{}\": [", if code == AND { "and" } else { "or" })?;
                tasks.extend([Task::Text("]}"), Task::Node, Task::Text(", "), Task::Node]);
            }
            _ => write!(writer, "{}", name(code - VAR))?,
        }
    }
    Ok(())
}

#[derive(Deserialize)]
struct File<'a> {
    #[serde(default)]
    variables: Vec<String>,
    #[serde(borrow)]
    formulae: Vec<Item<'a>>,
}

#[derive(Deserialize)]
struct Item<'a> {
    label: Option<String>,
    formula: Option<String>,
    #[serde(borrow)]
    tree: Option<&'a RawValue>,
}

pub(super) fn read(text: &str) -> Result<FormulaFile, ReadError> {
    let wrong = |line: usize, what: String| ReadError::Format { line, what };
    let file: File<'_> = serde_json::from_str(text).map_err(|e| wrong(e.line(), e.to_string()))?;
    let mut names = Names::new(&file.variables)
        .map_err(|error| ReadError::Names { place: "the list `variables`".to_owned(), error })?;
    for item in &file.formulae {
        reserve_indices(item.formula.as_deref().unwrap_or(""), 0, &mut names);
    }
    let mut entries = Vec::new();
    for (number, item) in (1..).zip(file.formulae) {
        let formula = match (&item.formula, item.tree) {
            (Some(text), _) => parse_new(text, 0, &mut names)
                .map_err(|e| wrong(number, format!("formula {number} of the list: {e}")))?,
            (None, Some(tree)) => {
                let value: Value =
                    serde_json::from_str(tree.get()).map_err(|e| wrong(number, e.to_string()))?;
                from_tree(&value, &mut names).map_err(|what| wrong(number, what))?
            }
            (None, None) => {
                return Err(wrong(number, format!("formula {number} has neither `formula` nor `tree`")));
            }
        };
        entries.push(Entry { formula, label: item.label, line: number });
    }
    Ok(FormulaFile { names, entries })
}

/// The formula of a tree. Its depth is limited by the JSON parser.
fn from_tree(value: &Value, names: &mut Names) -> Result<Formula, String> {
    match value {
        Value::Bool(true) => Ok(Formula::truth()),
        Value::Bool(false) => Ok(Formula::falsity()),
        Value::String(name) => variable(name, names),
        Value::Object(object) => {
            let Some((operator, operands)) = object.iter().next().filter(|_| object.len() == 1) else {
                return Err("an operator in a tree is an object with one key".to_owned());
            };
            let list = match operands {
                Value::Array(list) => list.as_slice(),
                one => std::slice::from_ref(one),
            };
            let parts: Vec<Formula> = list.iter().map(|v| from_tree(v, names)).collect::<Result<_, _>>()?;
            match (operator.as_str(), &parts[..]) {
                ("not", [one]) => Ok(!one),
                ("and", [_, ..]) => Ok(Formula::all(parts)),
                ("or", [_, ..]) => Ok(Formula::any(parts)),
                ("implies", [a, b]) => Ok(!a | b),
                ("xor", [a, b]) => Ok((a & !b) | (!a & b)),
                ("iff", [a, b]) => Ok((a & b) | (!a & !b)),
                _ => Err(format!("`{operator}` with {} operands is not an operator", parts.len())),
            }
        }
        _ => Err("a tree consists of strings, true, false and operators".to_owned()),
    }
}

fn variable(name: &str, names: &mut Names) -> Result<Formula, String> {
    let index = crate::identifier::index(name).and_then(|index| Var::new(index).ok());
    let var = match index {
        Some(var) => names.reserve(var).map(|()| var),
        None => names.declare(name),
    };
    var.map(Formula::var).map_err(|e| e.to_string())
}

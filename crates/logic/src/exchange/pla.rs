//! PLA: the two-level logic of espresso. Every output is a formula: the disjunction of its rows. A row that
//! belongs to many outputs is copied into each of them, so the formulae can be far larger than the file;
//! their size is limited before they are built.

use super::FormulaFile;
use crate::formula::Formula;
use crate::io::{Entry, ReadError};
use crate::names::Names;
use crate::node::Var;

/// The largest number of nodes in all formulae of a file together: as many as one formula may have.
const MAX_NODES: usize = 1 << 24;

pub(super) fn read(text: &str) -> Result<FormulaFile, ReadError> {
    let (mut inputs, mut outputs): (Option<usize>, Option<usize>) = (None, None);
    let (mut input_names, mut output_names): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut rows: Vec<Vec<Formula>> = Vec::new();
    let mut lines: Vec<usize> = Vec::new();
    let mut nodes = 0usize;
    for (line, content) in (1..).zip(text.lines()) {
        let wrong = |what: &str| ReadError::Format { line, what: what.to_owned() };
        let content = content.split('#').next().unwrap_or("").trim();
        let mut words = content.split_whitespace();
        let Some(first) = words.next() else { continue };
        let count = |word: Option<&str>| {
            let number = word.and_then(|w| w.parse().ok()).filter(|n| (1..=1 << 16).contains(n));
            number.ok_or_else(|| wrong("expected a number between 1 and 65536"))
        };
        match first {
            ".i" => inputs = Some(count(words.next())?),
            ".o" => {
                let number = count(words.next())?;
                outputs = Some(number);
                rows.resize(number, Vec::new());
                lines.resize(number, line);
            }
            ".ilb" => input_names = words.map(str::to_owned).collect(),
            ".ob" => output_names = words.map(str::to_owned).collect(),
            ".e" | ".end" => break,
            ".type" if !matches!(words.next(), Some("f" | "fd" | "fr" | "fdr")) => {
                return Err(wrong("only the types f, fd, fr and fdr are supported"));
            }
            _ if first.starts_with('.') => {} // hints that do not change the meaning
            _ => {
                let (Some(inputs), Some(outputs)) = (inputs, outputs) else {
                    return Err(wrong("rows come after `.i INPUTS` and `.o OUTPUTS`"));
                };
                let bits: Vec<char> = content.chars().filter(|c| !c.is_whitespace() && *c != '|').collect();
                if bits.len() != inputs + outputs {
                    return Err(wrong(&format!(
                        "the row has {} values, but {inputs} inputs and {outputs} outputs are declared",
                        bits.len()
                    )));
                }
                let mut literals = Vec::new();
                for (index, bit) in (1u32..).zip(&bits[..inputs]) {
                    let var = Var::new(index).map_err(|e| wrong(&e.to_string()))?;
                    match bit {
                        '0' => literals.push(!Formula::var(var)),
                        '1' => literals.push(Formula::var(var)),
                        '-' | '2' | '~' => {}
                        _ => return Err(wrong(&format!("`{bit}` is not an input: write 0, 1 or -"))),
                    }
                }
                let cube = Formula::all(literals);
                for (output, bit) in bits[inputs..].iter().enumerate() {
                    match bit {
                        '1' | '4' => {
                            nodes += cube.size() + 1;
                            if nodes > MAX_NODES {
                                return Err(wrong(&format!(
                                    "the formulae of all outputs have more than {MAX_NODES} nodes: use fewer \
                                     outputs or rows"
                                )));
                            }
                            rows[output].push(cube.clone());
                        }
                        '0' | '-' | '~' | '2' | '3' => {}
                        _ => return Err(wrong(&format!("`{bit}` is not an output: write 0, 1, - or ~"))),
                    }
                }
            }
        }
    }
    let (Some(inputs), Some(outputs)) = (inputs, outputs) else {
        return Err(ReadError::Format { line: 1, what: "`.i INPUTS` or `.o OUTPUTS` is missing".to_owned() });
    };
    for (what, list, count) in [(".ilb", &input_names, inputs), (".ob", &output_names, outputs)] {
        if !list.is_empty() && list.len() != count {
            let what = format!("{what} lists {} names for {count} columns", list.len());
            return Err(ReadError::Format { line: 1, what });
        }
    }
    let names = Names::new(&input_names)
        .map_err(|error| ReadError::Names { place: "the names of the inputs".to_owned(), error })?;
    let entries = rows.into_iter().zip(lines).enumerate().map(|(output, (cubes, line))| Entry {
        formula: Formula::any(cubes),
        label: output_names.get(output).cloned(),
        line,
    });
    Ok(FormulaFile { names, entries: entries.collect() })
}

//! Graphviz: the syntax trees as graphs for the program `dot`.

use std::io::{self, Write};

use super::FormulaFile;
use crate::node::Node;

pub(super) fn write(file: &FormulaFile, writer: &mut dyn Write) -> io::Result<()> {
    writeln!(writer, "digraph formulae {{")?;
    writeln!(writer, "  node [shape=circle, fontname=\"sans-serif\"];\n  edge [arrowhead=none];")?;
    for (number, entry) in (1..).zip(&file.entries) {
        let title = match &entry.label {
            Some(label) => label.clone(),
            None => file.names.display(&entry.formula).to_string(),
        };
        writeln!(writer, "  subgraph cluster_{number} {{\n    label={};", quoted(&title))?;
        let parents = entry.formula.parents();
        for ((at, node), parent) in entry.formula.preorder().enumerate().zip(parents) {
            let (text, shape) = match node {
                Node::True => ("1".to_owned(), "plaintext"),
                Node::Not => ("¬".to_owned(), "circle"),
                Node::And => ("∧".to_owned(), "circle"),
                Node::Or => ("∨".to_owned(), "circle"),
                Node::Var(var) => (file.names.name(var).map_or(var.to_string(), str::to_owned), "box"),
            };
            writeln!(writer, "    n{number}_{at} [label={}, shape={shape}];", quoted(&text))?;
            if let Some(parent) = parent {
                writeln!(writer, "    n{number}_{parent} -> n{number}_{at};")?;
            }
        }
        writeln!(writer, "  }}")?;
    }
    writeln!(writer, "}}")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

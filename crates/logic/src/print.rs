//! The canonical text of a formula: `x1 & !x2 | 1`, with the fewest parentheses that keep the tree.

use std::fmt::{self, Write};

use crate::formula::Formula;
use crate::node::{AND, NOT, OR, TRUE, VAR};

/// How tightly a node binds: a child that binds less than its place asks for is put in parentheses.
fn binding(code: u32) -> u8 {
    match code {
        OR => 1,
        AND => 2,
        _ => 3,
    }
}

/// What is still to be written, last first.
enum Task {
    /// The next node of the preorder, in a place that asks for this much binding.
    Node(u8),
    Text(&'static str),
}

impl fmt::Display for Formula {
    /// `&` and `|` associate to the left, so only a right operand of the same operator needs parentheses. `!1` is
    /// written `0`. Reading the text gives the same tree back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut codes = self.codes().iter().copied().peekable();
        let mut tasks = vec![Task::Node(0)];
        while let Some(task) = tasks.pop() {
            let place = match task {
                Task::Node(place) => place,
                Task::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
            };
            // A tree has exactly as many nodes as places, so there always is a next one.
            let Some(code) = codes.next() else { return Err(fmt::Error) };
            let own = binding(code);
            if own < place {
                f.write_char('(')?;
                tasks.push(Task::Text(")"));
            }
            match code {
                TRUE => f.write_char('1')?,
                NOT if codes.next_if_eq(&TRUE).is_some() => f.write_char('0')?,
                NOT => {
                    f.write_char('!')?;
                    tasks.push(Task::Node(3));
                }
                AND | OR => {
                    let sign = if code == AND { " & " } else { " | " };
                    tasks.extend([Task::Node(own + 1), Task::Text(sign), Task::Node(own)]);
                }
                _ => write!(f, "x{}", code - VAR)?,
            }
        }
        Ok(())
    }
}

//! The canonical text of a formula, such as `x1 & !x2 | 1`, with the fewest parentheses that preserve the
//! tree.

use std::fmt::{self, Write};

use crate::formula::Formula;
use crate::node::{AND, NOT, OR, TRUE, VAR};

/// Operator precedence. A child with a lower precedence than its position requires is put in parentheses.
fn precedence(code: u32) -> u8 {
    match code {
        OR => 1,
        AND => 2,
        _ => 3,
    }
}

/// Pending output; the last task is written first.
enum Task {
    /// The next node in preorder, at a position that requires at least this precedence.
    Node(u8),
    Text(&'static str),
}

impl fmt::Display for Formula {
    /// `&` and `|` associate to the left, so only a right operand of the same operator needs parentheses.
    /// `!1` is written as `0`. Parsing the text gives the same tree.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut codes = self.codes().iter().copied().peekable();
        let mut tasks = vec![Task::Node(0)];
        while let Some(task) = tasks.pop() {
            let required = match task {
                Task::Node(required) => required,
                Task::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
            };
            // There are exactly as many node tasks as nodes, so a next node always exists.
            let Some(code) = codes.next() else { return Err(fmt::Error) };
            let own = precedence(code);
            if own < required {
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

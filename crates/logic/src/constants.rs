//! Formulae without constants.

use crate::formula::Formula;
use crate::node::{AND, NOT, OR, TRUE};

impl Formula {
    /// The same formula without constants, unless it is a constant itself: `x & 1` becomes `x`, and `x & 0`
    /// becomes `0`. Nothing else changes. `x1 & (1 | x2) | !(0 | x1)` becomes `x1 | !x1`.
    pub(crate) fn without_constants(&self) -> Formula {
        let codes = self.codes();
        if !codes.contains(&TRUE) {
            return self.clone();
        }
        let ends = self.ends();
        // Which subtrees have a fixed value, from the leaves up.
        let mut values: Vec<Option<bool>> = vec![None; codes.len()];
        for (at, &code) in codes.iter().enumerate().rev() {
            values[at] = match code {
                TRUE => Some(true),
                NOT => values[at + 1].map(|value| !value),
                AND | OR => {
                    // The value of one operand that decides the result.
                    let deciding = code == OR;
                    match (values[at + 1], values[ends[at + 1]]) {
                        (Some(left), _) if left == deciding => Some(deciding),
                        (_, Some(right)) if right == deciding => Some(deciding),
                        (Some(_), Some(_)) => Some(!deciding),
                        _ => None,
                    }
                }
                _ => None,
            };
        }
        let mut out = Vec::new();
        let mut todo = vec![0];
        while let Some(at) = todo.pop() {
            match (codes[at], values[at]) {
                (_, Some(true)) => out.push(TRUE),
                (_, Some(false)) => out.extend([NOT, TRUE]),
                (code @ (AND | OR), None) => {
                    let (left, right) = (at + 1, ends[at + 1]);
                    match (values[left], values[right]) {
                        (Some(_), _) => todo.push(right),
                        (_, Some(_)) => todo.push(left),
                        _ => {
                            out.push(code);
                            todo.extend([right, left]);
                        }
                    }
                }
                (code, None) => {
                    out.push(code);
                    if code == NOT {
                        todo.push(at + 1);
                    }
                }
            }
        }
        Formula::from_codes(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_disappear_and_nothing_else_changes() {
        for (given, expected) in [
            ("x1 & (1 | x2) | !(0 | x1)", "x1 | !x1"),
            ("x1 & 0", "0"),
            ("!(x1 | 1) | x2 & !!x3", "x2 & !!x3"),
            ("x1 & x1", "x1 & x1"),
        ] {
            let formula: Formula = given.parse().unwrap();
            assert_eq!(formula.without_constants().to_string(), expected, "{given}");
        }
    }
}

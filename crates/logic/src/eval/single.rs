//! Evaluation at a single assignment.

use thiserror::Error;

use super::assignment::Assignment;
use crate::formula::Formula;
use crate::node::{AND, NOT, OR, TRUE, VAR};

/// A formula has a variable for which the assignment has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the formula has x{variable}, but the assignment has only {given} value(s)")]
pub struct UnboundVariable {
    /// The largest variable of the formula.
    pub variable: u32,
    /// The number of variables with a value.
    pub given: usize,
}

impl Formula {
    /// Whether the formula is true at an assignment, which must have a value for every variable of the
    /// formula.
    ///
    /// ```
    /// use logicvae_logic::{Formula, x};
    /// let f: Formula = "x1 -> x2".parse().unwrap();
    /// assert!(!f.evaluate(&"10".parse().unwrap()).unwrap());
    /// ```
    pub fn evaluate(&self, assignment: &Assignment) -> Result<bool, UnboundVariable> {
        let values = assignment.values();
        if self.max_variable() as usize > values.len() {
            return Err(UnboundVariable { variable: self.max_variable(), given: values.len() });
        }
        let mut stack: Vec<bool> = Vec::new();
        // Reversed preorder visits operands before their operator.
        for &code in self.codes().iter().rev() {
            let value = match code {
                TRUE => true,
                NOT => !stack.pop().unwrap_or_default(),
                AND | OR => {
                    let (left, right) = (stack.pop().unwrap_or_default(), stack.pop().unwrap_or_default());
                    if code == AND { left & right } else { left | right }
                }
                _ => values[(code - VAR) as usize - 1],
            };
            stack.push(value);
        }
        Ok(stack[0])
    }

    /// The value as -1 or +1, as in the definition of the kernel: +1 if the formula is true.
    pub fn sign(&self, assignment: &Assignment) -> Result<i8, UnboundVariable> {
        Ok(if self.evaluate(assignment)? { 1 } else { -1 })
    }
}

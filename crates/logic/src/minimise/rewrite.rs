//! The same expression with other operators.

use super::Operators;
use super::expression::{Expression, XOR};
use crate::node::{AND, NOT, OR, TRUE};

/// Rewrites an expression with the operators that are allowed; `None` if they cannot express its operators.
pub(super) fn with_operators(expression: &Expression, operators: Operators) -> Option<Expression> {
    let mut stack: Vec<Expression> = Vec::new();
    for &code in expression.codes().iter().rev() {
        let new = match code {
            NOT => not(&stack.pop()?, operators)?,
            AND | OR | XOR => {
                let (left, right) = (stack.pop()?, stack.pop()?);
                join(code, &left, &right, operators)?
            }
            _ => Expression::leaf(code),
        };
        stack.push(new);
    }
    stack.pop()
}

fn not(operand: &Expression, operators: Operators) -> Option<Expression> {
    match operators {
        Operators { not: true, .. } => Some(operand.negated()),
        Operators { xor: true, .. } => Some(Expression::join(XOR, &Expression::leaf(TRUE), operand)),
        _ => None,
    }
}

fn join(code: u32, left: &Expression, right: &Expression, operators: Operators) -> Option<Expression> {
    let not = |operand: &Expression| not(operand, operators);
    let both = |operator: u32| Some(Expression::join(operator, left, right));
    match (code, operators) {
        (AND, Operators { and: true, .. }) => both(AND),
        (OR, Operators { or: true, .. }) => both(OR),
        (XOR, Operators { xor: true, .. }) => both(XOR),
        // De Morgan.
        (AND, Operators { or: true, .. }) => not(&Expression::join(OR, &not(left)?, &not(right)?)),
        (OR, Operators { and: true, .. }) => not(&Expression::join(AND, &not(left)?, &not(right)?)),
        (XOR, _) => {
            let first = join(AND, left, &not(right)?, operators)?;
            join(OR, &first, &join(AND, &not(left)?, right, operators)?, operators)
        }
        _ => None,
    }
}

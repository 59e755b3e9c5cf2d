//! Formulae as straight-line programs of a single instruction.
//!
//! A node's values at many assignments are a *row* of bits. Negation costs nothing: an operand is a row and a flag
//! that says whether it is flipped. With flags, `a | b` is `!(!a & !b)`, so every inner node is one AND of two rows,
//! each flipped or not, and leaves are rows that are there already.

use std::hint::select_unpredictable as select;

use crate::formula::Formula;
use crate::node::{AND, NOT, OR, VAR};

/// A row and whether it is flipped: `row << 1 | flipped`. The row of a leaf is its node code.
#[derive(Clone, Copy, Default)]
pub(super) struct Operand(u32);

impl Operand {
    pub fn row(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// All ones if the operand is flipped.
    pub fn mask(self) -> u64 {
        u64::from(self.0 & 1).wrapping_neg()
    }
}

/// The AND of two operands. The result of a program's step k goes to row k after the leaves' rows.
#[derive(Clone, Copy, Default)]
pub(super) struct Step {
    pub left: Operand,
    pub right: Operand,
}

/// The programs of many formulae, one after the other.
#[derive(Default)]
pub(super) struct Programs {
    pub steps: Vec<Step>,
    /// For each formula, where its steps end and which operand is its value.
    pub ends: Vec<(usize, Operand)>,
}

/// The first row after the leaves' rows: those of x1, x2, … and, at codes that leaves do not have, that of the constant.
pub(super) fn first_result(variables: usize) -> usize {
    VAR as usize + 1 + variables
}

impl Programs {
    pub fn compile(formulae: &[Formula], variables: usize) -> Self {
        let mut programs = Self::default();
        programs.steps.reserve(formulae.iter().map(Formula::size).sum());
        programs.ends.reserve(formulae.len());
        let mut stack = Vec::new();
        for formula in formulae {
            programs.add(formula.codes(), first_result(variables) as u32, &mut stack);
        }
        programs
    }

    /// From the end of the preorder, operands come before their operator and wait on a stack.
    ///
    /// Node types follow no pattern that a processor could predict, so the loop does not branch on them: it works out
    /// all cases and selects.
    fn add(&mut self, codes: &[u32], mut result: u32, stack: &mut Vec<u32>) {
        stack.resize(stack.len().max(codes.len() + 2), 0);
        let stack = &mut stack[..codes.len() + 2];
        let start = self.steps.len();
        self.steps.resize(start + codes.len(), Step::default());
        let steps = &mut self.steps[start..];
        // The newest operand is kept apart; `waiting` others lie on the stack below it.
        let (mut newest, mut waiting, mut made) = (0u32, 0usize, 0usize);
        for &code in codes.iter().rev() {
            let leaf = code.wrapping_sub(NOT) > OR - NOT;
            let binary = code.wrapping_sub(AND) <= OR - AND;
            let flip = u32::from(code == OR);
            steps[made] = Step { left: Operand(newest ^ flip), right: Operand(stack[waiting] ^ flip) };
            stack[waiting + 1] = newest;
            let operator = select(binary, result << 1 | flip, newest ^ 1);
            newest = select(leaf, code << 1, operator);
            result += u32::from(binary);
            made += usize::from(binary);
            waiting = waiting + usize::from(leaf) - usize::from(binary);
        }
        self.steps.truncate(start + made);
        self.ends.push((self.steps.len(), Operand(newest)));
    }
}

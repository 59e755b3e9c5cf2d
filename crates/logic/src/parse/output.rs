//! The output of the parser in postorder, where every operator follows its operands.

use super::error::ParseErrorKind;
use crate::formula::Formula;
use crate::node::{NOT, arity};

/// The number of nodes that any input may expand to through `^` and `<->`, which duplicate their operands.
const FREE_NODES: usize = 1 << 16;
/// The number of nodes allowed in addition for each byte of input. Together, both limits keep memory
/// proportional to the input.
const NODES_PER_BYTE: usize = 64;

pub(super) struct Output {
    codes: Vec<u32>,
    /// The start of each operand that no operator has used yet.
    starts: Vec<usize>,
    limit: usize,
}

impl Output {
    pub fn new(bytes: usize) -> Self {
        Self {
            codes: Vec::new(),
            starts: Vec::new(),
            limit: (FREE_NODES + NODES_PER_BYTE * bytes).min(u32::MAX as usize),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    pub fn leaf(&mut self, code: u32) {
        self.starts.push(self.codes.len());
        self.codes.push(code);
    }

    pub fn negate(&mut self) {
        self.codes.push(NOT);
    }

    /// Combines the last two operands into one.
    pub fn join(&mut self, op: u32) {
        self.starts.pop();
        self.codes.push(op);
    }

    /// Appends to the last two operands a and b: the first list, a again, the second list, b again, the third
    /// list.
    pub fn join_twice(&mut self, between: &[&[u32]; 3]) -> Result<(), ParseErrorKind> {
        let end = self.codes.len();
        let right = self.starts.pop().unwrap_or(end);
        let left = self.starts.last().copied().unwrap_or(right);
        let nodes = end + (end - left) + between.iter().map(|b| b.len()).sum::<usize>();
        if nodes > self.limit {
            return Err(ParseErrorKind::TooLarge { nodes, limit: self.limit });
        }
        self.codes.extend_from_slice(between[0]);
        self.codes.extend_from_within(left..right);
        self.codes.extend_from_slice(between[1]);
        self.codes.extend_from_within(right..end);
        self.codes.extend_from_slice(between[2]);
        Ok(())
    }

    /// Converts postorder to preorder. In postorder the root is last, its right child is just before it, and
    /// its left child is before the right child's subtree. Every node's preorder position therefore follows
    /// from its parent's, in one pass from the end.
    pub fn into_formula(self) -> Formula {
        let codes = self.codes;
        let mut sizes = vec![0u32; codes.len()];
        for (i, &code) in codes.iter().enumerate() {
            let mut size = 1;
            for _ in 0..arity(code) {
                size += sizes[i - size as usize];
            }
            sizes[i] = size;
        }
        let mut positions = vec![0u32; codes.len()];
        let mut preorder = vec![0u32; codes.len()];
        for (i, &code) in codes.iter().enumerate().rev() {
            preorder[positions[i] as usize] = code;
            match arity(code) {
                0 => {}
                1 => positions[i - 1] = positions[i] + 1,
                _ => {
                    let left = i - 1 - sizes[i - 1] as usize;
                    positions[left] = positions[i] + 1;
                    positions[i - 1] = positions[i] + 1 + sizes[left];
                }
            }
        }
        Formula::from_codes(preorder)
    }
}

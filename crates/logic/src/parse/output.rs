//! The tree while it is being read: postorder, in which an operator simply follows its operands.

use super::error::ParseErrorKind;
use crate::formula::Formula;
use crate::node::{NOT, arity};

/// Nodes that any input may grow to through `^` and `<->`, which double their operands ...
const FREE_NODES: usize = 1 << 16;
/// ... and what is added for each byte of it. Together they keep memory proportional to the input.
const NODES_PER_BYTE: usize = 64;

pub(super) struct Output {
    codes: Vec<u32>,
    /// Where each operand that is not yet used starts.
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

    /// Makes one operand of the last two.
    pub fn join(&mut self, op: u32) {
        self.starts.pop();
        self.codes.push(op);
    }

    /// The last two operands, a and b, followed by: the first list, a again, the second list, b again, the third list.
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

    /// Postorder to preorder: the root is last, its right child stands just before it, and the left child before that
    /// one's subtree, so every node's place follows from its parent's, in one pass from the end.
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
        let mut places = vec![0u32; codes.len()];
        let mut preorder = vec![0u32; codes.len()];
        for (i, &code) in codes.iter().enumerate().rev() {
            preorder[places[i] as usize] = code;
            match arity(code) {
                0 => {}
                1 => places[i - 1] = places[i] + 1,
                _ => {
                    let left = i - 1 - sizes[i - 1] as usize;
                    places[left] = places[i] + 1;
                    places[i - 1] = places[i] + 1 + sizes[left];
                }
            }
        }
        Formula::from_codes(preorder)
    }
}

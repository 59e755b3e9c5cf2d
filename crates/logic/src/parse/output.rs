//! The output of the parser in postorder, where every operator follows its operands.

use super::error::ParseErrorKind;
use crate::formula::{Formula, MAX_NODES};
use crate::node::{AND, NOT, OR, arity};

/// The number of nodes that any input may expand to through `^` and `<->`, which duplicate their operands.
const FREE_NODES: usize = 1 << 16;
/// The number of nodes allowed in addition for each byte of input. Together, both limits keep memory
/// proportional to the input.
const NODES_PER_BYTE: usize = 64;

/// a ^ b is a & !b | !a & b: what follows a b, the second a and the second b.
pub(crate) const XOR: [&[u32]; 3] = [&[NOT, AND], &[NOT], &[AND, OR]];
/// a <-> b is a & b | !a & !b.
pub(crate) const IFF: [&[u32]; 3] = [&[AND], &[NOT], &[NOT, AND, OR]];

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
            limit: NODES_PER_BYTE.saturating_mul(bytes).saturating_add(FREE_NODES).min(MAX_NODES),
        }
    }

    /// The number of nodes so far.
    pub fn len(&self) -> usize {
        self.codes.len()
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

    /// Combines the last `count` operands by an associative operator that uses both of its operands twice:
    /// a, b, the first list, a again, the second list, b again, the third list. The tree is balanced, since
    /// an operand is copied as often as it is deep.
    pub fn join_chain(&mut self, count: usize, between: &[&[u32]; 3]) -> Result<(), ParseErrorKind> {
        let first = self.starts.len() - count;
        let mut bounds = self.starts[first..].to_vec();
        bounds.push(self.codes.len());
        let lengths: Vec<usize> = bounds.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let extra = between.iter().map(|list| list.len()).sum();
        let nodes = bounds[0].saturating_add(joined_length(&lengths, extra));
        if nodes > self.limit {
            return Err(ParseErrorKind::TooLarge { nodes, limit: self.limit });
        }
        let operands: Vec<&[u32]> = bounds.windows(2).map(|pair| &self.codes[pair[0]..pair[1]]).collect();
        let joined = joined(&operands, between);
        self.codes.truncate(bounds[0]);
        self.codes.extend(joined);
        self.starts.truncate(first + 1);
        Ok(())
    }

    pub fn into_formula(self) -> Formula {
        from_postorder(&self.codes)
    }
}

/// Converts postorder to preorder. In postorder the root is last, its right child is just before it, and its
/// left child is before the right child's subtree. Every node's preorder position therefore follows from its
/// parent's, in one pass from the end.
pub(crate) fn from_postorder(codes: &[u32]) -> Formula {
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

/// The number of codes of operands of these lengths, joined by an operator that adds `extra` codes.
pub(crate) fn joined_length(lengths: &[usize], extra: usize) -> usize {
    match lengths {
        [] => 0,
        [one] => *one,
        _ => {
            let (left, right) = lengths.split_at(lengths.len().div_ceil(2));
            let both = joined_length(left, extra).saturating_add(joined_length(right, extra));
            both.saturating_mul(2).saturating_add(extra)
        }
    }
}

/// Operands joined as a balanced tree: see [`Output::join_chain`].
pub(crate) fn joined(operands: &[&[u32]], between: &[&[u32]; 3]) -> Vec<u32> {
    match operands {
        [one] => one.to_vec(),
        _ => {
            let (left, right) = operands.split_at(operands.len().div_ceil(2));
            let (left, right) = (joined(left, between), joined(right, between));
            [&left, &right, between[0], &left, between[1], &right, between[2]].concat()
        }
    }
}

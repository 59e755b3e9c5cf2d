//! Tree traversal: preorder, postorder, depth, parents, subformulae. Each is a loop over the flat array.

use crate::formula::Formula;
use crate::node::{Node, arity};

impl Formula {
    /// The nodes in storage order: parents before children, left before right.
    ///
    /// ```
    /// use logicvae_logic::{Node, x};
    /// assert_eq!((!x(1) & x(2)).preorder().next(), Some(Node::And));
    /// ```
    pub fn preorder(&self) -> impl DoubleEndedIterator<Item = Node> + ExactSizeIterator + '_ {
        self.codes().iter().map(|&c| Node::decode(c))
    }

    /// The nodes in evaluation order: children before parents, left before right.
    ///
    /// ```
    /// use logicvae_logic::{Node, Var, x};
    /// let v = |i| Node::Var(Var::new(i).unwrap());
    /// let order: Vec<Node> = (!x(1) & x(2)).postorder().collect();
    /// assert_eq!(order, [v(1), Node::Not, v(2), Node::And]);
    /// ```
    pub fn postorder(&self) -> Postorder<'_> {
        Postorder { rest: self.codes(), open: Vec::new() }
    }

    /// The number of edges from the root to the deepest leaf: 0 for a variable.
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut open: Vec<u8> = Vec::new(); // for every ancestor, the number of its children not yet seen
        for &code in self.codes() {
            deepest = deepest.max(open.len());
            match arity(code) {
                0 => close_slot(&mut open, |left| left),
                children => open.push(children as u8),
            }
        }
        deepest
    }

    /// For every node in preorder, the preorder position of its parent; `None` for the root.
    ///
    /// ```
    /// use logicvae_logic::x;
    /// assert_eq!((x(1) & !x(2)).parents(), [None, Some(0), Some(0), Some(2)]);
    /// ```
    pub fn parents(&self) -> Vec<Option<usize>> {
        let mut open: Vec<(usize, u8)> = Vec::new();
        let mut parents = Vec::with_capacity(self.size());
        for (position, &code) in self.codes().iter().enumerate() {
            parents.push(open.last().map(|&(parent, _)| parent));
            match arity(code) {
                0 => close_slot(&mut open, |(_, left)| left),
                children => open.push((position, children as u8)),
            }
        }
        parents
    }

    /// For every node in preorder, the position just past its subtree.
    ///
    /// The subtree at `i` is `i..ends[i]`. The left child of `i` is at `i + 1`, and the right child is at
    /// `ends[i + 1]`.
    pub fn ends(&self) -> Vec<usize> {
        let mut ends = vec![0; self.size()];
        for (position, &code) in self.codes().iter().enumerate().rev() {
            ends[position] = match arity(code) {
                0 => position + 1,
                1 => ends[position + 1],
                _ => ends[ends[position + 1]],
            };
        }
        ends
    }

    /// The subtree rooted at this preorder position; `None` if the position is out of range.
    pub fn subformula(&self, position: usize) -> Option<Formula> {
        let tail = self.codes().get(position..).filter(|t| !t.is_empty())?;
        let mut open = 1;
        let length = tail.iter().position(|&code| {
            open = open - 1 + arity(code);
            open == 0
        });
        length.map(|last| Formula::from_codes(&tail[..=last]))
    }

    /// All subtrees, in preorder of their roots, starting with the formula itself. Each is copied on demand.
    ///
    /// ```
    /// let f: logicvae_logic::Formula = "!x1 | x2".parse().unwrap();
    /// let parts: Vec<String> = f.subformulae().map(|s| s.to_string()).collect();
    /// assert_eq!(parts, ["!x1 | x2", "!x1", "x1", "x2"]);
    /// ```
    pub fn subformulae(&self) -> impl ExactSizeIterator<Item = Formula> + '_ {
        self.ends().into_iter().enumerate().map(|(start, end)| Formula::from_codes(&self.codes()[start..end]))
    }
}

/// Marks one child of the innermost open node as complete. When that completes the node itself, its parent is
/// updated in the same way, and so on.
pub(crate) fn close_slot<T>(open: &mut Vec<T>, left: impl Fn(&mut T) -> &mut u8) {
    while let Some(top) = open.last_mut() {
        let slots = left(top);
        *slots -= 1;
        if *slots > 0 {
            return;
        }
        open.pop();
    }
}

/// Iterator of [`Formula::postorder`].
pub struct Postorder<'a> {
    rest: &'a [u32],
    /// Nodes whose children are not all complete, each with the number of missing children.
    open: Vec<(u32, u8)>,
}

impl Iterator for Postorder<'_> {
    type Item = Node;

    fn next(&mut self) -> Option<Node> {
        loop {
            if let Some(&(code, 0)) = self.open.last() {
                self.open.pop();
                if let Some((_, left)) = self.open.last_mut() {
                    *left -= 1;
                }
                return Some(Node::decode(code));
            }
            let (&code, rest) = self.rest.split_first()?;
            self.rest = rest;
            self.open.push((code, arity(code) as u8));
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.rest.len() + self.open.len();
        (left, Some(left))
    }
}

impl ExactSizeIterator for Postorder<'_> {}

//! The formula type: a syntax tree stored as one flat, shared array in depth-first preorder.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};
use std::sync::Arc;

use thiserror::Error;

use crate::node::{AND, NOT, Node, OR, TRUE, VAR, Var, arity};

/// The largest number of nodes of a formula that is read, 2²⁴.
///
/// Questions about a formula take up to 64 bytes per node, so no formula that is read takes more than about a
/// gigabyte.
pub const MAX_NODES: usize = 1 << 24;

/// A propositional formula.
///
/// The syntax tree is a flat array of nodes in depth-first preorder, four bytes per node, behind a shared
/// pointer. Cloning copies a pointer, equality and hashing compare one slice, and dropping a tree with a
/// million levels is one deallocation. Every algorithm on formulae is a loop; none recurses over the tree.
///
/// ```
/// use logicvae_logic::{Formula, x};
///
/// let f: Formula = "x1 & !x2 | 1".parse()?;
/// assert_eq!(f, (x(1) & !x(2)) | Formula::truth());
/// assert_eq!(f.to_string(), "x1 & !x2 | 1");
/// assert_eq!((f.size(), f.depth()), (6, 3));
/// # Ok::<(), logicvae_logic::ParseError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Formula {
    codes: Arc<[u32]>,
}

/// A list of nodes that is not exactly one complete tree in preorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PreorderError {
    /// The list ends before all operands were found.
    #[error("the list of {nodes} nodes ends before the tree is complete: {missing} more operand(s) needed")]
    Incomplete {
        /// The number of nodes in the list.
        nodes: usize,
        /// The number of missing subtrees.
        missing: usize,
    },
    /// Nodes follow after the tree is complete.
    #[error("the tree is complete after {complete} nodes, but more nodes follow")]
    Trailing {
        /// The number of nodes in the complete tree.
        complete: usize,
    },
    /// The list is longer than a formula may be.
    #[error("the list has {nodes} nodes, but a formula may have at most {MAX_NODES}: split it")]
    TooLong {
        /// The number of nodes in the list.
        nodes: usize,
    },
    /// A code that represents no node.
    #[error("code {code} at position {position} represents no node")]
    Code {
        /// The code.
        code: u32,
        /// Its zero-based position in the list.
        position: usize,
    },
}

/// The variable `x_index` as a formula: `x(1) & !x(2)`.
///
/// # Panics
/// Panics if `index` is 0 or above [`MAX_VARIABLE`](crate::MAX_VARIABLE). Use [`Var::new`] for unchecked
/// input.
pub fn x(index: u32) -> Formula {
    match Var::new(index) {
        Ok(v) => Formula::var(v),
        Err(e) => panic!("{e}"),
    }
}

impl Formula {
    /// The constant 1.
    pub fn truth() -> Self {
        Self::from_codes([TRUE])
    }

    /// The constant 0, represented by the tree `!1`.
    pub fn falsity() -> Self {
        Self::from_codes([NOT, TRUE])
    }

    /// A single variable.
    pub fn var(v: Var) -> Self {
        Self::from_codes([VAR + v.index()])
    }

    /// The conjunction of all formulae, left-associated; 1 if there are none.
    pub fn all(formulae: impl IntoIterator<Item = Formula>) -> Self {
        Self::fold(AND, formulae).unwrap_or_else(Self::truth)
    }

    /// The disjunction of all formulae, left-associated; 0 if there are none.
    pub fn any(formulae: impl IntoIterator<Item = Formula>) -> Self {
        Self::fold(OR, formulae).unwrap_or_else(Self::falsity)
    }

    /// In preorder, a left-associated chain is all its operators followed by all its operands, so a chain of
    /// any length is built in one pass.
    fn fold(op: u32, formulae: impl IntoIterator<Item = Formula>) -> Option<Self> {
        let parts: Vec<Formula> = formulae.into_iter().collect();
        let operators = parts.len().checked_sub(1)?;
        let codes =
            std::iter::repeat_n(op, operators).chain(parts.iter().flat_map(|p| p.codes.iter().copied()));
        Some(Self { codes: codes.collect() })
    }

    /// The tree with these nodes in preorder.
    ///
    /// ```
    /// use logicvae_logic::{Formula, Node, Var, x};
    /// let v = |i| Node::Var(Var::new(i).unwrap());
    /// assert_eq!(Formula::from_preorder([Node::Or, Node::Not, v(1), v(2)])?, !x(1) | x(2));
    /// assert!(Formula::from_preorder([Node::And, v(1)]).is_err());
    /// # Ok::<(), logicvae_logic::PreorderError>(())
    /// ```
    pub fn from_preorder(nodes: impl IntoIterator<Item = Node>) -> Result<Self, PreorderError> {
        Self::checked(nodes.into_iter().map(Node::code).collect())
    }

    /// Checks that the codes are valid and form exactly one tree. Every list of codes from outside the crate
    /// passes through here.
    pub(crate) fn checked(codes: Vec<u32>) -> Result<Self, PreorderError> {
        if codes.len() > MAX_NODES {
            return Err(PreorderError::TooLong { nodes: codes.len() });
        }
        Self::checked_tree(codes)
    }

    /// Checks that the codes are valid and form exactly one tree, of any size.
    fn checked_tree(codes: Vec<u32>) -> Result<Self, PreorderError> {
        let mut open = 1usize;
        for (position, &code) in codes.iter().enumerate() {
            if open == 0 {
                return Err(PreorderError::Trailing { complete: position });
            }
            if Node::from_code(code).is_none() {
                return Err(PreorderError::Code { code, position });
            }
            open = open - 1 + arity(code);
        }
        if open > 0 {
            return Err(PreorderError::Incomplete { nodes: codes.len(), missing: open });
        }
        Ok(Self { codes: codes.into() })
    }

    /// Builds a formula from codes that are a tree by construction.
    pub(crate) fn from_codes(codes: impl Into<Arc<[u32]>>) -> Self {
        let formula = Self { codes: codes.into() };
        debug_assert!(
            Self::checked_tree(formula.codes.to_vec()).is_ok(),
            "the codes are not one complete tree: {:?}",
            formula.codes
        );
        formula
    }

    /// The node codes in preorder (see [`Node::code`]). Tensors and binary files are built from them.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The number of nodes.
    pub fn size(&self) -> usize {
        self.codes.len()
    }

    /// The root node.
    pub(crate) fn root(&self) -> Node {
        Node::decode(self.codes[0])
    }

    /// The largest variable index that occurs; 0 if none does.
    #[inline]
    pub fn max_variable(&self) -> u32 {
        // Codes up to VAR saturate to 0, so one maximum over all codes is enough.
        self.codes.iter().fold(0, |top, &c| top.max(c)).saturating_sub(VAR)
    }

    /// The variables that occur, in ascending order, without duplicates.
    pub fn variables(&self) -> Vec<Var> {
        let mut found: Vec<u32> = self.codes.iter().copied().filter(|&c| c > VAR).collect();
        found.sort_unstable();
        found.dedup();
        found.into_iter().filter_map(|c| Var::new(c - VAR).ok()).collect()
    }

    fn negated(&self) -> Self {
        Self { codes: std::iter::once(NOT).chain(self.codes.iter().copied()).collect() }
    }

    fn joined(&self, op: u32, right: &Self) -> Self {
        let operands = self.codes.iter().chain(right.codes.iter()).copied();
        Self { codes: std::iter::once(op).chain(operands).collect() }
    }
}

impl fmt::Debug for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Formula({self})")
    }
}

impl From<Var> for Formula {
    fn from(v: Var) -> Self {
        Self::var(v)
    }
}

impl Not for Formula {
    type Output = Formula;
    fn not(self) -> Formula {
        self.negated()
    }
}

impl Not for &Formula {
    type Output = Formula;
    fn not(self) -> Formula {
        self.negated()
    }
}

macro_rules! binary {
    ($trait:ident, $method:ident, $op:expr, $($left:ty, $right:ty);+) => {$(
        impl $trait<$right> for $left {
            type Output = Formula;
            fn $method(self, right: $right) -> Formula {
                self.joined($op, &right)
            }
        }
    )+};
}

binary!(BitAnd, bitand, AND, Formula, Formula; Formula, &Formula; &Formula, Formula; &Formula, &Formula);
binary!(BitOr, bitor, OR, Formula, Formula; Formula, &Formula; &Formula, Formula; &Formula, &Formula);

//! The formula type: a syntax tree as one flat, shared array in depth-first preorder.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};
use std::sync::Arc;

use thiserror::Error;

use crate::node::{AND, NOT, Node, OR, TRUE, VAR, Var, arity};

/// A propositional formula.
///
/// The tree is stored flat, in depth-first preorder, four bytes a node, behind a shared pointer: a clone copies a
/// pointer, equality and hashing run over one slice, and dropping a tree of a million levels is one deallocation.
/// Every algorithm on it is a loop, never a recursion.
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

/// A list of nodes that is not one whole tree in preorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PreorderError {
    /// The list ended while operands were still missing.
    #[error("the list of {nodes} nodes ends before the tree is complete: {missing} more operand(s) needed")]
    Incomplete {
        /// How many nodes there were.
        nodes: usize,
        /// How many subtrees are missing.
        missing: usize,
    },
    /// The tree was complete before the list ended.
    #[error("the tree is complete after {complete} nodes, but more follow")]
    Trailing {
        /// The number of nodes that make the tree.
        complete: usize,
    },
    /// A code that stands for no node.
    #[error("code {code} at position {position} stands for no node")]
    Code {
        /// The code.
        code: u32,
        /// Its place in the list.
        position: usize,
    },
}

/// The variable `x_index` as a formula: `x(1) & !x(2)`.
///
/// # Panics
/// If `index` is 0 or above [`MAX_VARIABLE`](crate::MAX_VARIABLE). Use [`Var::new`] for numbers that are not known to be good.
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

    /// The constant 0, which is the tree `!1`.
    pub fn falsity() -> Self {
        Self::from_codes([NOT, TRUE])
    }

    /// A single variable.
    pub fn var(v: Var) -> Self {
        Self::from_codes([VAR + v.index()])
    }

    /// The conjunction of all, associated to the left; 1 if there are none.
    pub fn all(formulae: impl IntoIterator<Item = Formula>) -> Self {
        Self::fold(AND, formulae).unwrap_or_else(Self::truth)
    }

    /// The disjunction of all, associated to the left; 0 if there are none.
    pub fn any(formulae: impl IntoIterator<Item = Formula>) -> Self {
        Self::fold(OR, formulae).unwrap_or_else(Self::falsity)
    }

    /// In preorder a left comb is its operators, then its operands, so a chain of any length is built in one pass.
    fn fold(op: u32, formulae: impl IntoIterator<Item = Formula>) -> Option<Self> {
        let parts: Vec<Formula> = formulae.into_iter().collect();
        let operators = parts.len().checked_sub(1)?;
        let codes =
            std::iter::repeat_n(op, operators).chain(parts.iter().flat_map(|p| p.codes.iter().copied()));
        Some(Self { codes: codes.collect() })
    }

    /// The tree whose preorder is this list of nodes.
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

    /// Checks that codes are known and form one whole tree. The place where every foreign list enters.
    pub(crate) fn checked(codes: Vec<u32>) -> Result<Self, PreorderError> {
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

    /// For codes that are a tree by construction.
    pub(crate) fn from_codes(codes: impl Into<Arc<[u32]>>) -> Self {
        let formula = Self { codes: codes.into() };
        debug_assert!(Self::checked(formula.codes.to_vec()).is_ok(), "not a tree: {:?}", formula.codes);
        formula
    }

    /// The node codes in preorder (see [`Node::code`]): the form that tensors and files are made from.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The number of nodes.
    pub fn size(&self) -> usize {
        self.codes.len()
    }

    /// The node at the root.
    pub fn root(&self) -> Node {
        Node::decode(self.codes[0])
    }

    /// The largest variable index that occurs; 0 if none does.
    #[inline]
    pub fn max_variable(&self) -> u32 {
        // The codes below VAR fall to 0, so one maximum over the codes is enough.
        self.codes.iter().fold(0, |top, &c| top.max(c)).saturating_sub(VAR)
    }

    /// The variables that occur, ascending, each once.
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

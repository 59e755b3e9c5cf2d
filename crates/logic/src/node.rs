//! Nodes of a syntax tree, and the `u32` codes that represent them in a [`Formula`](crate::Formula).

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The largest variable index, 2²⁴.
///
/// The limit keeps arrays indexed by variable within a few megabytes. Without it, a text of a few bytes such
/// as `x4000000000` could make the program allocate gigabytes.
pub const MAX_VARIABLE: u32 = 1 << 24;

/// A propositional variable `x1`, `x2`, …
///
/// ```
/// use logicvae_logic::Var;
/// assert_eq!(Var::new(3)?.to_string(), "x3");
/// assert!(Var::new(0).is_err());
/// # Ok::<(), logicvae_logic::VarError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Var(u32);

/// A variable index outside `1..=`[`MAX_VARIABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("x{0} is not a variable: use x1 to x{MAX_VARIABLE}")]
pub struct VarError(pub u64);

impl Var {
    /// The variable `x1`.
    pub const FIRST: Self = Self(1);

    /// The variable `x_index`; indices start at 1.
    pub fn new(index: u32) -> Result<Self, VarError> {
        if (1..=MAX_VARIABLE).contains(&index) { Ok(Self(index)) } else { Err(VarError(index.into())) }
    }

    /// The number in the variable's name: 3 for `x3`.
    pub fn index(self) -> u32 {
        self.0
    }

    /// The zero-based position of this variable in a list that starts with `x1`: 2 for `x3`.
    pub fn position(self) -> usize {
        self.0 as usize - 1
    }
}

impl TryFrom<u32> for Var {
    type Error = VarError;
    fn try_from(index: u32) -> Result<Self, VarError> {
        Self::new(index)
    }
}

impl From<Var> for u32 {
    fn from(var: Var) -> u32 {
        var.0
    }
}

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

/// One node of a syntax tree, without its children. In preorder, a node's children follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// The constant 1.
    True,
    /// Negation, one child.
    Not,
    /// Conjunction, two children.
    And,
    /// Disjunction, two children.
    Or,
    /// A variable.
    Var(Var),
}

pub(crate) const TRUE: u32 = 0;
pub(crate) const NOT: u32 = 1;
pub(crate) const AND: u32 = 2;
pub(crate) const OR: u32 = 3;
/// The code of variable `x_i` is `VAR + i`.
pub(crate) const VAR: u32 = 3;

/// The number of children of the node with this code.
pub(crate) fn arity(code: u32) -> usize {
    match code {
        NOT => 1,
        AND | OR => 2,
        _ => 0,
    }
}

impl Node {
    /// The number of children: 0, 1 or 2.
    pub fn arity(self) -> usize {
        arity(self.code())
    }

    /// The code of this node: 0 for the constant, 1, 2, 3 for `!`, `&`, `|`, and 3 + i for `x_i`.
    pub fn code(self) -> u32 {
        match self {
            Self::True => TRUE,
            Self::Not => NOT,
            Self::And => AND,
            Self::Or => OR,
            Self::Var(v) => VAR + v.0,
        }
    }

    /// The node with this code, or `None` if the code is invalid.
    pub(crate) fn from_code(code: u32) -> Option<Self> {
        Some(match code {
            TRUE => Self::True,
            NOT => Self::Not,
            AND => Self::And,
            OR => Self::Or,
            _ => Self::Var(Var::new(code - VAR).ok()?),
        })
    }

    /// Decodes a code from a [`Formula`](crate::Formula). Its codes were checked when it was built.
    pub(crate) fn decode(code: u32) -> Self {
        match code {
            TRUE => Self::True,
            NOT => Self::Not,
            AND => Self::And,
            OR => Self::Or,
            _ => Self::Var(Var(code - VAR)),
        }
    }
}

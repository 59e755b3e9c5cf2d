//! The graphs of formulae.

use logicvae_logic::{Formula, Node, Var};
use serde::{Deserialize, Serialize};

use super::dag::Dag;
use crate::error::GraphError;

/// The node types of formula graphs: START, END, ∧, ∨, ¬, the variables and, if enabled, the constant 1.
///
/// START has an edge to the root, a parent has edges to its children, and every leaf has an edge to END.
///
/// ```
/// use logicvae_gnn::Vocabulary;
/// use logicvae_logic::x;
/// let graphs = Vocabulary::new(2).graphs(&[x(1) & !x(2)])?;
/// assert_eq!((graphs.nodes(), graphs.edges()), (6, 6));
/// # Ok::<(), logicvae_gnn::GraphError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vocabulary {
    /// The number of variables: x1, x2, and so on.
    pub variables: u32,
    /// Whether the constant 1 may occur.
    #[serde(default)]
    pub constant: bool,
    /// Whether right children are marked. If so, `A & B` and `B & A` have different graphs.
    #[serde(default)]
    pub positional: bool,
}

impl Vocabulary {
    /// The node before the root.
    pub const START: u32 = 0;
    /// The node after the leaves.
    pub const END: u32 = 1;
    /// A conjunction.
    pub const AND: u32 = 2;
    /// A disjunction.
    pub const OR: u32 = 3;
    /// A negation.
    pub const NOT: u32 = 4;
    /// The variable x1. The other variables follow, then the constant.
    pub const FIRST_VARIABLE: u32 = 5;

    /// Variables only and unordered children, as in the paper.
    pub fn new(variables: u32) -> Self {
        Self { variables, constant: false, positional: false }
    }

    /// The number of types.
    pub fn types(&self) -> usize {
        (Self::FIRST_VARIABLE + self.variables) as usize + usize::from(self.constant)
    }

    /// The number of input features of a node: one per type and, if children are ordered, one for right
    /// children.
    pub fn features(&self) -> usize {
        self.types() + usize::from(self.positional)
    }

    /// The type of a formula's node, or `None` if the vocabulary lacks it.
    pub fn type_of(&self, node: Node) -> Option<u32> {
        match node {
            Node::And => Some(Self::AND),
            Node::Or => Some(Self::OR),
            Node::Not => Some(Self::NOT),
            Node::Var(v) => (v.index() <= self.variables).then(|| Self::FIRST_VARIABLE + v.index() - 1),
            Node::True => self.constant.then_some(Self::FIRST_VARIABLE + self.variables),
        }
    }

    /// The node that a type stands for, or `None` for START, END and invalid types.
    pub fn node_of(&self, kind: u32) -> Option<Node> {
        match kind {
            Self::AND => Some(Node::And),
            Self::OR => Some(Node::Or),
            Self::NOT => Some(Node::Not),
            _ => match kind.checked_sub(Self::FIRST_VARIABLE)? {
                number if number < self.variables => Var::new(number + 1).ok().map(Node::Var),
                number if number == self.variables && self.constant => Some(Node::True),
                _ => None,
            },
        }
    }

    /// The graphs of formulae: START, the nodes in preorder, END.
    pub fn graphs(&self, formulae: &[Formula]) -> Result<Dag, GraphError> {
        self.make(formulae, true)
    }

    /// The same without END, so that every graph is a tree, as a decoder generates it.
    pub fn trees(&self, formulae: &[Formula]) -> Result<Dag, GraphError> {
        self.make(formulae, false)
    }

    fn make(&self, formulae: &[Formula], ends: bool) -> Result<Dag, GraphError> {
        let nodes: usize = formulae.iter().map(|f| f.size() + 2).sum();
        let mut dag = Dag {
            types: Vec::with_capacity(nodes),
            edges: Vec::with_capacity(nodes * 3 / 2),
            ..Dag::default()
        };
        for (formula, tree) in formulae.iter().enumerate() {
            let start = dag.types.len() as u32;
            let end = start + tree.size() as u32 + 1;
            dag.starts.push(start);
            dag.types.push(Self::START);
            for node in tree.preorder() {
                let kind = self.type_of(node).ok_or_else(|| match node {
                    Node::Var(v) => GraphError::UnknownVariable {
                        formula,
                        variable: v.index(),
                        variables: self.variables,
                    },
                    _ => GraphError::NoConstant { formula },
                })?;
                dag.types.push(kind);
            }
            let parents = tree.parents();
            for (position, parent) in parents.iter().enumerate() {
                let node = start + 1 + position as u32;
                dag.edges.push((parent.map_or(start, |p| start + 1 + p as u32), node));
                if ends && dag.types[node as usize] >= Self::FIRST_VARIABLE {
                    dag.edges.push((node, end));
                }
            }
            if self.positional {
                // In preorder a left child comes right after its parent.
                dag.marks.push(0);
                dag.marks.extend(
                    parents
                        .iter()
                        .enumerate()
                        .map(|(position, parent)| u32::from(parent.is_some_and(|p| p + 1 != position))),
                );
            }
            if ends {
                dag.types.push(Self::END);
                dag.marks.extend(self.positional.then_some(0));
            }
        }
        Ok(dag)
    }
}

//! The crate's error type.

use thiserror::Error;

/// An invalid graph, batch or setting, or a failure of the tensor library.
#[derive(Debug, Error)]
pub enum GraphError {
    /// A batch without graphs.
    #[error("the batch is empty: it needs at least one graph")]
    EmptyBatch,
    /// A graph without nodes.
    #[error("graph {graph} has no nodes: every graph needs at least one")]
    EmptyGraph {
        /// Which graph of the batch, from 0.
        graph: usize,
    },
    /// A graph with a cycle.
    #[error("graph {graph} has a cycle through its node {node}: message passing needs an acyclic graph")]
    Cycle {
        /// Which graph of the batch, from 0.
        graph: usize,
        /// A node on the cycle, from 0 within its graph.
        node: usize,
    },
    /// An edge to or from a node that does not exist.
    #[error(
        "edge {edge} goes from node {from} to node {to}, but the graph has {nodes} nodes, numbered from 0"
    )]
    EdgeOutOfRange {
        /// Which edge, from 0.
        edge: usize,
        /// Its first node.
        from: u32,
        /// Its second node.
        to: u32,
        /// The number of nodes.
        nodes: usize,
    },
    /// A node type that the encoder does not have.
    #[error("node {node} of graph {graph} has type {found}, but there are {types} types, numbered from 0")]
    TypeOutOfRange {
        /// Which graph of the batch, from 0.
        graph: usize,
        /// The node, from 0 within its graph.
        node: usize,
        /// Its type.
        found: u32,
        /// The number of types.
        types: usize,
    },
    /// Marks for some of the nodes only.
    #[error("there are {marks} marks for {nodes} nodes: give one per node or none at all")]
    MarkCount {
        /// The number of marks.
        marks: usize,
        /// The number of nodes.
        nodes: usize,
    },
    /// A mark that encoders do not support.
    #[error("node {node} has the mark {found}: an encoder accepts 0 and 1")]
    MarkOutOfRange {
        /// The node, in the whole batch.
        node: usize,
        /// Its mark.
        found: u32,
    },
    /// Graphs with marks for an encoder without them, or the other way round.
    #[error("{}", if *.wanted { "the encoder needs node marks (`positional`), but these graphs have none" }
        else { "these graphs have marks, but the encoder does not use them: set `positional`" })]
    Marks {
        /// Whether the encoder needs them.
        wanted: bool,
    },
    /// A formula has a variable outside the vocabulary.
    #[error("formula {}: x{variable} occurs, but only x1 to x{variables} are supported", .formula + 1)]
    UnknownVariable {
        /// Which formula of the batch, from 0. The message counts from 1.
        formula: usize,
        /// Its variable.
        variable: u32,
        /// The last variable of the vocabulary.
        variables: u32,
    },
    /// A formula has the constant 1, which the vocabulary lacks.
    #[error("formula {}: it contains a constant, which is not supported: simplify it", .formula + 1)]
    NoConstant {
        /// Which formula of the batch, from 0. The message counts from 1.
        formula: usize,
    },
    /// An invalid setting.
    #[error("{setting}: {reason}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// What is wrong and how to fix it.
        reason: String,
    },
    /// The tensor library failed.
    #[error(transparent)]
    Tensor(candle_core::Error),
}

impl From<candle_core::Error> for GraphError {
    fn from(error: candle_core::Error) -> Self {
        Self::Tensor(logicvae_compute::plain(error))
    }
}

//! What can be wrong with graphs and settings.

use thiserror::Error;

/// A graph, a batch or a setting that the crate cannot work with.
#[derive(Debug, Error)]
pub enum GraphError {
    /// There is nothing to compute.
    #[error("the batch is empty: it needs at least one graph")]
    EmptyBatch,
    /// A graph has no node.
    #[error("graph {graph} has no nodes: every graph needs at least one")]
    EmptyGraph {
        /// Which graph of the batch, from 0.
        graph: usize,
    },
    /// The edges run in a circle.
    #[error(
        "graph {graph} has a cycle through its node {node}: message passing needs an order, so edges must not run in a circle"
    )]
    Cycle {
        /// Which graph of the batch, from 0.
        graph: usize,
        /// A node on the cycle, from 0 within its graph.
        node: usize,
    },
    /// An edge names a node that is not there.
    #[error(
        "edge {edge} runs from node {from} to node {to}, but the graph has {nodes} nodes, numbered from 0"
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
    /// A node's type is not one of the encoder's.
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
    /// Marks are given for some nodes only.
    #[error("{marks} marks for {nodes} nodes: every node needs one, or none has")]
    MarkCount {
        /// The number of marks.
        marks: usize,
        /// The number of nodes.
        nodes: usize,
    },
    /// A mark that encoders do not know.
    #[error("node {node} has the mark {found}: an encoder reads 0 and 1")]
    MarkOutOfRange {
        /// The node, in the whole batch.
        node: usize,
        /// Its mark.
        found: u32,
    },
    /// The encoder and the graphs disagree about marks.
    #[error("{}", if *.wanted { "the encoder reads a mark of every node (`positional`), but these graphs have none" }
        else { "these graphs have marks, but the encoder does not read them: set `positional`" })]
    Marks {
        /// Whether the encoder wants them.
        wanted: bool,
    },
    /// A formula has a variable outside the vocabulary.
    #[error("formula {formula} has the variable x{variable}, but the vocabulary ends with x{variables}")]
    UnknownVariable {
        /// Which formula of the batch, from 0.
        formula: usize,
        /// Its variable.
        variable: u32,
        /// The last variable of the vocabulary.
        variables: u32,
    },
    /// A formula has the constant 1, which the vocabulary lacks.
    #[error(
        "formula {formula} has the constant 1, which this vocabulary lacks: simplify the formula or use a vocabulary with it"
    )]
    NoConstant {
        /// Which formula of the batch, from 0.
        formula: usize,
    },
    /// A setting that makes no sense.
    #[error("{setting}: {reason}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// The tensor library failed.
    #[error(transparent)]
    Tensor(#[from] candle_core::Error),
}

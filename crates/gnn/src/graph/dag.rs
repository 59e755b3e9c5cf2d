//! Graphs as users give them: typed nodes and edges.

use crate::error::GraphError;

/// A batch of directed acyclic graphs with typed nodes. The nodes of all graphs are numbered consecutively.
///
/// A node has a type, which is a small number chosen by the user, and optionally a *mark*: one more small
/// number, where 0 means none. Trees use mark 1 for right children. An encoder accepts the marks 0 and 1.
///
/// ```
/// use logicvae_gnn::Dag;
/// // Two graphs: a triangle of types 0, 1, 2, and a chain.
/// let triangle = Dag::new(vec![0, 1, 2], vec![(0, 1), (1, 2), (0, 2)])?;
/// let chain = Dag::new(vec![0, 0], vec![(0, 1)])?;
/// let batch = Dag::batch([&triangle, &chain])?;
/// assert_eq!((batch.graphs(), batch.nodes()), (2, 5));
/// # Ok::<(), logicvae_gnn::GraphError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dag {
    pub(crate) types: Vec<u32>,
    /// One per node, or empty.
    pub(crate) marks: Vec<u32>,
    /// Pairs (from, to) of node numbers within the batch.
    pub(crate) edges: Vec<(u32, u32)>,
    /// The first node of each graph.
    pub(crate) starts: Vec<u32>,
}

impl Dag {
    /// One graph, from the type of every node and its edges as pairs of node numbers. Cycles are detected
    /// later, when a [`Schedule`](crate::Schedule) is built.
    pub fn new(types: Vec<u32>, edges: Vec<(u32, u32)>) -> Result<Self, GraphError> {
        let nodes = types.len();
        if nodes == 0 {
            return Err(GraphError::EmptyGraph { graph: 0 });
        }
        if let Some(edge) = edges.iter().position(|&(from, to)| from.max(to) as usize >= nodes) {
            let (from, to) = edges[edge];
            return Err(GraphError::EdgeOutOfRange { edge, from, to, nodes });
        }
        Ok(Self { types, marks: Vec::new(), edges, starts: vec![0] })
    }

    /// The type of every node.
    pub fn types(&self) -> &[u32] {
        &self.types
    }

    /// The mark of every node; empty if nodes have none.
    pub fn marks(&self) -> &[u32] {
        &self.marks
    }

    /// The first node of every graph.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Adds a mark to every node.
    pub fn with_marks(mut self, marks: Vec<u32>) -> Result<Self, GraphError> {
        if marks.len() != self.nodes() {
            return Err(GraphError::MarkCount { marks: marks.len(), nodes: self.nodes() });
        }
        self.marks = marks;
        Ok(self)
    }

    /// Several graphs as one batch.
    pub fn batch<'a>(graphs: impl IntoIterator<Item = &'a Dag>) -> Result<Self, GraphError> {
        let mut batch = Self::default();
        for graph in graphs {
            let offset = batch.types.len() as u32;
            batch.starts.extend(graph.starts.iter().map(|s| s + offset));
            batch.types.extend_from_slice(&graph.types);
            batch.marks.extend_from_slice(&graph.marks);
            batch.edges.extend(graph.edges.iter().map(|&(from, to)| (from + offset, to + offset)));
        }
        if !batch.marks.is_empty() && batch.marks.len() != batch.types.len() {
            return Err(GraphError::MarkCount { marks: batch.marks.len(), nodes: batch.types.len() });
        }
        Ok(batch)
    }

    /// The number of graphs.
    pub fn graphs(&self) -> usize {
        self.starts.len()
    }

    /// The number of nodes in all graphs.
    pub fn nodes(&self) -> usize {
        self.types.len()
    }

    /// The number of edges in all graphs.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// Whether nodes have marks.
    pub(crate) fn has_marks(&self) -> bool {
        !self.marks.is_empty()
    }

    /// The graph of a node, and the node's number within that graph.
    pub(crate) fn locate(&self, node: usize) -> (usize, usize) {
        let graph = self.starts.partition_point(|&s| s as usize <= node) - 1;
        (graph, node - self.starts[graph] as usize)
    }

    /// Checks that the batch is not empty and that types and marks suit an encoder.
    pub(crate) fn check(&self, types: usize, positional: bool) -> Result<(), GraphError> {
        if self.graphs() == 0 {
            return Err(GraphError::EmptyBatch);
        }
        if positional != self.has_marks() {
            return Err(GraphError::Marks { wanted: positional });
        }
        if let Some(at) = self.marks.iter().position(|&mark| mark > 1) {
            return Err(GraphError::MarkOutOfRange { node: at, found: self.marks[at] });
        }
        match self.types.iter().position(|&t| t as usize >= types) {
            None => Ok(()),
            Some(at) => {
                let (graph, node) = self.locate(at);
                Err(GraphError::TypeOutOfRange { graph, node, found: self.types[at], types })
            }
        }
    }
}

//! The order in which a layer computes the nodes of a batch.
//!
//! A node can be updated once all its predecessors are. Nodes whose longest path from a source has the same
//! length form a *level* and are updated together. A *row* is one computed state. It stands for one node or,
//! with merging, for all nodes of the batch that have the same features and the same rows as predecessors:
//! going up, nodes with equal subtrees, and going down, nodes with equal paths of ancestors. Their states are
//! equal, so one computation serves all of them.
//!
//! Every layer of this crate treats predecessors as a set, since sums and softmax ignore their order. Merging
//! therefore ignores it too.

use std::ops::Range;

use logicvae_compute::OneHot;

/// The direction of message passing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Along the edges; for formulae from START to END.
    Down,
    /// Against the edges; for formulae from END to START.
    Up,
}

/// Options of [`Schedule::new`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduleOptions {
    /// Compute equal nodes only once. The result is the same up to rounding; turn it off only for
    /// comparisons.
    pub merge: bool,
    /// Do not merge nodes of different degree: for layers that use degrees.
    pub by_degree: bool,
    /// Messages are linear in the sender's state, so a receiver may add up states first and multiply once.
    pub linear: bool,
}

impl Default for ScheduleOptions {
    fn default() -> Self {
        Self { merge: true, by_degree: true, linear: false }
    }
}

/// Rows that are computed together, and their matrix products. `aggregated` and `sending` are sub-ranges of
/// `rows`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The rows of the level.
    pub rows: Range<usize>,
    /// Rows that add up their predecessors' states and multiply the sum.
    pub aggregated: Range<usize>,
    /// Rows whose state is multiplied once, for all its receivers.
    pub sending: Range<usize>,
    /// The index of the level's first product. The products of `aggregated` come first, then those of
    /// `sending`.
    pub(crate) product: usize,
    /// Its families: rows with the same predecessors, such as siblings. What they receive is computed once.
    pub(crate) families: Range<usize>,
}

/// A batch of graphs in the order in which a layer computes it, for one direction.
///
/// ```
/// use logicvae_gnn::{Direction, Schedule, ScheduleOptions, Vocabulary};
/// let formulae = ["x1 & !x2", "!x2 | x1"].map(|f| f.parse().unwrap());
/// let graphs = Vocabulary::new(2).graphs(&formulae)?;
/// let up = Schedule::new(&graphs, Direction::Up, &ScheduleOptions::default())?;
/// // END, x1, x2 and !x2 are shared; the roots and STARTs are not.
/// assert_eq!((graphs.nodes(), up.rows()), (12, 8));
/// # Ok::<(), logicvae_gnn::GraphError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    pub(crate) levels: Vec<Level>,
    /// The start of each row's predecessors in `sources`, and the end of the last.
    pub(crate) offsets: Vec<u32>,
    /// The rows of predecessors, which all belong to earlier levels.
    pub(crate) sources: Vec<u32>,
    /// The number of edges that each entry stands for.
    pub(crate) times: Vec<f32>,
    /// The index of each row's product as an aggregating receiver, or `u32::MAX`.
    pub(crate) aggregate: Vec<u32>,
    /// The index of each row's product as a sender, or `u32::MAX`.
    pub(crate) send: Vec<u32>,
    pub(crate) products: usize,
    /// The family of each row.
    pub(crate) family: Vec<u32>,
    /// One row of each family.
    pub(crate) member: Vec<u32>,
    pub(crate) types: Vec<u32>,
    pub(crate) marks: Vec<u32>,
    /// In- plus out-degree of the row's nodes (of the first node, if nodes of different degree were merged).
    pub(crate) degrees: Vec<f32>,
    /// The number of nodes that each row stands for.
    pub(crate) counts: Vec<u32>,
    /// The row of each node of the batch.
    pub(crate) row_of: Vec<u32>,
}

impl Schedule {
    /// The number of rows, that is, of computed states.
    pub fn rows(&self) -> usize {
        self.types.len()
    }

    /// The features of all rows.
    pub fn features(&self) -> OneHot<'_> {
        OneHot { types: &self.types, marks: &self.marks }
    }

    /// The levels, first to last.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// The number of nodes that each row stands for.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// The row of each node of the batch.
    pub fn row_of(&self) -> &[u32] {
        &self.row_of
    }

    /// The predecessors of a row, each with its number of edges.
    pub fn predecessors(&self, row: usize) -> impl ExactSizeIterator<Item = (usize, f32)> + '_ {
        self.entries(row).map(|e| (self.sources[e] as usize, self.times[e]))
    }

    /// The range of a row's predecessors in `sources` and `times`.
    #[inline]
    pub(crate) fn entries(&self, row: usize) -> Range<usize> {
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }

    /// The product of the sender of this entry.
    #[inline(always)]
    pub(crate) fn product(&self, entry: usize) -> usize {
        self.send[self.sources[entry] as usize] as usize
    }
}

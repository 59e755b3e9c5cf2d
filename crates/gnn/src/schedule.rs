//! The order of computation: levels of rows, each row's predecessors, and what may be computed once.
//!
//! A node can be updated when all its predecessors are; nodes whose longest way from a source has the same length form a
//! *level* and are updated together. A *row* is what is computed: a node, or, with merging, all nodes of the batch that
//! have the same features and the same predecessors' rows. Upward these are the nodes with equal subtrees, downward
//! those with equal paths of ancestors; since their states are equal too, one computation serves them all.
//!
//! Predecessors form a set to every layer of this crate (sums and softmax do not see an order), so merging does not see
//! their order either.

use std::hash::Hasher;
use std::ops::Range;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::dag::Dag;
use crate::error::GraphError;
use crate::fused::Features;
use crate::plan;

/// Along the edges, or against them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Along the edges; for formulae from START to END.
    Down,
    /// Against the edges; for formulae from END to START.
    Up,
}

/// How to make a [`Schedule`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduleOptions {
    /// Compute equal nodes once. Exact but for rounding; off only to compare.
    pub merge: bool,
    /// Nodes of different degree are different: for layers that use degrees.
    pub by_degree: bool,
    /// Messages are linear in the sender's state, so a receiver may add up states and multiply once.
    pub linear: bool,
}

impl Default for ScheduleOptions {
    fn default() -> Self {
        Self { merge: true, by_degree: true, linear: false }
    }
}

/// Rows that are computed together, and the products around them. Ranges of `aggregated` and `sending` are parts of `rows`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The rows of the level.
    pub rows: Range<usize>,
    /// Rows that add up their predecessors' states and multiply the sum, once.
    pub aggregated: Range<usize>,
    /// Rows whose state is multiplied, once, for all who receive it.
    pub sending: Range<usize>,
    /// The number of the level's first product: first those of `aggregated`, then those of `sending`.
    pub product: usize,
    /// Its families: rows with the same predecessors, as siblings are. What they receive is computed once.
    pub families: Range<usize>,
}

/// A batch of graphs in the order in which a layer computes it, in one direction.
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
#[derive(Clone, Debug)]
pub struct Schedule {
    pub(crate) levels: Vec<Level>,
    /// Where each row's predecessors begin; one entry more than rows.
    pub(crate) offsets: Vec<u32>,
    /// Predecessors' rows, all of earlier levels.
    pub(crate) sources: Vec<u32>,
    /// How many edges each entry stands for.
    pub(crate) times: Vec<f32>,
    /// The number of each row's product as an aggregating receiver, or `u32::MAX`.
    pub(crate) aggregate: Vec<u32>,
    /// The number of each row's product as a sender, or `u32::MAX`.
    pub(crate) send: Vec<u32>,
    pub(crate) products: usize,
    /// The family of each row.
    pub(crate) family: Vec<u32>,
    /// A row of each family.
    pub(crate) member: Vec<u32>,
    pub(crate) types: Vec<u32>,
    pub(crate) marks: Vec<u32>,
    /// In- plus out-degree of the row's nodes (of the first one, where degrees do not matter).
    pub(crate) degrees: Vec<f32>,
    /// How many nodes a row stands for.
    pub(crate) counts: Vec<u32>,
    /// The row of each node of the batch.
    pub(crate) row_of: Vec<u32>,
}

/// Neighbours of nodes as one list with offsets.
struct Neighbours {
    offsets: Vec<u32>,
    list: Vec<u32>,
}

impl Neighbours {
    /// Of every node: those at the other end of its incoming edges.
    fn incoming(nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut offsets = vec![0u32; nodes + 1];
        for (_, to) in edges.clone() {
            offsets[to as usize + 1] += 1;
        }
        for node in 0..nodes {
            offsets[node + 1] += offsets[node];
        }
        let mut next = offsets.clone();
        let mut list = vec![0; offsets[nodes] as usize];
        for (from, to) in edges {
            list[next[to as usize] as usize] = from;
            next[to as usize] += 1;
        }
        Self { offsets, list }
    }

    fn of(&self, node: usize) -> &[u32] {
        &self.list[self.offsets[node] as usize..self.offsets[node + 1] as usize]
    }
}

/// The nodes by level, and where each level begins.
fn order(dag: &Dag, before: &Neighbours, after: &Neighbours) -> Result<(Vec<u32>, Vec<usize>), GraphError> {
    let nodes = dag.nodes();
    let mut missing: Vec<u32> = (0..nodes).map(|v| before.of(v).len() as u32).collect();
    let mut order: Vec<u32> = (0..nodes as u32).filter(|&v| missing[v as usize] == 0).collect();
    let mut starts = vec![0];
    let mut done = 0;
    while done < order.len() {
        let level = done..order.len();
        done = level.end;
        for at in level {
            for &next in after.of(order[at] as usize) {
                missing[next as usize] -= 1;
                if missing[next as usize] == 0 {
                    order.push(next);
                }
            }
        }
        // Nodes in the order of the batch, whatever freed them.
        order[done..].sort_unstable();
        starts.push(done);
    }
    if order.len() < nodes {
        return Err(cycle(dag, before, &missing));
    }
    Ok((order, starts))
}

/// Walks back from a node that was never freed, inside the nodes that were not, until one comes again.
fn cycle(dag: &Dag, before: &Neighbours, missing: &[u32]) -> GraphError {
    let stuck = |v: &u32| missing[*v as usize] > 0;
    let mut seen = vec![false; missing.len()];
    let mut at = (0..missing.len() as u32).find(stuck).unwrap_or(0);
    while !std::mem::replace(&mut seen[at as usize], true) {
        at = before.of(at as usize).iter().copied().find(stuck).unwrap_or(at);
    }
    let (graph, node) = dag.place(at as usize);
    GraphError::Cycle { graph, node }
}

impl Schedule {
    /// Orders a batch. Fails for a graph with a cycle.
    pub fn new(dag: &Dag, direction: Direction, options: &ScheduleOptions) -> Result<Self, GraphError> {
        let nodes = dag.nodes();
        let turned = direction == Direction::Up;
        let edges = dag.edges.iter().map(move |&(from, to)| if turned { (to, from) } else { (from, to) });
        let before = Neighbours::incoming(nodes, edges.clone());
        let after = Neighbours::incoming(nodes, edges.map(|(from, to)| (to, from)));
        let (order, starts) = order(dag, &before, &after)?;

        let mut schedule = Self {
            levels: Vec::with_capacity(starts.len()),
            offsets: vec![0],
            sources: Vec::new(),
            times: Vec::new(),
            aggregate: Vec::new(),
            send: Vec::new(),
            products: 0,
            family: Vec::new(),
            member: Vec::new(),
            types: Vec::new(),
            marks: Vec::new(),
            degrees: Vec::new(),
            counts: Vec::new(),
            row_of: vec![0; nodes],
        };
        let mut table: HashTable<(u64, u32)> = HashTable::new();
        let mut inputs: Vec<u32> = Vec::new();
        let mut level_ends = Vec::with_capacity(starts.len());
        for level in starts.windows(2) {
            // Equal nodes are on the same level, so a table lives for one.
            table.clear();
            for &node in &order[level[0]..level[1]] {
                let node = node as usize;
                inputs.clear();
                inputs.extend(before.of(node).iter().map(|&p| schedule.row_of[p as usize]));
                inputs.sort_unstable();
                let degree = (inputs.len() + after.of(node).len()) as f32;
                let mark = dag.marks.get(node).copied();
                let key = Key {
                    kind: dag.types[node],
                    mark,
                    degree: if options.by_degree { degree } else { 0.0 },
                    inputs: &inputs,
                };
                let hash = key.hash();
                let found = options
                    .merge
                    .then(|| table.find(hash, |&(_, row)| schedule.is(row as usize, &key, options)))
                    .flatten();
                let row = match found {
                    Some(&(_, row)) => {
                        schedule.counts[row as usize] += 1;
                        row
                    }
                    None => {
                        let row = schedule.push(&key, degree);
                        if options.merge {
                            table.insert_unique(hash, (hash, row), |&(hash, _)| hash);
                        }
                        row
                    }
                };
                schedule.row_of[node] = row;
            }
            level_ends.push(schedule.rows());
        }
        plan::arrange(&mut schedule, &level_ends, options.linear);
        Ok(schedule)
    }

    fn push(&mut self, key: &Key<'_>, degree: f32) -> u32 {
        let row = self.rows() as u32;
        self.types.push(key.kind);
        self.marks.extend(key.mark);
        self.degrees.push(degree);
        self.counts.push(1);
        for group in key.inputs.chunk_by(|a, b| a == b) {
            self.sources.push(group[0]);
            self.times.push(group.len() as f32);
        }
        self.offsets.push(self.sources.len() as u32);
        row
    }

    /// Whether a row has these features and predecessors.
    fn is(&self, row: usize, key: &Key<'_>, options: &ScheduleOptions) -> bool {
        self.types[row] == key.kind
            && self.marks.get(row).copied() == key.mark
            && (!options.by_degree || self.degrees[row] == key.degree)
            && {
                let entries = self.entries(row);
                let groups = key.inputs.chunk_by(|a, b| a == b);
                groups.map(|g| (g[0], g.len() as f32)).eq(entries.map(|e| (self.sources[e], self.times[e])))
            }
    }

    /// The number of rows: of states that are computed.
    pub fn rows(&self) -> usize {
        self.types.len()
    }

    /// What the rows are.
    pub fn features(&self) -> Features<'_> {
        Features { types: &self.types, marks: &self.marks }
    }

    /// The levels, first to last.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// How many nodes each row stands for.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// The row of each node of the batch.
    pub fn row_of(&self) -> &[u32] {
        &self.row_of
    }

    /// The predecessors of a row, each with the number of edges from it.
    pub fn predecessors(&self, row: usize) -> impl ExactSizeIterator<Item = (usize, f32)> + '_ {
        self.entries(row).map(|e| (self.sources[e] as usize, self.times[e]))
    }

    /// Where a row's predecessors stand in `sources` and `times`.
    #[inline]
    pub(crate) fn entries(&self, row: usize) -> Range<usize> {
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }

    /// The product of the sender at this entry.
    #[inline(always)]
    pub(crate) fn product(&self, entry: usize) -> usize {
        self.send[self.sources[entry] as usize] as usize
    }
}

/// What makes two nodes equal.
struct Key<'a> {
    kind: u32,
    mark: Option<u32>,
    degree: f32,
    inputs: &'a [u32],
}

impl Key<'_> {
    fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write_u32(self.kind);
        hasher.write_u32(self.mark.unwrap_or(0));
        hasher.write_u32(self.degree.to_bits());
        for &input in self.inputs {
            hasher.write_u32(input);
        }
        hasher.finish()
    }
}

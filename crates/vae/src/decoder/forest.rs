//! A batch of trees in the order in which the teacher-forced decoder computes it.

use logicvae_compute::{Buffer, OneHot, Real};
use logicvae_gnn::{Dag, Direction, GraphError, Schedule, ScheduleOptions, Vocabulary};
use logicvae_logic::Formula;

use super::goals::{Goal, Tracker};
use crate::config::GraphState;

/// The trees of a batch, divided into shards that are computed in parallel. The division depends on the batch
/// only, and gradients of shards are added in a fixed order, so results do not depend on the number of
/// threads.
#[derive(Debug)]
pub(crate) struct Forest {
    pub shards: Vec<Shard>,
    pub graphs: usize,
}

/// Trees that are decoded together. A *row* is one node, including START; rows are numbered in the order of
/// their computation.
#[derive(Debug)]
pub(crate) struct Shard {
    /// The index of each tree in the batch.
    pub graphs: Vec<usize>,
    pub order: Order,
    /// The rows of parents: START and all operators.
    pub parents: Vec<u32>,
    /// The row of each tree's START.
    pub start_rows: Vec<u32>,
    /// The tree of each parent, as an index into `graphs`.
    pub tree_of_parent: Vec<u32>,
    /// The nodes to be predicted, tree by tree.
    pub targets: Vec<Target>,
    /// The start of each tree's targets, and the end of the last.
    pub starts: Vec<usize>,
}

/// The order in which the states of rows are computed: see [`state`](super::state).
#[derive(Debug)]
pub(crate) enum Order {
    /// By depth, for [`TreeWeights`](super::state::TreeWeights).
    Tree(Schedule),
    /// By position in depth-first order, for [`PrefixWeights`](super::state::PrefixWeights).
    Prefix(Prefix),
}

/// The positions of a shard's trees. Trees are sorted from largest to smallest, so that at each position the
/// trees that continue come first.
#[derive(Debug)]
pub(crate) struct Prefix {
    pub types: Vec<u32>,
    pub marks: Vec<u32>,
    /// The start of each position's rows, and the end of the last.
    pub steps: Vec<usize>,
    /// The start of each position's parents in [`Shard::parents`], and the end of the last.
    pub parents: Vec<usize>,
    /// The parent of each row as an index into [`Shard::parents`]; `u32::MAX` for START.
    pub parent: Vec<u32>,
}

/// A node to be predicted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// The row of the previous node in depth-first order.
    pub before: u32,
    /// Its parent as an index into [`Shard::parents`].
    pub parent: u32,
    /// Its class.
    pub class: u32,
}

/// The maximum number of trees in a shard. Products of this size are efficient, and a batch of the paper's
/// size keeps two threads busy.
const SHARD: usize = 64;
/// Batches smaller than this form one shard.
const WORTH_SPLITTING: usize = 16;

impl Forest {
    /// `stops`: whether the end of a tree is predicted too. `indices`: if given, a node's mark is the index
    /// of its parent instead of its side, limited to this number.
    pub fn new(
        vocabulary: &Vocabulary,
        formulae: &[Formula],
        state: GraphState,
        stops: bool,
        indices: Option<usize>,
    ) -> Result<Self, GraphError> {
        let trees = vocabulary.trees(formulae)?;
        let graphs = formulae.len();
        if graphs == 0 {
            return Err(GraphError::EmptyBatch);
        }
        let shards = if graphs < WORTH_SPLITTING { 1 } else { graphs.div_ceil(SHARD).max(2) };
        let stop = stops.then(|| vocabulary.types() as u32 - Vocabulary::AND);
        let shards: Result<Vec<Shard>, GraphError> = (0..shards)
            .map(|number| {
                let range = number * graphs / shards..(number + 1) * graphs / shards;
                Shard::new(&trees, formulae, range.collect(), state, stop, indices)
            })
            .collect();
        Ok(Self { shards: shards?, graphs })
    }
}

impl Shard {
    fn new(
        trees: &Dag,
        formulae: &[Formula],
        mut graphs: Vec<usize>,
        state: GraphState,
        stop: Option<u32>,
        indices: Option<usize>,
    ) -> Result<Self, GraphError> {
        if state == GraphState::Recurrent {
            graphs.sort_by_key(|&g| std::cmp::Reverse(formulae[g].size()));
        }
        let (mut types, mut marks, mut edges, mut parent_of) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        for &graph in &graphs {
            let (start, from) = (types.len() as u32, trees.starts()[graph] as usize);
            let nodes = from..from + formulae[graph].size() + 1;
            types.extend_from_slice(&trees.types()[nodes.clone()]);
            match indices {
                None => marks.extend_from_slice(trees.marks().get(nodes).unwrap_or(&[])),
                Some(count) => {
                    let index = |parent: Option<usize>| index_mark(parent.map_or(0, |p| p + 1), count);
                    marks.push(0);
                    marks.extend(formulae[graph].parents().into_iter().map(index));
                }
            }
            parent_of.push(u32::MAX);
            for parent in formulae[graph].parents() {
                let parent = parent.map_or(start, |p| start + 1 + p as u32);
                edges.push((parent, parent_of.len() as u32));
                parent_of.push(parent);
            }
            starts.push(start as usize);
            ends.push(types.len());
        }
        let dag = Dag::new(types, edges)?;
        let dag = if marks.is_empty() { dag } else { dag.with_marks(marks)? };
        let (row_of, mut order) = if state == GraphState::Recurrent {
            prefix_order(&dag, &starts, &ends)
        } else {
            let options = ScheduleOptions { merge: false, by_degree: false, linear: false };
            let schedule = Schedule::new(&dag, Direction::Down, &options)?;
            (schedule.row_of().to_vec(), Order::Tree(schedule))
        };

        let is_parent = |node: usize| dag.types()[node] < Vocabulary::FIRST_VARIABLE;
        let mut parents: Vec<u32> = (0..dag.nodes()).filter(|&v| is_parent(v)).map(|v| row_of[v]).collect();
        parents.sort_unstable();
        let start_rows: Vec<u32> = starts.iter().map(|&start| row_of[start]).collect();
        let mut tree_of_row = vec![0u32; dag.nodes()];
        for (tree, (&start, &end)) in starts.iter().zip(&ends).enumerate() {
            row_of[start..end].iter().for_each(|&row| tree_of_row[row as usize] = tree as u32);
        }
        let tree_of_parent = parents.iter().map(|&row| tree_of_row[row as usize]).collect();
        let mut number = vec![u32::MAX; dag.nodes()];
        for (at, &row) in parents.iter().enumerate() {
            number[row as usize] = at as u32;
        }
        let parent_number = |node: usize| match parent_of[node] {
            u32::MAX => u32::MAX,
            parent => number[row_of[parent as usize] as usize],
        };
        if let Order::Prefix(prefix) = &mut order {
            for (node, &row) in row_of.iter().enumerate() {
                prefix.parent[row as usize] = parent_number(node);
            }
            prefix.parents =
                prefix.steps.iter().map(|&row| parents.partition_point(|&p| (p as usize) < row)).collect();
        }
        let mut targets = Vec::with_capacity(dag.nodes());
        let mut target_starts = vec![0];
        for (&start, &end) in starts.iter().zip(&ends) {
            targets.extend((start + 1..end).map(|node| Target {
                before: row_of[node - 1],
                parent: parent_number(node),
                class: dag.types()[node] - Vocabulary::AND,
            }));
            if let Some(class) = stop {
                targets.push(Target {
                    before: row_of[end - 1],
                    parent: number[row_of[start] as usize],
                    class,
                });
            }
            target_starts.push(targets.len());
        }
        Ok(Self { graphs, order, parents, start_rows, tree_of_parent, targets, starts: target_starts })
    }
}

impl Shard {
    /// The goals of all targets as `width` numbers each, given the goals of the whole trees.
    pub fn goal_features<T: Real>(&self, roots: &[Goal], width: usize) -> Buffer<T> {
        let mut features = Buffer::zeros(self.targets.len() * width);
        let variables = (width / 2).trailing_zeros(); // Two numbers per assignment.
        for (range, &graph) in self.starts.windows(2).zip(&self.graphs) {
            let mut tracker = Tracker::new(roots[graph], variables);
            for number in range[0]..range[1] {
                tracker.goal().write(&mut features[number * width..(number + 1) * width]);
                tracker.add(self.targets[number].class + Vocabulary::AND);
            }
        }
        features
    }
}

/// The mark of a node whose parent has this index, where START has index 0. Indices beyond `count` share the
/// last mark.
pub(crate) fn index_mark(index: usize, count: usize) -> u32 {
    1 + index.min(count - 1) as u32
}

/// Rows ordered by position. Trees must be sorted from largest to smallest.
fn prefix_order(dag: &Dag, starts: &[usize], ends: &[usize]) -> (Vec<u32>, Order) {
    let mut row_of = vec![0u32; dag.nodes()];
    let (mut types, mut marks) = (Vec::with_capacity(dag.nodes()), Vec::new());
    let mut steps = vec![0];
    let longest = ends.first().map_or(0, |&end| end - starts[0]);
    for position in 0..longest {
        for (&start, &end) in starts.iter().zip(ends) {
            let node = start + position;
            if node >= end {
                break;
            }
            row_of[node] = types.len() as u32;
            types.push(dag.types()[node]);
            marks.extend(dag.marks().get(node));
        }
        steps.push(types.len());
    }
    let parent = vec![u32::MAX; dag.nodes()];
    (row_of, Order::Prefix(Prefix { types, marks, steps, parents: Vec::new(), parent }))
}

impl Prefix {
    pub fn features(&self) -> OneHot<'_> {
        OneHot { types: &self.types, marks: &self.marks }
    }
}

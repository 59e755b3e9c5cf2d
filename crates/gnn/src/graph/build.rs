//! Building a [`Schedule`]: levels, merged rows, and the plan of products.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::dag::Dag;
use super::levels::{Neighbours, levels};
use super::plan;
use super::schedule::{Direction, Schedule, ScheduleOptions};
use crate::error::GraphError;

impl Schedule {
    /// Orders a batch of graphs. Fails if a graph has a cycle.
    pub fn new(dag: &Dag, direction: Direction, options: &ScheduleOptions) -> Result<Self, GraphError> {
        let nodes = dag.nodes();
        let turned = direction == Direction::Up;
        let edges = dag.edges.iter().map(move |&(from, to)| if turned { (to, from) } else { (from, to) });
        let incoming = Neighbours::incoming(nodes, edges.clone());
        let outgoing = Neighbours::incoming(nodes, edges.map(|(from, to)| (to, from)));
        let (order, starts) = levels(dag, &incoming, &outgoing)?;

        let mut schedule = Self { offsets: vec![0], row_of: vec![0; nodes], ..Self::default() };
        let mut table: HashTable<(u64, u32)> = HashTable::new();
        let mut inputs: Vec<u32> = Vec::new();
        let mut level_ends = Vec::with_capacity(starts.len());
        for level in starts.windows(2) {
            // Equal nodes are on the same level, so the table is only needed for one.
            table.clear();
            for &node in &order[level[0]..level[1]] {
                let node = node as usize;
                inputs.clear();
                inputs.extend(incoming.of_node(node).iter().map(|&p| schedule.row_of[p as usize]));
                inputs.sort_unstable();
                let degree = (inputs.len() + outgoing.of_node(node).len()) as f32;
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
                    .then(|| table.find(hash, |&(_, row)| schedule.matches(row as usize, &key, options)))
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

    /// Whether a row has the features and predecessors of a key.
    fn matches(&self, row: usize, key: &Key<'_>, options: &ScheduleOptions) -> bool {
        self.types[row] == key.kind
            && self.marks.get(row).copied() == key.mark
            && (!options.by_degree || self.degrees[row] == key.degree)
            && {
                let entries = self.entries(row);
                let groups = key.inputs.chunk_by(|a, b| a == b);
                groups.map(|g| (g[0], g.len() as f32)).eq(entries.map(|e| (self.sources[e], self.times[e])))
            }
    }
}

/// What two nodes must have in common to be merged.
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

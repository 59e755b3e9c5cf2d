//! The readout: which rows are summed to give a graph's vector.

use serde::{Deserialize, Serialize};

use super::dag::Dag;
use super::schedule::{Direction, Schedule};

/// How node states become one vector per graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Readout {
    /// The state of the last node: END going down, START going up. If a graph has several nodes without
    /// successors, the sum of their states.
    #[default]
    End,
    /// The sum of the states of all inner nodes, that is, of nodes with both a predecessor and a successor.
    Sum,
}

/// For each graph: its rows and the number of times that each counts.
#[derive(Clone, Debug)]
pub(crate) struct ReadoutRows {
    pub(crate) offsets: Vec<u32>,
    pub(crate) rows: Vec<u32>,
    pub(crate) times: Vec<f32>,
}

impl ReadoutRows {
    pub(crate) fn new(dag: &Dag, schedule: &Schedule, direction: Direction, readout: Readout) -> Self {
        let nodes = dag.nodes();
        let (mut has_before, mut has_after) = (vec![false; nodes], vec![false; nodes]);
        for &(from, to) in &dag.edges {
            has_after[from as usize] = true;
            has_before[to as usize] = true;
        }
        if direction == Direction::Up {
            std::mem::swap(&mut has_before, &mut has_after);
        }
        let mut out = Self { offsets: vec![0], rows: Vec::new(), times: Vec::new() };
        let mut selected: Vec<u32> = Vec::new();
        for graph in 0..dag.graphs() {
            let start = dag.starts[graph] as usize;
            let end = dag.starts.get(graph + 1).map_or(nodes, |&s| s as usize);
            selected.clear();
            selected.extend(
                (start..end)
                    .filter(|&v| match readout {
                        Readout::End => !has_after[v],
                        Readout::Sum => has_before[v] && has_after[v],
                    })
                    .map(|v| schedule.row_of[v]),
            );
            selected.sort_unstable();
            for group in selected.chunk_by(|a, b| a == b) {
                out.rows.push(group[0]);
                out.times.push(group.len() as f32);
            }
            out.offsets.push(out.rows.len() as u32);
        }
        out
    }

    pub(crate) fn graphs(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The rows of a graph, each with the number of times that it counts.
    pub(crate) fn rows(&self, graph: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let entries = self.offsets[graph] as usize..self.offsets[graph + 1] as usize;
        entries.map(|e| (self.rows[e] as usize, self.times[e]))
    }
}

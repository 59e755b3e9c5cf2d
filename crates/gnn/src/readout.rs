//! Which rows make up a graph's vector.

use crate::config::Readout;
use crate::dag::Dag;
use crate::schedule::{Direction, Schedule};

/// For each graph: rows, and how many times each counts.
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
        let mut list: Vec<u32> = Vec::new();
        for graph in 0..dag.graphs() {
            let start = dag.starts[graph] as usize;
            let end = dag.starts.get(graph + 1).map_or(nodes, |&s| s as usize);
            list.clear();
            list.extend(
                (start..end)
                    .filter(|&v| match readout {
                        Readout::End => !has_after[v],
                        Readout::Sum => has_before[v] && has_after[v],
                    })
                    .map(|v| schedule.row_of[v]),
            );
            list.sort_unstable();
            for group in list.chunk_by(|a, b| a == b) {
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

    /// The rows of a graph, each with the number of times it counts.
    pub(crate) fn rows(&self, graph: usize) -> impl Iterator<Item = (usize, f32)> + '_ {
        let entries = self.offsets[graph] as usize..self.offsets[graph + 1] as usize;
        entries.map(|e| (self.rows[e] as usize, self.times[e]))
    }
}

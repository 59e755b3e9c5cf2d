//! Sorting the nodes of a batch by level.

use super::dag::Dag;
use crate::error::GraphError;

/// The neighbours of all nodes in one list.
pub(super) struct Neighbours {
    offsets: Vec<u32>,
    list: Vec<u32>,
}

impl Neighbours {
    /// For every node, the sources of its incoming edges.
    pub(super) fn incoming(nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
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

    pub(super) fn of_node(&self, node: usize) -> &[u32] {
        &self.list[self.offsets[node] as usize..self.offsets[node + 1] as usize]
    }
}

/// All nodes sorted by level, and the start of each level. Fails if a graph has a cycle.
pub(super) fn levels(
    dag: &Dag,
    before: &Neighbours,
    after: &Neighbours,
) -> Result<(Vec<u32>, Vec<usize>), GraphError> {
    let nodes = dag.nodes();
    let mut missing: Vec<u32> = (0..nodes).map(|v| before.of_node(v).len() as u32).collect();
    let mut order: Vec<u32> = (0..nodes as u32).filter(|&v| missing[v as usize] == 0).collect();
    let mut starts = vec![0];
    let mut done = 0;
    while done < order.len() {
        let level = done..order.len();
        done = level.end;
        for at in level {
            for &next in after.of_node(order[at] as usize) {
                missing[next as usize] -= 1;
                if missing[next as usize] == 0 {
                    order.push(next);
                }
            }
        }
        // In the order of the batch, so that the result does not depend on which edge came last.
        order[done..].sort_unstable();
        starts.push(done);
    }
    if order.len() < nodes {
        return Err(cycle(dag, before, &missing));
    }
    Ok((order, starts))
}

/// Finds a cycle: walks backward through nodes that still miss a predecessor until one repeats.
fn cycle(dag: &Dag, before: &Neighbours, missing: &[u32]) -> GraphError {
    let stuck = |v: &u32| missing[*v as usize] > 0;
    let mut seen = vec![false; missing.len()];
    let mut at = (0..missing.len() as u32).find(stuck).unwrap_or(0);
    while !std::mem::replace(&mut seen[at as usize], true) {
        at = before.of_node(at as usize).iter().copied().find(stuck).unwrap_or(at);
    }
    let (graph, node) = dag.locate(at as usize);
    GraphError::Cycle { graph, node }
}

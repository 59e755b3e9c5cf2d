//! The newest node of each partial tree, and the products of its state.

use logicvae_compute::row;

use super::weights::{GenerationWeights, PrefixStep, StateStep};
use crate::decoder::joined::Joined;

/// Where the newest node of a tree is.
#[derive(Clone, Copy)]
pub(super) struct NewestNode {
    /// Whether the next node is its only child. Then it is both the previous node and the parent, and its two
    /// products are computed as one.
    pub only_child: bool,
    row: u32,
}

/// States and their products, one row per node. The products only grow, so that they are not filled with
/// zeros in every step.
#[derive(Default)]
struct Rows {
    states: Vec<f32>,
    /// The products with the type network.
    types: Vec<f32>,
    /// The states of nodes that are not the last but one of their tree, and their products for the gates.
    continued: Vec<f32>,
    gates: Vec<f32>,
    /// For each node, its row in `gates`.
    gate_row: Vec<u32>,
}

fn multiply(by: &Joined, rows: &[f32], products: &mut Vec<f32>) {
    let needed = by.products(rows);
    if products.len() < needed {
        products.resize(needed, 0.0);
    }
    by.multiply(&mut products[..needed], rows);
}

/// The newest nodes of all partial trees.
#[derive(Default)]
pub(super) struct Newest {
    others: Rows,
    only_child: Rows,
}

impl Newest {
    /// Adds a node with this state. Decoders whose graph state is a sum give that instead.
    pub fn add(&mut self, only_child: bool, state: &[f32]) -> NewestNode {
        let rows = if only_child { &mut self.only_child } else { &mut self.others };
        let row = (rows.states.len() / state.len()) as u32;
        rows.states.extend_from_slice(state);
        rows.gate_row.push(u32::MAX);
        NewestNode { only_child, row }
    }

    /// Computes what the type network reads of all nodes.
    pub fn multiply_for_types(&mut self, weights: &GenerationWeights) {
        multiply(&weights.newest, &self.others.states, &mut self.others.types);
        if let StateStep::Prefix(step) = &weights.state {
            multiply(&step.only_child, &self.only_child.states, &mut self.only_child.types);
        }
    }

    /// Notes that the state of a node's successor will be computed.
    pub fn continue_after(&mut self, node: NewestNode, hidden: usize) {
        let rows = if node.only_child { &mut self.only_child } else { &mut self.others };
        let row = node.row as usize;
        if rows.gate_row[row] == u32::MAX {
            rows.gate_row[row] = (rows.continued.len() / hidden) as u32;
            rows.continued.extend_from_slice(&rows.states[row * hidden..(row + 1) * hidden]);
        }
    }

    /// Computes what the gates of successors read. Only for prefix decoders; others read messages of parents.
    pub fn multiply_for_gates(&mut self, step: &PrefixStep) {
        multiply(&step.recurrent, &self.others.continued, &mut self.others.gates);
        multiply(&step.both, &self.only_child.continued, &mut self.only_child.gates);
    }

    /// Removes all nodes.
    pub fn clear(&mut self) {
        for rows in [&mut self.others, &mut self.only_child] {
            rows.states.clear();
            rows.continued.clear();
            rows.gate_row.clear();
        }
    }

    /// The state of a node, or the graph state given instead.
    pub fn state(&self, node: NewestNode, hidden: usize) -> &[f32] {
        row(&self.rows(node).states, node.row as usize, hidden)
    }

    /// The product of a node with the type network.
    pub fn hidden_part(&self, weights: &GenerationWeights, node: NewestNode) -> &[f32] {
        row(&self.rows(node).types, node.row as usize, weights.newest.width)
    }

    /// The products of a node for the gates: those of `both` or of `recurrent` in [`PrefixStep`].
    pub fn gates(&self, step: &PrefixStep, node: NewestNode) -> &[f32] {
        let rows = self.rows(node);
        let width = if node.only_child { step.both.width } else { step.recurrent.width };
        row(&rows.gates, rows.gate_row[node.row as usize] as usize, width)
    }

    fn rows(&self, node: NewestNode) -> &Rows {
        if node.only_child { &self.only_child } else { &self.others }
    }
}

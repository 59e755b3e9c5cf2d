//! What the children of each parent read, computed once per parent.

use faer::Accum;
use logicvae_compute::{matrix, matrix_mut, row};

use super::newest::{Newest, NewestNode};
use super::weights::{CellInput, GenerationWeights, Recurrent, Scratch, StateStep};
use crate::decoder::type_network::HiddenParts;

/// One row per parent, except for parents of an only child: see [`NewestNode`].
#[derive(Default)]
pub(super) struct Parents {
    /// The products of its state: see `parent` in [`GenerationWeights`].
    products: Vec<f32>,
    /// For each vector: the part of the type network that is the same for all nodes of its tree.
    trees: Vec<f32>,
    /// Tree decoders only: its message, and the product of that with the recurrent weight.
    messages: Vec<f32>,
    message_gates: Vec<f32>,
    count: u32,
}

impl Parents {
    /// No parents yet. `starts` has the state of START for each vector.
    pub fn new(weights: &GenerationWeights, starts: &[f32]) -> Self {
        let mut parents = Self::default();
        if let Some(by_start) = &weights.tree {
            by_start.append(&mut parents.trees, starts);
            for line in parents.trees.chunks_exact_mut(by_start.width) {
                line.iter_mut().zip(&weights.types.hidden_bias).for_each(|(to, &b)| *to += b);
            }
        }
        parents
    }

    /// Adds parents with these states, and returns the index of the first.
    pub fn add(&mut self, weights: &GenerationWeights, states: &[f32]) -> u32 {
        let h = weights.hidden;
        let (first, count) = (self.count, states.len() / h);
        self.count += count as u32;
        if count == 0 {
            return first;
        }
        weights.parent.append(&mut self.products, states);
        if let StateStep::Tree(step) = &weights.state {
            let mut gated = vec![0.0; count * 2 * h];
            step.gate_map.multiply(matrix_mut(&mut gated, count), Accum::Replace, matrix(states, count));
            let start = self.messages.len();
            self.messages.extend(step.messages(&gated, h));
            let messages = matrix(&self.messages[start..], count);
            let start = self.message_gates.len();
            self.message_gates.resize(start + count * 3 * h, 0.0);
            let to = matrix_mut(&mut self.message_gates[start..], count);
            step.recurrent.multiply(to, Accum::Replace, messages);
        }
        first
    }

    /// What the type network reads of a tree.
    pub fn hidden_parts<'a>(
        &'a self,
        weights: &'a GenerationWeights,
        vector: usize,
        parent: u32,
        newest: (&'a Newest, NewestNode),
    ) -> HiddenParts<'a> {
        let (newest, node) = newest;
        HiddenParts {
            newest: newest.hidden_part(weights, node),
            parent: (!node.only_child).then(|| self.products(weights, parent)),
            tree: match &weights.tree {
                Some(by_start) => row(&self.trees, vector, by_start.width),
                None => &weights.types.hidden_bias,
            },
        }
    }

    /// What the state of a child reads.
    pub fn cell_input<'a>(
        &'a self,
        weights: &GenerationWeights,
        parent: u32,
        newest: (&'a Newest, NewestNode),
    ) -> CellInput<'a> {
        let h = weights.hidden;
        let (newest, node) = newest;
        let step = match &weights.state {
            StateStep::Prefix(step) => step,
            StateStep::Tree(_) => {
                return CellInput {
                    from_parent: None,
                    recurrent: Recurrent::Gates(row(&self.message_gates, parent as usize, 3 * h)),
                    previous: row(&self.messages, parent as usize, h),
                };
            }
        };
        let (gates, previous) = (newest.gates(step, node), newest.state(node, h));
        let (from_parent, recurrent) = match node.only_child {
            true => (&gates[..3 * h], Recurrent::OnlyN(&gates[3 * h..4 * h])),
            false => (&self.products(weights, parent)[4 * h..7 * h], Recurrent::Gates(&gates[..3 * h])),
        };
        CellInput { from_parent: Some(from_parent), recurrent, previous }
    }

    fn products(&self, weights: &GenerationWeights, parent: u32) -> &[f32] {
        row(&self.products, parent as usize, weights.parent.width)
    }
}

/// The states of START, from h₀ with one row per vector.
pub(super) fn start_states(weights: &GenerationWeights, h0: &[f32], kind: u32) -> Vec<f32> {
    let h = weights.hidden;
    let vectors = h0.len() / h;
    let (mut products, width) = match &weights.state {
        StateStep::Prefix(step) => (vec![0.0; vectors * step.both.width], step.both.width),
        StateStep::Tree(_) => (vec![0.0; vectors * 3 * h], 3 * h),
    };
    match &weights.state {
        StateStep::Prefix(step) => step.both.multiply(&mut products, h0),
        StateStep::Tree(step) => {
            let to = matrix_mut(&mut products, vectors);
            step.recurrent.multiply(to, Accum::Replace, matrix(h0, vectors));
        }
    }
    let mut states = vec![0.0; vectors * h];
    let mut scratch = Scratch::new(h);
    for (vector, state) in states.chunks_exact_mut(h).enumerate() {
        let (gates, previous) = (row(&products, vector, width), row(h0, vector, h));
        let input = match &weights.state {
            StateStep::Prefix(_) => {
                let recurrent = Recurrent::OnlyN(&gates[3 * h..4 * h]);
                CellInput { from_parent: Some(&gates[..3 * h]), recurrent, previous }
            }
            StateStep::Tree(_) => {
                CellInput { from_parent: None, recurrent: Recurrent::Gates(gates), previous }
            }
        };
        weights.cell(kind, 0, &input, &mut scratch, state);
    }
    states
}

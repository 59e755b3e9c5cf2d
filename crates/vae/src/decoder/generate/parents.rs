//! What the children of each parent read, computed once per parent.

use faer::{Accum, MatRef};
use logicvae_compute::{Weight, matrix, matrix_mut, row};

use super::weights::{CellInput, GenerationWeights, StateStep};

/// One row per parent.
#[derive(Default)]
pub(super) struct Parents {
    /// The product of its state with the type network, plus that of its tree's START if that is an input.
    score: Vec<f32>,
    /// The product of each vector's START with the type network; empty if it is no input.
    start_score: Vec<f32>,
    /// Prefix decoders: the part of the gates that comes from the parent. Tree decoders: the product of its
    /// message with the recurrent weight.
    gates: Vec<f32>,
    /// Tree decoders only: its message.
    messages: Vec<f32>,
    count: u32,
}

/// Appends the product of some rows with a weight of `width` columns.
fn append(to: &mut Vec<f32>, width: usize, rows: MatRef<'_, f32>, by: &Weight<f32>) {
    let (start, count) = (to.len(), rows.nrows());
    to.resize(start + count * width, 0.0);
    by.multiply(matrix_mut(&mut to[start..], count), Accum::Replace, rows);
}

impl Parents {
    /// No parents yet. `starts` has the state of START for each vector.
    pub fn new(weights: &GenerationWeights, starts: &[f32]) -> Self {
        let mut parents = Self::default();
        if let Some(by_start) = &weights.score.by_start {
            let (h, vectors) = (weights.hidden, starts.len() / weights.hidden);
            append(&mut parents.start_score, 4 * h, matrix(starts, vectors), by_start);
        }
        parents
    }

    /// Adds parents with these states, which belong to these vectors, and returns the index of the first.
    pub fn add(&mut self, weights: &GenerationWeights, states: &[f32], vectors: &[usize]) -> u32 {
        let h = weights.hidden;
        let (first, count) = (self.count, states.len() / h);
        self.count += count as u32;
        if count == 0 {
            return first;
        }
        let states = matrix(states, count);
        let start = self.score.len();
        append(&mut self.score, 4 * h, states, &weights.score.by_parent);
        if !self.start_score.is_empty() {
            for (line, &vector) in self.score[start..].chunks_exact_mut(4 * h).zip(vectors) {
                let from_start = row(&self.start_score, vector, 4 * h);
                line.iter_mut().zip(from_start).for_each(|(to, &s)| *to += s);
            }
        }
        match &weights.state {
            StateStep::Prefix(step) => append(&mut self.gates, 3 * h, states, &step.from_parent),
            StateStep::Tree(step) => {
                let mut gated = Vec::new();
                append(&mut gated, 2 * h, states, &step.gate_map);
                let start = self.messages.len();
                self.messages.extend(step.messages(&gated, h));
                let messages = matrix(&self.messages[start..], count);
                append(&mut self.gates, 3 * h, messages, &step.recurrent);
            }
        }
        first
    }

    /// The parent's part of the type network.
    pub fn score(&self, parent: u32, hidden: usize) -> &[f32] {
        row(&self.score, parent as usize, 4 * hidden)
    }

    /// What the state of a child reads. `newest` is the state of the node before it and its product with the
    /// recurrent weight, which only prefix decoders use.
    pub fn cell_input<'a>(
        &'a self,
        weights: &GenerationWeights,
        parent: u32,
        newest: (&'a [f32], &'a [f32]),
    ) -> CellInput<'a> {
        let (h, parent) = (weights.hidden, parent as usize);
        let gates = row(&self.gates, parent, 3 * h);
        match &weights.state {
            StateStep::Prefix(_) => {
                CellInput { from_parent: Some(gates), recurrent: newest.1, previous: newest.0 }
            }
            StateStep::Tree(_) => {
                let previous = row(&self.messages, parent, h);
                CellInput { from_parent: None, recurrent: gates, previous }
            }
        }
    }
}

/// The states of START, from h₀ with one row per vector.
pub(super) fn start_states(weights: &GenerationWeights, h0: &[f32], kind: u32) -> Vec<f32> {
    let h = weights.hidden;
    let vectors = h0.len() / h;
    let (mut gates, mut recurrent) = (Vec::new(), Vec::new());
    match &weights.state {
        StateStep::Prefix(step) => {
            append(&mut gates, 3 * h, matrix(h0, vectors), &step.from_parent);
            append(&mut recurrent, 3 * h, matrix(h0, vectors), &step.recurrent);
        }
        StateStep::Tree(step) => append(&mut recurrent, 3 * h, matrix(h0, vectors), &step.recurrent),
    }
    let mut states = vec![0.0; vectors * h];
    for (vector, state) in states.chunks_exact_mut(h).enumerate() {
        let input = CellInput {
            from_parent: (!gates.is_empty()).then(|| row(&gates, vector, 3 * h)),
            recurrent: row(&recurrent, vector, 3 * h),
            previous: row(h0, vector, h),
        };
        weights.cell(kind, 0, &input, state);
    }
    states
}

/// The products of states with the recurrent weight; empty for tree decoders, which do not need them.
pub(super) fn recurrent_products(weights: &GenerationWeights, states: &[f32]) -> Vec<f32> {
    let mut products = Vec::new();
    if let StateStep::Prefix(step) = &weights.state {
        let rows = states.len() / weights.hidden;
        append(&mut products, 3 * weights.hidden, matrix(states, rows), &step.recurrent);
    }
    products
}

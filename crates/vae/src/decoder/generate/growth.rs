//! Trees that are generated together, one node per step.

use logicvae_compute::row;
use logicvae_gnn::Vocabulary;
use logicvae_logic::{Formula, Node};
use rand_chacha::ChaCha8Rng;

use super::choice::{Sampling, arity, generator};
use super::parents::{Parents, recurrent_products, start_states};
use super::weights::GenerationWeights;
use super::{Decoded, Decoding};
use crate::config::ModelConfig;
use crate::decoder::forest::index_mark;
use crate::decoder::goals::{Goal, Tracker};
use crate::decoder::state::summary;

/// No frame, or no node.
const NONE: u32 = u32::MAX;

/// A parent that waits for children.
#[derive(Clone, Copy)]
struct Frame {
    parent: u32,
    /// The number of children still to come.
    due: u8,
    /// Whether the next child is a right child.
    right: bool,
    /// The parent's index in its tree, where START has index 0.
    index: u32,
    /// The frame below.
    next: u32,
}

/// A tree that is not complete yet.
#[derive(Clone)]
pub(super) struct Partial {
    /// The index of its latent vector within this growth.
    pub vector: usize,
    /// The innermost frame.
    frame: u32,
    /// Its newest node, in `Growth::nodes`.
    newest: u32,
    pub nodes: usize,
    /// The number of nodes still due.
    pub open: usize,
    pub log_probability: f64,
    /// The samples that have made these choices.
    pub samples: Vec<u32>,
    /// What remains to be expressed, if the decoder is goal-conditioned.
    tracker: Option<Tracker>,
}

/// A result, and the first sample that gave it.
#[derive(Clone)]
pub(super) struct Finished {
    pub decoded: Decoded,
    pub first: u32,
}

/// The next node of a partial tree: its class, and the samples that choose it.
pub(super) struct Choice {
    pub from: usize,
    pub class: usize,
    pub log_probability: f64,
    pub samples: Vec<u32>,
}

/// A node that was added to a tree.
struct Added {
    kind: u32,
    newest: u32,
    nodes: usize,
    open: usize,
    frame: Frame,
}

pub(super) struct Growth<'a> {
    pub config: &'a ModelConfig,
    pub weights: &'a GenerationWeights,
    parents: Parents,
    frames: Vec<Frame>,
    /// The type and the previous node of every node, for all trees.
    nodes: Vec<(u32, u32)>,
    pub partial: Vec<Partial>,
    /// For each partial tree: the state of its newest node, and its graph state.
    states: Vec<f32>,
    graph: Vec<f32>,
    /// The parent START of each vector.
    starts: Vec<u32>,
    /// The results of each vector.
    pub finished: Vec<Vec<Finished>>,
}

impl<'a> Growth<'a> {
    /// Trees from `h0`, with one row per vector, and their goals, if the decoder is goal-conditioned.
    pub fn new(config: &'a ModelConfig, weights: &'a GenerationWeights, h0: &[f32], goals: &[Goal]) -> Self {
        let states = start_states(weights, h0, Vocabulary::START);
        let vectors = states.len() / weights.hidden;
        let mut parents = Parents::new(weights, &states);
        let all: Vec<usize> = (0..vectors).collect();
        let first = parents.add(weights, &states, &all);
        let starts: Vec<u32> = (0..vectors as u32).map(|vector| first + vector).collect();
        let frame = |&parent: &u32| Frame { parent, due: 1, right: false, index: 0, next: NONE };
        let partial = |vector: usize| Partial {
            vector,
            frame: vector as u32,
            newest: NONE,
            nodes: 0,
            open: 1,
            log_probability: 0.0,
            samples: Vec::new(),
            tracker: goals.get(vector).map(|&goal| Tracker::new(goal, config.variables)),
        };
        Self {
            config,
            weights,
            parents,
            frames: starts.iter().map(frame).collect(),
            nodes: Vec::new(),
            partial: (0..vectors).map(partial).collect(),
            graph: states.clone(),
            states,
            starts,
            finished: vec![Vec::new(); vectors],
        }
    }

    /// Generates all trees to their end. `first` is the index of the first vector among all that are decoded.
    pub fn run(mut self, decoding: Decoding, first: usize) -> Vec<Vec<Decoded>> {
        let mut generators: Vec<ChaCha8Rng> = Vec::new();
        if let Decoding::Sampled { samples, seed, .. } = decoding {
            for (vector, partial) in self.partial.iter_mut().enumerate() {
                partial.samples = (0..samples).map(|sample| (vector * samples + sample) as u32).collect();
                generators.extend((0..samples).map(|sample| generator(seed, first + vector, sample)));
            }
        }
        while !self.partial.is_empty() {
            let log_probabilities = self.log_probabilities();
            let choices = match decoding {
                Decoding::Greedy => self.choose_greedy(&log_probabilities),
                Decoding::Sampled { temperature, top_k, .. } => {
                    self.choose_sampled(&log_probabilities, &Sampling { temperature, top_k }, &mut generators)
                }
                Decoding::Beam { width } => self.choose_beam(&log_probabilities, width),
            };
            self.grow(choices);
        }
        self.finished.iter_mut().map(|list| in_order(list, decoding)).collect()
    }

    /// The log-probability of every class, for each partial tree.
    fn log_probabilities(&self) -> Vec<f32> {
        let h = self.weights.hidden;
        let parent = |tree: usize| {
            let partial = &self.partial[tree];
            // An unconstrained tree may be complete and still continue; START is its parent then.
            let frame = self.frames.get(partial.frame as usize);
            self.parents.score(frame.map_or(self.starts[partial.vector], |frame| frame.parent), h)
        };
        let goals = self.partial.iter().filter_map(|partial| partial.tracker.as_ref().map(Tracker::goal));
        self.weights.score.log_probabilities(self.partial.len(), &self.graph, parent, goals)
    }

    /// Adds the chosen nodes, and removes trees that are complete or never will be.
    fn grow(&mut self, choices: Vec<Choice>) {
        let h = self.weights.hidden;
        let old = std::mem::take(&mut self.partial);
        let recurrent = recurrent_products(self.weights, &self.states);
        let (mut states, mut graph): (Vec<f32>, Vec<f32>) = (Vec::new(), Vec::new());
        let mut next: Vec<Partial> = Vec::with_capacity(choices.len());
        let mut operators = Vec::new();
        for choice in choices {
            let before = &old[choice.from];
            let added = match self.add_node(before, &choice) {
                Ok(added) => added,
                Err(formula) => {
                    self.finish(before.vector, formula, &choice);
                    continue;
                }
            };
            let start = states.len();
            states.resize(start + h, 0.0);
            let newest_state = row(&self.states, choice.from, h);
            let newest_product = recurrent.get(choice.from * 3 * h..(choice.from + 1) * 3 * h);
            let newest = (newest_state, newest_product.unwrap_or_default());
            let input = self.parents.cell_input(self.weights, added.frame.parent, newest);
            let mark = match self.config.parent_index {
                true => index_mark(added.frame.index as usize, self.config.marks()),
                false => u32::from(added.frame.right),
            };
            self.weights.cell(added.kind, mark, &input, &mut states[start..]);
            graph.extend_from_slice(&states[start..]);
            let before_graph = row(&self.graph, choice.from, h);
            summary::step(self.weights.graph_state, before_graph, &mut graph[start..]);
            if arity(choice.class) > 0 {
                operators.push(next.len());
            }
            let mut tracker = before.tracker.clone();
            tracker.iter_mut().for_each(|tracker| tracker.add(added.kind));
            next.push(Partial {
                vector: before.vector,
                frame: self.next_frame(&added, arity(choice.class)),
                newest: added.newest,
                nodes: added.nodes,
                open: added.open,
                log_probability: choice.log_probability,
                samples: choice.samples,
                tracker,
            });
        }
        let new_parents: Vec<f32> =
            operators.iter().flat_map(|&tree| row(&states, tree, h)).copied().collect();
        let vectors: Vec<usize> = operators.iter().map(|&tree| next[tree].vector).collect();
        let first = self.parents.add(self.weights, &new_parents, &vectors);
        for (number, &tree) in operators.iter().enumerate() {
            self.frames[next[tree].frame as usize].parent = first + number as u32;
        }
        (self.states, self.graph, self.partial) = (states, graph, next);
    }

    /// Adds the node of a choice. If that ends the tree, returns its formula as the error, or `None` if the
    /// tree is not one.
    fn add_node(&mut self, before: &Partial, choice: &Choice) -> Result<Added, Option<Formula>> {
        let stop = choice.class + 2 == self.weights.vocabulary.types();
        // Without constraints a tree may stop before it is complete, or continue after it.
        let frame = self.frames.get(before.frame as usize).copied();
        let (Some(frame), false) = (frame, stop) else {
            return Err((stop && before.open == 0).then(|| self.formula(before.newest)).flatten());
        };
        let kind = choice.class as u32 + Vocabulary::AND;
        self.nodes.push((kind, before.newest));
        let newest = self.nodes.len() as u32 - 1;
        let (nodes, open) = (before.nodes + 1, before.open - 1 + arity(choice.class));
        if open == 0 && self.config.constrained {
            return Err(self.formula(newest));
        }
        if nodes >= self.config.max_nodes && (self.config.constrained || open > 0) {
            return Err(None);
        }
        Ok(Added { kind, newest, nodes, open, frame })
    }

    /// The innermost frame after a node: its own if it is an operator, otherwise that of the next node's
    /// parent.
    fn next_frame(&mut self, added: &Added, arity: usize) -> u32 {
        let frame = added.frame;
        let mut inner = frame.next;
        if frame.due > 1 {
            // The parent has one child less to come.
            self.frames.push(Frame { due: frame.due - 1, right: true, ..frame });
            inner = self.frames.len() as u32 - 1;
        }
        if arity > 0 {
            // The index of the parent is filled in when all parents of this step are known.
            let index = added.nodes as u32;
            self.frames.push(Frame { parent: 0, due: arity as u8, right: false, index, next: inner });
            inner = self.frames.len() as u32 - 1;
        }
        inner
    }

    /// The formula that ends with a node, or `None` if the nodes do not form a tree.
    fn formula(&self, newest: u32) -> Option<Formula> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut current = newest;
        while current != NONE {
            let (kind, before) = self.nodes[current as usize];
            nodes.push(self.weights.vocabulary.node_of(kind)?);
            current = before;
        }
        nodes.reverse();
        Formula::from_preorder(nodes).ok()
    }

    fn finish(&mut self, vector: usize, formula: Option<Formula>, choice: &Choice) {
        let count = choice.samples.len().max(1);
        let decoded = Decoded { formula, log_probability: choice.log_probability, count };
        let first = choice.samples.first().copied().unwrap_or(0);
        self.finished[vector].push(Finished { decoded, first });
    }
}

/// The results of one vector in their final order.
fn in_order(list: &mut Vec<Finished>, decoding: Decoding) -> Vec<Decoded> {
    match decoding {
        Decoding::Beam { width } => {
            list.sort_by(|a, b| b.decoded.log_probability.total_cmp(&a.decoded.log_probability));
            list.truncate(width);
        }
        // The most frequent first; among equals, the one sampled first.
        _ => list.sort_by_key(|done| (std::cmp::Reverse(done.decoded.count), done.first)),
    }
    list.drain(..).map(|done| done.decoded).collect()
}

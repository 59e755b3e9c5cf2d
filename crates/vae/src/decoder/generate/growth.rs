//! Trees that are generated together, one node per step.

use logicvae_compute::row;
use logicvae_gnn::Vocabulary;
use logicvae_logic::{Formula, Node};
use rand_chacha::ChaCha8Rng;

use super::choice::{Sampling, arity, generator};
use super::newest::{Newest, NewestNode};
use super::parents::{Parents, start_states};
use super::weights::{GenerationWeights, Scratch, StateStep};
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
    /// In `Growth::parents`; [`NONE`] for the parent of an only child.
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
    /// The same node, in `Growth::newest`.
    newest_state: NewestNode,
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
    /// The newest nodes of partial trees, and memory for those after the next step.
    newest: Newest,
    next_newest: Newest,
    /// Whether parents of an only child have no row in `parents`: see [`NewestNode`].
    only_children: bool,
    scratch: Scratch,
    /// The state of START and the goal of each vector, and the first vector whose tree has not begun.
    starts: Vec<f32>,
    goals: &'a [Goal],
    waiting: usize,
    /// The number of trees that are generated at a time.
    together: usize,
    /// The results of each vector.
    pub finished: Vec<Vec<Finished>>,
}

impl<'a> Growth<'a> {
    /// Trees from `h0`, with one row per vector, and their goals, if the decoder is goal-conditioned. About
    /// `together` trees are generated at a time. As soon as some are complete, others begin.
    pub fn new(
        config: &'a ModelConfig,
        weights: &'a GenerationWeights,
        h0: &[f32],
        goals: &'a [Goal],
        together: usize,
    ) -> Self {
        let starts = start_states(weights, h0, Vocabulary::START);
        let vectors = starts.len() / weights.hidden;
        // Without constraints, a tree may continue after it is complete, as further children of START.
        let only_children = config.constrained && matches!(weights.state, StateStep::Prefix(_));
        let mut parents = Parents::new(weights, &starts);
        if !only_children {
            parents.add(weights, &starts);
        }
        Self {
            config,
            weights,
            parents,
            frames: Vec::new(),
            nodes: Vec::new(),
            partial: Vec::new(),
            newest: Newest::default(),
            next_newest: Newest::default(),
            only_children,
            scratch: Scratch::new(weights.hidden),
            starts,
            goals,
            waiting: 0,
            together,
            finished: vec![Vec::new(); vectors],
        }
    }

    /// Begins as many trees as there is room for.
    fn begin(&mut self, partial: &mut Vec<Partial>, decoding: Decoding) {
        let (h, width) = (self.weights.hidden, decoding.width());
        let samples = if matches!(decoding, Decoding::Sampled { .. }) { width } else { 0 };
        let together = self.together;
        let room = |partial: &[Partial]| partial.is_empty() || partial.len() + width <= together;
        while self.waiting < self.finished.len() && room(partial) {
            let vector = self.waiting;
            self.waiting += 1;
            let parent = if self.only_children { NONE } else { vector as u32 };
            self.frames.push(Frame { parent, due: 1, right: false, index: 0, next: NONE });
            partial.push(Partial {
                vector,
                frame: self.frames.len() as u32 - 1,
                newest: NONE,
                newest_state: self.next_newest.add(self.only_children, row(&self.starts, vector, h)),
                nodes: 0,
                open: 1,
                log_probability: 0.0,
                samples: (0..samples).map(|sample| (vector * samples + sample) as u32).collect(),
                tracker: self.goals.get(vector).map(|&goal| Tracker::new(goal, self.config.variables)),
            });
        }
    }

    /// Generates all trees to their end. `first` is the index of the first vector among all that are decoded.
    pub fn run(mut self, decoding: Decoding, first: usize) -> Vec<Vec<Decoded>> {
        let mut generators: Vec<ChaCha8Rng> = Vec::new();
        if let Decoding::Sampled { samples, seed, .. } = decoding {
            for vector in 0..self.finished.len() {
                generators.extend((0..samples).map(|sample| generator(seed, first + vector, sample)));
            }
        }
        self.grow(Vec::new(), decoding);
        while !self.partial.is_empty() {
            let log_probabilities = self.log_probabilities();
            let choices = match decoding {
                Decoding::Greedy => self.choose_greedy(&log_probabilities),
                Decoding::Sampled { temperature, top_k, .. } => {
                    self.choose_sampled(&log_probabilities, &Sampling { temperature, top_k }, &mut generators)
                }
                Decoding::Beam { width } => self.choose_beam(&log_probabilities, width),
            };
            self.grow(choices, decoding);
        }
        self.finished.iter_mut().map(|list| in_order(list, decoding)).collect()
    }

    /// The log-probability of every class, for each partial tree.
    fn log_probabilities(&self) -> Vec<f32> {
        let parts = |tree: usize| {
            let partial = &self.partial[tree];
            // An unconstrained tree may be complete and still continue; START is its parent then, whose index
            // is that of the vector.
            let frame = self.frames.get(partial.frame as usize);
            let parent = frame.map_or(partial.vector as u32, |frame| frame.parent);
            self.parents.hidden_parts(
                self.weights,
                partial.vector,
                parent,
                (&self.newest, partial.newest_state),
            )
        };
        let goals = self.partial.iter().filter_map(|partial| partial.tracker.as_ref().map(Tracker::goal));
        self.weights.types.log_probabilities(self.partial.len(), parts, goals)
    }

    /// Adds the chosen nodes, removes trees that are complete or never will be, and begins others.
    fn grow(&mut self, choices: Vec<Choice>, decoding: Decoding) {
        let h = self.weights.hidden;
        let mut old = std::mem::take(&mut self.partial);
        self.next_newest.clear();
        let mut next: Vec<Partial> = Vec::with_capacity(choices.len());
        let (mut state, mut new_parents) = (vec![0.0; h], Vec::new());
        let mut operators = Vec::new();
        let continued = self.add_nodes(&old, choices);
        let mut continuations = vec![0; old.len()];
        for (choice, _) in &continued {
            continuations[choice.from] += 1;
            self.newest.continue_after(old[choice.from].newest_state, h);
        }
        if let StateStep::Prefix(step) = &self.weights.state {
            self.newest.multiply_for_gates(step);
        }
        for (choice, added) in continued {
            let before = &mut old[choice.from];
            continuations[choice.from] -= 1;
            let last = continuations[choice.from] == 0;
            let newest = (&self.newest, before.newest_state);
            let input = self.parents.cell_input(self.weights, added.frame.parent, newest);
            let mark = match self.config.parent_index {
                true => index_mark(added.frame.index as usize, self.config.marks()),
                false => u32::from(added.frame.right),
            };
            self.weights.cell(added.kind, mark, &input, &mut self.scratch, &mut state);
            let arity = arity(choice.class);
            let only_child = arity == 1 && self.only_children;
            if arity > 0 && !only_child {
                operators.push(next.len());
                new_parents.extend_from_slice(&state);
            }
            summary::step(self.weights.graph_state, self.newest.state(before.newest_state, h), &mut state);
            let newest_state = self.next_newest.add(only_child, &state);
            let mut tracker = if last { before.tracker.take() } else { before.tracker.clone() };
            tracker.iter_mut().for_each(|tracker| tracker.add(added.kind));
            let (vector, log_probability) = (before.vector, choice.log_probability);
            next.push(Partial {
                vector,
                frame: self.next_frame(&added, arity),
                newest: added.newest,
                newest_state,
                nodes: added.nodes,
                open: added.open,
                log_probability,
                samples: choice.samples,
                tracker,
            });
        }
        let first = self.parents.add(self.weights, &new_parents);
        for (number, &tree) in operators.iter().enumerate() {
            self.frames[next[tree].frame as usize].parent = first + number as u32;
        }
        self.begin(&mut next, decoding);
        self.next_newest.multiply_for_types(self.weights);
        std::mem::swap(&mut self.newest, &mut self.next_newest);
        self.partial = next;
    }

    /// Adds the nodes of choices, and returns those whose trees continue.
    fn add_nodes(&mut self, old: &[Partial], choices: Vec<Choice>) -> Vec<(Choice, Added)> {
        let mut continued = Vec::with_capacity(choices.len());
        for choice in choices {
            let before = &old[choice.from];
            match self.add_node(before, &choice) {
                Ok(added) => continued.push((choice, added)),
                Err(formula) => self.finish(before.vector, formula, &choice),
            }
        }
        continued
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
            // The parent is filled in when all parents of this step are known.
            let index = added.nodes as u32;
            self.frames.push(Frame { parent: NONE, due: arity as u8, right: false, index, next: inner });
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

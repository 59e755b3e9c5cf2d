//! Trees that grow together, a node a step.

use faer::Accum;
use logicvae_gnn::Vocabulary;
use logicvae_gnn::fused::{Features, Weight, matrix, matrix_mut, row, row_mut, simd, update};
use logicvae_logic::{Formula, Node};
use rand_chacha::ChaCha8Rng;

use crate::config::{GraphState, ModelConfig};
use crate::decode::choice::{Drawing, arity, generator, log_softmax};
use crate::decode::weights::Weights;
use crate::decode::{Decoded, Decoding};
use crate::decoder::{Goal, Tracker, index_mark};

/// No frame, no node.
const NONE: u32 = u32::MAX;

/// A parent that waits for children.
#[derive(Clone, Copy)]
struct Frame {
    parent: u32,
    /// Children still to come.
    due: u8,
    /// Whether the next one is a right child.
    right: bool,
    /// The parent's index in its tree, START being 0.
    index: u32,
    /// The frame below.
    next: u32,
}

/// A beginning of a tree.
#[derive(Clone)]
pub(super) struct Beginning {
    /// The vector that it comes from, within this growth.
    pub(super) vector: usize,
    /// The innermost frame.
    pub(super) frame: u32,
    /// Its newest node, in `Growth::nodes`.
    pub(super) newest: u32,
    pub(super) nodes: usize,
    /// Nodes still due.
    pub(super) open: usize,
    pub(super) log_probability: f64,
    /// The decodings that have chosen it.
    pub(super) draws: Vec<u32>,
    /// What is still to be said, if the decoder is told.
    tracker: Option<Tracker>,
}

/// A result, and the first decoding that gave it.
#[derive(Clone)]
pub(super) struct Done {
    pub(super) decoded: Decoded,
    pub(super) first: u32,
}

/// What to do next with a beginning: its class, and the decodings that choose it.
pub(super) struct Choice {
    pub(super) from: usize,
    pub(super) class: usize,
    pub(super) log_probability: f64,
    pub(super) draws: Vec<u32>,
}

/// What is known about parents, a row each: their product with the type network, and what their children's states read.
#[derive(Default)]
struct Parents {
    score: Vec<f32>,
    /// Prefix decoders: the part of the gates that comes from the parent. Tree decoders: the product of its message.
    gates: Vec<f32>,
    /// Tree decoders: its message.
    messages: Vec<f32>,
    count: u32,
}

pub(super) struct Growth<'a> {
    pub(super) config: &'a ModelConfig,
    pub(super) weights: &'a Weights,
    parents: Parents,
    frames: Vec<Frame>,
    /// Type and predecessor of every node of all beginnings.
    nodes: Vec<(u32, u32)>,
    pub(super) beginnings: Vec<Beginning>,
    /// For each beginning: its newest state, and what the type network reads.
    states: Vec<f32>,
    graph: Vec<f32>,
    /// The parent START of each vector.
    starts: Vec<u32>,
    /// The results of each vector.
    pub(super) done: Vec<Vec<Done>>,
}

impl<'a> Growth<'a> {
    /// Trees from `h0`, a row for each vector, and their goals, if the decoder is told.
    pub fn new(config: &'a ModelConfig, weights: &'a Weights, h0: &[f32], goals: &[Goal]) -> Self {
        let h = weights.hidden;
        let vectors = h0.len() / h;
        let mut growth = Self {
            config,
            weights,
            parents: Parents::default(),
            frames: Vec::new(),
            nodes: Vec::new(),
            beginnings: Vec::new(),
            states: vec![0.0; vectors * h],
            graph: Vec::new(),
            starts: Vec::new(),
            done: vec![Vec::new(); vectors],
        };
        let mut gates = vec![0.0; vectors * 3 * h];
        if weights.state == GraphState::Recurrent {
            weights.from_parent.multiply(
                matrix_mut(&mut gates, vectors),
                Accum::Replace,
                matrix(h0, vectors),
            );
        }
        let mut hidden = vec![0.0; vectors * 3 * h];
        weights.recurrent.multiply(matrix_mut(&mut hidden, vectors), Accum::Replace, matrix(h0, vectors));
        let mut states = std::mem::take(&mut growth.states);
        for vector in 0..vectors {
            growth.cell(
                Vocabulary::START,
                0,
                row(&gates, vector, 3 * h),
                row(&hidden, vector, 3 * h),
                row(h0, vector, h),
                row_mut(&mut states, vector, h),
            );
        }
        growth.states = states;
        growth.graph = growth.states.clone();
        let all: Vec<usize> = (0..vectors).collect();
        let first = growth.add_parents(&all);
        for vector in 0..vectors {
            let parent = first + vector as u32;
            growth.starts.push(parent);
            growth.frames.push(Frame { parent, due: 1, right: false, index: 0, next: NONE });
            let frame = vector as u32;
            growth.beginnings.push(Beginning {
                vector,
                frame,
                newest: NONE,
                nodes: 0,
                open: 1,
                log_probability: 0.0,
                draws: Vec::new(),
                tracker: goals.get(vector).copied().map(Tracker::new),
            });
        }
        growth
    }

    /// Grows all trees to their end. `first` is the number of the first vector among all that are decoded.
    pub fn run(mut self, decoding: Decoding, first: usize) -> Vec<Vec<Decoded>> {
        let mut generators: Vec<ChaCha8Rng> = Vec::new();
        if let Decoding::Sampled { samples, seed, .. } = decoding {
            for (vector, beginning) in self.beginnings.iter_mut().enumerate() {
                beginning.draws = (0..samples).map(|sample| (vector * samples + sample) as u32).collect();
                generators.extend((0..samples).map(|sample| generator(seed, first + vector, sample)));
            }
        }
        while !self.beginnings.is_empty() {
            let chances = self.chances();
            let choices = match decoding {
                Decoding::Greedy => self.most_probable(&chances),
                Decoding::Sampled { temperature, top_k, .. } => {
                    self.drawn(&chances, &Drawing { temperature, top_k }, &mut generators)
                }
                Decoding::Beam { width } => self.widest(&chances, width),
            };
            self.grow(choices);
        }
        self.done.iter_mut().map(|list| gather(list, decoding)).collect()
    }

    /// log p of every class, for each beginning.
    fn chances(&self) -> Vec<f32> {
        let (w, count) = (self.weights, self.beginnings.len());
        let inner = 4 * w.hidden;
        let mut hidden = vec![0.0; count * inner];
        w.score_graph.multiply(matrix_mut(&mut hidden, count), Accum::Replace, matrix(&self.graph, count));
        if w.goals > 0 {
            let mut goals = vec![0.0; count * w.goals];
            let told = self.beginnings.iter().filter_map(|beginning| beginning.tracker.as_ref());
            goals.chunks_exact_mut(w.goals).zip(told).for_each(|(to, tracker)| tracker.goal().write(to));
            w.score_goal.multiply(matrix_mut(&mut hidden, count), Accum::Add, matrix(&goals, count));
        }
        let parent = |beginning: &Beginning| match self.frames.get(beginning.frame as usize) {
            Some(frame) => frame.parent,
            None => self.starts[beginning.vector],
        };
        simd(
            #[inline(always)]
            || {
                for (line, beginning) in hidden.chunks_exact_mut(inner).zip(&self.beginnings) {
                    let from_parent = row(&self.parents.score, parent(beginning) as usize, inner);
                    for ((x, &p), &b) in line.iter_mut().zip(from_parent).zip(&w.score_bias) {
                        let sum = *x + p + b;
                        *x = if sum > 0.0 { sum } else { 0.0 };
                    }
                }
            },
        );
        let mut chances = vec![0.0; count * w.classes];
        w.output.multiply(matrix_mut(&mut chances, count), Accum::Replace, matrix(&hidden, count));
        for line in chances.chunks_exact_mut(w.classes) {
            line.iter_mut().zip(&w.output_bias).for_each(|(x, b)| *x += b);
            log_softmax(line);
        }
        chances
    }

    /// Adds the chosen nodes; sets trees that are complete, or never will be, aside.
    fn grow(&mut self, choices: Vec<Choice>) {
        let (w, h) = (self.weights, self.weights.hidden);
        let recurrent = w.state == GraphState::Recurrent;
        let old = std::mem::take(&mut self.beginnings);
        let hidden = if recurrent {
            let mut hidden = vec![0.0; old.len() * 3 * h];
            let states = matrix(&self.states, old.len());
            w.recurrent.multiply(matrix_mut(&mut hidden, old.len()), Accum::Replace, states);
            hidden
        } else {
            Vec::new()
        };
        let (mut states, mut graph): (Vec<f32>, Vec<f32>) = (Vec::new(), Vec::new());
        let (mut next, mut operators) = (Vec::with_capacity(choices.len()), Vec::new());
        let nothing = vec![0.0; 3 * h];
        for choice in choices {
            let before = &old[choice.from];
            let vector = before.vector;
            let stop = choice.class + 2 == w.vocabulary.types();
            // Without constraints a tree may be left incomplete, or go on when it is complete.
            let frame = self.frames.get(before.frame as usize).copied();
            let (Some(frame), false) = (frame, stop) else {
                let formula = if stop && before.open == 0 { self.formula(before.newest) } else { None };
                self.finish(vector, formula, &choice);
                continue;
            };
            let kind = choice.class as u32 + Vocabulary::AND;
            let arity = arity(choice.class);
            self.nodes.push((kind, before.newest));
            let newest = self.nodes.len() as u32 - 1;
            let (nodes, open) = (before.nodes + 1, before.open - 1 + arity);
            if open == 0 && self.config.constrained {
                let formula = self.formula(newest);
                self.finish(vector, formula, &choice);
                continue;
            }
            if nodes >= self.config.max_nodes && (self.config.constrained || open > 0) {
                self.finish(vector, None, &choice);
                continue;
            }
            let parent = frame.parent as usize;
            let at = states.len();
            states.resize(at + h, 0.0);
            let (gates, hidden, sum) = if recurrent {
                (
                    row(&self.parents.gates, parent, 3 * h),
                    row(&hidden, choice.from, 3 * h),
                    row(&self.states, choice.from, h),
                )
            } else {
                (
                    &nothing[..],
                    row(&self.parents.gates, parent, 3 * h),
                    row(&self.parents.messages, parent, h),
                )
            };
            let mark = match self.config.parent_index {
                true => index_mark(frame.index as usize, self.config.marks()),
                false => u32::from(frame.right),
            };
            self.cell(kind, mark, gates, hidden, sum, &mut states[at..]);
            graph.extend_from_slice(&states[at..]);
            if w.state == GraphState::Sum {
                graph[at..].iter_mut().zip(row(&self.graph, choice.from, h)).for_each(|(g, &s)| *g += s);
            }
            // The parent's frame, with one child less.
            let mut inner = frame.next;
            if frame.due > 1 {
                self.frames.push(Frame { due: frame.due - 1, right: true, ..frame });
                inner = self.frames.len() as u32 - 1;
            }
            if arity > 0 {
                operators.push(next.len());
                // The parent's number follows when all are known.
                self.frames.push(Frame {
                    parent: 0,
                    due: arity as u8,
                    right: false,
                    index: nodes as u32,
                    next: inner,
                });
                inner = self.frames.len() as u32 - 1;
            }
            let Choice { log_probability, draws, .. } = choice;
            let mut tracker = before.tracker.clone();
            tracker.iter_mut().for_each(|tracker| tracker.add(kind));
            next.push(Beginning {
                vector,
                frame: inner,
                newest,
                nodes,
                open,
                log_probability,
                draws,
                tracker,
            });
        }
        self.states = states;
        self.graph = graph;
        self.beginnings = next;
        let first = self.add_parents(&operators);
        for (number, &at) in operators.iter().enumerate() {
            self.frames[self.beginnings[at].frame as usize].parent = first + number as u32;
        }
    }

    /// Computes what children of the newest nodes of these beginnings will read; gives the number of the first.
    fn add_parents(&mut self, which: &[usize]) -> u32 {
        let (w, h, count) = (self.weights, self.weights.hidden, which.len());
        let first = self.parents.count;
        self.parents.count += count as u32;
        if count == 0 {
            return first;
        }
        let states: Vec<f32> = which.iter().flat_map(|&at| row(&self.states, at, h)).copied().collect();
        let states = matrix(&states, count);
        let append = |to: &mut Vec<f32>, width: usize, from: faer::MatRef<'_, f32>, by: &Weight<f32>| {
            let at = to.len();
            to.resize(at + count * width, 0.0);
            by.multiply(matrix_mut(&mut to[at..], count), Accum::Replace, from);
        };
        append(&mut self.parents.score, 4 * h, states, &w.score_parent);
        if w.state == GraphState::Recurrent {
            append(&mut self.parents.gates, 3 * h, states, &w.from_parent);
            return first;
        }
        let mut gated = Vec::new();
        append(&mut gated, 2 * h, states, &w.gate_map);
        let at = self.parents.messages.len();
        for line in gated.chunks_exact(2 * h) {
            let (gate, map) = line.split_at(h);
            let message = gate
                .iter()
                .zip(&w.gate_bias)
                .zip(map)
                .map(|((&g, &b), &m)| logicvae_gnn::fused::Real::sigmoid(g + b) * m);
            self.parents.messages.extend(message);
        }
        append(&mut self.parents.gates, 3 * h, matrix(&self.parents.messages[at..], count), &w.recurrent);
        first
    }

    /// One node's state.
    fn cell(
        &self,
        kind: u32,
        mark: u32,
        from_parent: &[f32],
        hidden: &[f32],
        sum: &[f32],
        state: &mut [f32],
    ) {
        let (w, h) = (self.weights, self.weights.hidden);
        let (mut gates, mut reset) = (vec![0.0; 3 * h], vec![0.0; h]);
        let marks = [mark];
        let features = Features { types: &[kind], marks: if self.config.marks() > 0 { &marks } else { &[] } };
        simd(
            #[inline(always)]
            || {
                features.look_up(&w.features, 0, &mut gates);
                gates.iter_mut().zip(from_parent).for_each(|(g, &p)| *g += p);
                update(&mut gates, hidden, &mut reset, state, sum, &w.input_bias, &w.recurrent_bias);
            },
        );
    }

    /// The formula that ends with a node; `None` if the nodes are no tree.
    fn formula(&self, newest: u32) -> Option<Formula> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut at = newest;
        while at != NONE {
            let (kind, before) = self.nodes[at as usize];
            nodes.push(self.weights.vocabulary.node_of(kind)?);
            at = before;
        }
        nodes.reverse();
        Formula::from_preorder(nodes).ok()
    }

    fn finish(&mut self, vector: usize, formula: Option<Formula>, choice: &Choice) {
        let decoded =
            Decoded { formula, log_probability: choice.log_probability, count: choice.draws.len().max(1) };
        self.done[vector].push(Done { decoded, first: choice.draws.first().copied().unwrap_or(0) });
    }
}

/// The results of one vector in their order.
fn gather(list: &mut Vec<Done>, decoding: Decoding) -> Vec<Decoded> {
    match decoding {
        Decoding::Beam { width } => {
            list.sort_by(|a, b| b.decoded.log_probability.total_cmp(&a.decoded.log_probability));
            list.truncate(width);
        }
        // The most frequent first; of equals that which was drawn first.
        _ => list.sort_by_key(|done| (std::cmp::Reverse(done.decoded.count), done.first)),
    }
    list.drain(..).map(|done| done.decoded).collect()
}

//! The type of the next node: `MLP([graph state; state of its parent; goal; state of START])` with one hidden
//! layer and ReLU. Goals and the state of START are optional.
//!
//! The hidden layer's product with a parent's state is computed once for all its children, and that with the
//! state of START once per tree. Since a parent belongs to one tree, the latter is added to the former.

use candle_core::{Result, Tensor};
use candle_nn::VarBuilder;
use candle_nn::ops::log_softmax;
use faer::Accum;
use logicvae_compute::{
    Buffer, Factor, Initial, Real, Weight, add_rows, add_scaled, build_weights, linear, matrix, matrix_mut,
    multiply, named_weights, row, row_mut, simd, transposed, uniform_fan_in,
};

use super::forest::{Shard, Target};
use super::goals::Goal;
use super::joined::Joined;
use super::state::summary;
use crate::config::GraphState;

named_weights! {
    /// The weights of the type network.
    pub(crate) struct TypeNetworkWeights {
        /// `[4 h, inputs]`: see [`TypeNetworkInputs`].
        hidden: "0.weight",
        /// `[4 h]`.
        hidden_bias: "0.bias",
        /// `[classes, 4 h]`.
        output: "2.weight",
        /// `[classes]`.
        output_bias: "2.bias",
    }
}

/// The inputs of the type network: the graph state, the parent's state, the goal and the state of START.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypeNetworkInputs {
    /// The width of states.
    pub hidden: usize,
    /// The number of inputs that describe a goal; 0 if the decoder is not goal-conditioned.
    pub goal: usize,
    /// Whether the state of START is an input.
    pub start: bool,
}

impl TypeNetworkInputs {
    /// The number of inputs.
    fn width(&self) -> usize {
        self.before_start() + if self.start { self.hidden } else { 0 }
    }

    /// The number of inputs before the state of START.
    fn before_start(&self) -> usize {
        2 * self.hidden + self.goal
    }
}

impl TypeNetworkWeights<Tensor> {
    pub fn build(inputs: TypeNetworkInputs, classes: usize, vb: &VarBuilder<'_>) -> Result<Self> {
        let (inputs, inner) = (inputs.width(), 4 * inputs.hidden);
        let (hidden, output) = (uniform_fan_in(inputs), uniform_fan_in(inner));
        let initial = TypeNetworkWeights {
            hidden: Initial::uniform(&[inner, inputs], hidden),
            hidden_bias: Initial::uniform(&[inner], hidden),
            output: Initial::uniform(&[classes, inner], output),
            output_bias: Initial::uniform(&[classes], output),
        };
        build_weights(&initial, vb)
    }

    /// Reference: the negative log-likelihood of each tree of a shard, in its order. `states` are those of
    /// all rows.
    pub fn reference(
        &self,
        shard: &Shard,
        state: GraphState,
        states: &Tensor,
        goals: &[Goal],
        TypeNetworkInputs { goal: goal_width, start, .. }: TypeNetworkInputs,
    ) -> Result<Tensor> {
        let device = states.device();
        let pick = |rows: Vec<u32>| states.index_select(&Tensor::new(rows, device)?, 0);
        let newest = pick(shard.targets.iter().map(|t| t.before).collect())?;
        let graph = summary::reference(shard, state, newest)?;
        let parents = pick(shard.targets.iter().map(|t| shard.parents[t.parent as usize]).collect())?;
        let mut inputs = vec![graph, parents];
        if goal_width > 0 {
            let goals = shard.goal_features::<f64>(goals, goal_width).to_vec();
            let goals = Tensor::from_vec(goals, (shard.targets.len(), goal_width), device)?;
            inputs.push(goals.to_dtype(states.dtype())?);
        }
        if start {
            let tree = |t: &Target| shard.tree_of_parent[t.parent as usize] as usize;
            inputs.push(pick(shard.targets.iter().map(|t| shard.start_rows[tree(t)]).collect())?);
        }
        let hidden = linear(&Tensor::cat(&inputs, 1)?, &self.hidden, Some(&self.hidden_bias))?.relu()?;
        let logits = linear(&hidden, &self.output, Some(&self.output_bias))?;
        let classes: Vec<u32> = shard.targets.iter().map(|t| t.class).collect();
        let classes = Tensor::new(classes, device)?.unsqueeze(1)?;
        let nll = log_softmax(&logits, 1)?.gather(&classes, 1)?.squeeze(1)?.neg()?; // [targets]
        let trees: Result<Vec<Tensor>> = shard
            .starts
            .windows(2)
            .map(|range| nll.narrow(0, range[0], range[1] - range[0])?.sum_keepdim(0))
            .collect();
        Tensor::cat(&trees?, 0)
    }
}

/// Fused: what the backward pass needs.
pub(super) struct TypeNetworkTape<T: Real> {
    /// The graph state at each target.
    graph: Buffer<T>,
    /// The states of parents.
    parents: Buffer<T>,
    /// The hidden layer at each target, after ReLU.
    hidden: Buffer<T>,
    /// The probabilities of classes at each target.
    probabilities: Buffer<T>,
    /// The goals of targets; empty if the decoder is not goal-conditioned.
    goals: Buffer<T>,
    /// The states of START; empty if they are no inputs.
    starts: Buffer<T>,
    inputs: TypeNetworkInputs,
}

/// Some rows of states in one buffer.
fn gather<T: Real>(states: &[T], rows: &[u32], width: usize) -> Buffer<T> {
    let mut gathered = Buffer::unset(rows.len() * width);
    for (to, &from) in gathered.chunks_exact_mut(width).zip(rows) {
        to.copy_from_slice(row(states, from as usize, width));
    }
    gathered
}

impl<T: Real> TypeNetworkTape<T> {
    /// Adds each tree's negative log-likelihood to `to`, in the order of the shard.
    pub fn forward(
        shard: &Shard,
        state: GraphState,
        weights: &TypeNetworkWeights<&[T]>,
        states: &[T],
        inputs: TypeNetworkInputs,
        goals: &[Goal],
        to: &mut [T],
    ) -> Self {
        let width = inputs.hidden;
        let (first, first_bias) = (weights.hidden, weights.hidden_bias);
        let (second, second_bias) = (weights.output, weights.output_bias);
        let (targets, parents, inner, classes) =
            (shard.targets.len(), shard.parents.len(), first_bias.len(), second_bias.len());
        let graph = summary::forward(shard, state, states, width);
        let parent_states = gather(states, &shard.parents, width);
        let first = matrix(first, inner);
        let mut from_parents = Buffer::unset(parents * inner);
        let by_parent = first.subcols(width, width).transpose();
        Factor::new(by_parent).multiply(
            matrix_mut(&mut from_parents, parents),
            Accum::Replace,
            matrix(&parent_states, parents),
        );
        simd(
            #[inline(always)]
            || {
                from_parents
                    .chunks_exact_mut(inner)
                    .for_each(|line| add_scaled(line, T::constant(1.0), first_bias));
            },
        );
        let mut starts = Buffer::zeros(0);
        if inputs.start {
            let trees = shard.start_rows.len();
            starts = gather(states, &shard.start_rows, width);
            let mut from_starts = Buffer::unset(trees * inner);
            let by_start = first.subcols(inputs.before_start(), width).transpose();
            let from = matrix(&starts, trees);
            Factor::new(by_start).multiply(matrix_mut(&mut from_starts, trees), Accum::Replace, from);
            for (line, &tree) in from_parents.chunks_exact_mut(inner).zip(&shard.tree_of_parent) {
                add_scaled(line, T::constant(1.0), row(&from_starts, tree as usize, inner));
            }
        }
        let mut hidden = Buffer::unset(targets * inner);
        let by_graph = first.subcols(0, width).transpose();
        Factor::new(by_graph).multiply(
            matrix_mut(&mut hidden, targets),
            Accum::Replace,
            matrix(&graph, targets),
        );
        let goal_width = inputs.goal;
        let mut goal_features = Buffer::zeros(0);
        if goal_width > 0 {
            goal_features = shard.goal_features(goals, goal_width);
            let by_goal = first.subcols(2 * width, goal_width).transpose();
            multiply(matrix_mut(&mut hidden, targets), Accum::Add, matrix(&goal_features, targets), by_goal);
        }
        simd(
            #[inline(always)]
            || {
                for (line, target) in hidden.chunks_exact_mut(inner).zip(&shard.targets) {
                    for (x, &p) in line.iter_mut().zip(row(&from_parents, target.parent as usize, inner)) {
                        let sum = *x + p;
                        *x = if sum > T::constant(0.0) { sum } else { T::constant(0.0) };
                    }
                }
            },
        );
        let mut probabilities = Buffer::unset(targets * classes);
        let by_class = matrix(second, classes).transpose();
        multiply(matrix_mut(&mut probabilities, targets), Accum::Replace, matrix(&hidden, targets), by_class);
        for (to, range) in to.iter_mut().zip(shard.starts.windows(2)) {
            for number in range[0]..range[1] {
                let logits = row_mut(&mut probabilities, number, classes);
                add_scaled(logits, T::constant(1.0), second_bias);
                *to += softmax(logits, shard.targets[number].class as usize);
            }
        }
        let goals = goal_features;
        Self { graph, parents: parent_states, hidden, probabilities, goals, starts, inputs }
    }

    /// The gradient of the states and, if wanted, those of the weights, given that of each tree's negative
    /// log-likelihood.
    pub fn backward(
        self,
        shard: &Shard,
        state: GraphState,
        weights: &TypeNetworkWeights<&[T]>,
        rows: usize,
        grad: &[T],
        weights_wanted: bool,
    ) -> (Buffer<T>, Option<TypeNetworkWeights<Vec<T>>>) {
        let Self { graph, parents: parent_states, hidden, mut probabilities, goals, starts, inputs } = self;
        let width = inputs.hidden;
        let (first, first_bias) = (weights.hidden, weights.hidden_bias);
        let (second, second_bias) = (weights.output, weights.output_bias);
        let (targets, parents, inner, classes) =
            (shard.targets.len(), shard.parents.len(), first_bias.len(), second_bias.len());
        for (range, &g) in shard.starts.windows(2).zip(grad) {
            for number in range[0]..range[1] {
                let line = row_mut(&mut probabilities, number, classes);
                line[shard.targets[number].class as usize] -= T::constant(1.0);
                line.iter_mut().for_each(|c| *c *= g);
            }
        }
        let logits = matrix(&probabilities, targets);
        let mut grad_hidden = Buffer::unset(targets * inner);
        multiply(matrix_mut(&mut grad_hidden, targets), Accum::Replace, logits, matrix(second, classes));
        let mut grad_parents = Buffer::zeros(parents * inner);
        simd(
            #[inline(always)]
            || {
                let lines = grad_hidden.chunks_exact_mut(inner).zip(hidden.chunks_exact(inner));
                for ((to, hidden), target) in lines.zip(&shard.targets) {
                    for (to, &x) in to.iter_mut().zip(hidden) {
                        *to = if x > T::constant(0.0) { *to } else { T::constant(0.0) };
                    }
                    add_scaled(
                        row_mut(&mut grad_parents, target.parent as usize, inner),
                        T::constant(1.0),
                        to,
                    );
                }
            },
        );
        let first = matrix(first, inner);
        let mut grad_graph = Buffer::unset(targets * width);
        let by_graph = Factor::new(first.subcols(0, width));
        by_graph.multiply(
            matrix_mut(&mut grad_graph, targets),
            Accum::Replace,
            matrix(&grad_hidden, targets),
        );
        let mut grad_parent_states = Buffer::unset(parents * width);
        let by_parent = Factor::new(first.subcols(width, width));
        by_parent.multiply(
            matrix_mut(&mut grad_parent_states, parents),
            Accum::Replace,
            matrix(&grad_parents, parents),
        );
        let mut out = Buffer::zeros(rows * width);
        summary::backward(shard, state, grad_graph, width, &mut out);
        for (grad, &parent) in grad_parent_states.chunks_exact(width).zip(&shard.parents) {
            add_scaled(row_mut(&mut out, parent as usize, width), T::constant(1.0), grad);
        }
        // What reaches the state of START through all parents of its tree.
        let trees = shard.start_rows.len();
        let mut grad_starts = Buffer::zeros(if inputs.start { trees * inner } else { 0 });
        if inputs.start {
            for (grad, &tree) in grad_parents.chunks_exact(inner).zip(&shard.tree_of_parent) {
                add_scaled(row_mut(&mut grad_starts, tree as usize, inner), T::constant(1.0), grad);
            }
            let mut to_states = Buffer::unset(trees * width);
            let by_start = Factor::new(first.subcols(inputs.before_start(), width));
            let to = matrix_mut(&mut to_states, trees);
            by_start.multiply(to, Accum::Replace, matrix(&grad_starts, trees));
            for (grad, &start) in to_states.chunks_exact(width).zip(&shard.start_rows) {
                add_scaled(row_mut(&mut out, start as usize, width), T::constant(1.0), grad);
            }
        }
        if !weights_wanted {
            return (out, None);
        }
        let mut to = weights.map(|weight| vec![T::constant(0.0); weight.len()]);
        let mut to_first = matrix_mut(&mut to.hidden, inner);
        let grad = matrix(&grad_hidden, targets).transpose();
        let graph = Factor::new(matrix(&graph, targets));
        graph.multiply(to_first.as_mut().subcols_mut(0, width), Accum::Add, grad);
        if !goals.is_empty() {
            let to_goals = to_first.as_mut().subcols_mut(2 * width, inputs.goal);
            multiply(to_goals, Accum::Add, grad, matrix(&goals, targets));
        }
        if inputs.start {
            let grad = matrix(&grad_starts, trees).transpose();
            let to_start = to_first.as_mut().subcols_mut(inputs.before_start(), width);
            Factor::new(matrix(&starts, trees)).multiply(to_start, Accum::Add, grad);
        }
        let grad = matrix(&grad_parents, parents).transpose();
        let parent_states = Factor::new(matrix(&parent_states, parents));
        parent_states.multiply(to_first.subcols_mut(width, width), Accum::Add, grad);
        add_rows(&mut to.hidden_bias, &grad_hidden, inner);
        let to_output = matrix_mut(&mut to.output, classes);
        multiply(to_output, Accum::Add, logits.transpose(), matrix(&hidden, targets));
        add_rows(&mut to.output_bias, &probabilities, classes);
        (out, Some(to))
    }
}

/// Turns logits into probabilities, and returns the negative logarithm of that of `class`.
fn softmax<T: Real>(logits: &mut [T], class: usize) -> T {
    let top = logits.iter().copied().fold(logits[0], Real::max);
    let of_class = logits[class] - top;
    let mut sum = T::constant(0.0);
    for x in logits.iter_mut() {
        *x = Real::exp(*x - top);
        sum += *x;
    }
    logits.iter_mut().for_each(|x| *x /= sum);
    Real::ln(sum) - of_class
}

/// Generation: the weights of the hidden layer by what they multiply. Each is stored by column, as
/// `[inputs, 4 h]`.
pub(super) struct HiddenColumns {
    /// From the graph state.
    pub by_graph: Vec<f32>,
    /// From the parent's state.
    pub by_parent: Vec<f32>,
    by_goal: Vec<f32>,
    /// From the state of START, if that is an input.
    pub by_start: Option<Vec<f32>>,
}

impl HiddenColumns {
    pub fn new(weights: &TypeNetworkWeights<Vec<f32>>, inputs: TypeNetworkInputs) -> Self {
        let h = inputs.hidden;
        let hidden = transposed(&[&weights.hidden], 4 * h);
        let (by_graph, rest) = hidden.split_at(4 * h * h);
        let (by_parent, rest) = rest.split_at(4 * h * h);
        let (by_goal, by_start) = rest.split_at(4 * h * inputs.goal);
        Self {
            by_graph: by_graph.to_vec(),
            by_parent: by_parent.to_vec(),
            by_goal: by_goal.to_vec(),
            by_start: inputs.start.then(|| by_start.to_vec()),
        }
    }
}

/// Generation: what the hidden layer of one tree adds up, besides its goal.
pub(super) struct HiddenParts<'a> {
    /// From the graph state, or from graph state and parent.
    pub newest: &'a [f32],
    /// From the parent, unless `newest` includes it.
    pub parent: Option<&'a [f32]>,
    /// The bias, and what comes from START if that is an input.
    pub tree: &'a [f32],
}

/// Generation: the rest of the network as one step computes it.
pub(super) struct TypeNetworkStep {
    /// From the goal; `None` if the decoder is not goal-conditioned.
    by_goal: Option<Joined>,
    pub hidden_bias: Vec<f32>,
    /// The width of a row of the hidden layer: see [`Joined`].
    stride: usize,
    /// `[stride, classes]`.
    output: Weight<f32>,
    output_bias: Vec<f32>,
    goal_width: usize,
}

impl TypeNetworkStep {
    pub fn new(weights: &TypeNetworkWeights<Vec<f32>>, columns: &HiddenColumns, goal_width: usize) -> Self {
        let inner = weights.hidden_bias.len();
        let by_goal = (goal_width > 0).then(|| Joined::new(&[(&columns.by_goal, inner)], goal_width));
        let stride = by_goal.as_ref().map_or(inner, |by_goal| by_goal.width);
        let classes = weights.output_bias.len();
        let mut output = transposed(&[&weights.output], classes).to_vec();
        output.resize(stride * classes, 0.0);
        Self {
            by_goal,
            hidden_bias: weights.hidden_bias.clone(),
            stride,
            output: Weight::new(output, stride),
            output_bias: weights.output_bias.clone(),
            goal_width,
        }
    }

    /// The log-probabilities of all classes for each of `count` trees. `goals` are those of all trees, if the
    /// decoder is goal-conditioned.
    pub fn log_probabilities<'a>(
        &self,
        count: usize,
        parts: impl Fn(usize) -> HiddenParts<'a>,
        goals: impl Iterator<Item = Goal>,
    ) -> Vec<f32> {
        let (inner, classes) = (self.hidden_bias.len(), self.output_bias.len());
        let mut hidden = vec![0.0; count * self.stride];
        if let Some(by_goal) = &self.by_goal {
            let mut inputs = vec![0.0; count * self.goal_width];
            inputs.chunks_exact_mut(self.goal_width).zip(goals).for_each(|(to, goal)| goal.write(to));
            by_goal.multiply(&mut hidden, &inputs);
        }
        simd(
            #[inline(always)]
            || {
                for (tree, line) in hidden.chunks_exact_mut(self.stride).enumerate() {
                    let (line, parts) = (&mut line[..inner], parts(tree));
                    if let Some(parent) = parts.parent {
                        add_scaled(line, 1.0, &parent[..inner]);
                    }
                    for ((x, &n), &t) in line.iter_mut().zip(&parts.newest[..inner]).zip(&parts.tree[..inner])
                    {
                        let sum = *x + n + t;
                        *x = if sum > 0.0 { sum } else { 0.0 };
                    }
                }
            },
        );
        let mut logits = vec![0.0; count * classes];
        self.output.multiply(matrix_mut(&mut logits, count), Accum::Replace, matrix(&hidden, count));
        for line in logits.chunks_exact_mut(classes) {
            line.iter_mut().zip(&self.output_bias).for_each(|(x, b)| *x += b);
            to_log_softmax(line);
        }
        logits
    }
}

/// Turns logits into log-probabilities.
fn to_log_softmax(logits: &mut [f32]) {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|&x| (x - top).exp()).sum();
    let shift = top + sum.ln();
    logits.iter_mut().for_each(|x| *x -= shift);
}

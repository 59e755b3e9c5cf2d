//! Algorithm 1: grow a tree from the root, where each node is an operator or, with probability `p_leaf`, a
//! variable.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::params::{SampleError, SamplerParams};
use super::probabilities::{DistributionTable, NodeDistribution, unconditioned};
use crate::formula::Formula;
use crate::node::{AND, NOT, OR, VAR};
use crate::random::uniform;
use crate::tree::close_slot;

/// The number of trees drawn for one formula before the settings are reported as too strict.
const MAX_ATTEMPTS: u32 = 1_000_000;

/// Samples formulae by the paper's Algorithm 1, conditioned on the limits. Created by
/// [`SamplerParams::check`].
///
/// The root is an operator. Every other node is a variable with probability `p_leaf`, and otherwise `!`, `&`
/// or `|`, with equal probability unless the settings have weights. Formula number `index` of a seed depends
/// only on the seed and the index, so any thread can draw any part of the sequence.
pub struct Sampler {
    params: SamplerParams,
    distributions: Option<DistributionTable>,
}

impl Sampler {
    pub(super) fn new(params: SamplerParams) -> Self {
        Self { params, distributions: DistributionTable::new(&params) }
    }

    /// The settings.
    pub fn params(&self) -> &SamplerParams {
        &self.params
    }

    /// Formula number `index` of the sequence of `seed`.
    pub fn sample(&self, seed: u64, index: u64) -> Result<Formula, SampleError> {
        self.sample_with(&mut Scratch::default(), seed, index)
    }

    /// Like [`sample`](Self::sample), with reusable buffers.
    pub(super) fn sample_with(
        &self,
        scratch: &mut Scratch,
        seed: u64,
        index: u64,
    ) -> Result<Formula, SampleError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(index);
        for _ in 0..MAX_ATTEMPTS {
            if self.grow(&mut rng, scratch) {
                return Ok(Formula::from_codes(&scratch.codes[..]));
            }
        }
        Err(SampleError::TooStrict { attempts: MAX_ATTEMPTS })
    }

    /// Draws one tree into `scratch`. Returns false if it violates a limit.
    fn grow(&self, rng: &mut ChaCha8Rng, scratch: &mut Scratch) -> bool {
        let params = &self.params;
        let Scratch { codes, order } = scratch;
        codes.clear();
        let mut variables = Variables::new(params.variables, params.all_variables, order);
        let mut depth = params.max_depth.map(DepthLimit::new);
        let (mut open, mut left) = (1usize, params.max_nodes);
        while open > 0 {
            if open > left {
                return false;
            }
            let root = codes.is_empty();
            let node = match &self.distributions {
                Some(table) if root => *table.root(),
                Some(table) => *table.get(open, left, variables.unseen),
                None => unconditioned(params, root, variables.unseen),
            };
            let draw = uniform(rng);
            let (code, children) = if draw < node.leaf {
                (VAR + variables.draw(draw, &node), 0)
            } else if draw < node.not {
                (NOT, 1)
            } else {
                (if draw < node.and { AND } else { OR }, 2)
            };
            codes.push(code);
            open = open - 1 + children;
            left -= 1;
            if depth.as_mut().is_some_and(|d| !d.add_node(children)) {
                return false;
            }
        }
        variables.unseen == 0
    }
}

/// Reusable buffers of one thread.
#[derive(Default)]
pub(super) struct Scratch {
    codes: Vec<u32>,
    order: Vec<u32>,
}

/// The variables, those that have not occurred yet first.
struct Variables<'a> {
    count: u32,
    /// Empty if not all variables are required.
    order: &'a mut Vec<u32>,
    unseen: usize,
}

impl<'a> Variables<'a> {
    fn new(count: u32, all: bool, order: &'a mut Vec<u32>) -> Self {
        order.clear();
        if all {
            order.extend(1..=count);
        }
        Self { count, unseen: order.len(), order }
    }

    /// The index of the variable selected by a draw below `node.leaf`. Given its outcome, the draw is
    /// uniform within that outcome's interval, so its position there selects the variable.
    fn draw(&mut self, draw: f64, node: &NodeDistribution) -> u32 {
        let pick = |from: f64, to: f64, count: usize| {
            (((draw - from) / (to - from) * count as f64) as usize).min(count - 1)
        };
        if self.order.is_empty() {
            return 1 + pick(0.0, node.leaf, self.count as usize) as u32;
        }
        if draw >= node.new_leaf {
            return self.order[self.unseen + pick(node.new_leaf, node.leaf, self.order.len() - self.unseen)];
        }
        let at = pick(0.0, node.new_leaf, self.unseen);
        self.unseen -= 1;
        self.order.swap(at, self.unseen);
        self.order[self.unseen]
    }
}

/// Tracks the depth of a tree that is drawn in preorder.
struct DepthLimit {
    limit: usize,
    /// For every ancestor of the next node, the number of its children still to be drawn.
    open: Vec<u8>,
}

impl DepthLimit {
    fn new(limit: usize) -> Self {
        Self { limit, open: Vec::new() }
    }

    /// Adds the next node. Returns false if its children would be too deep.
    fn add_node(&mut self, children: usize) -> bool {
        match children {
            0 => close_slot(&mut self.open, |left| left),
            _ => self.open.push(children as u8),
        }
        self.open.len() <= self.limit
    }
}

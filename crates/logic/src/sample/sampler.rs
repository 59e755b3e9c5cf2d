//! Algorithm 1: grow a tree from the root, each node an operator or, with probability `p_leaf`, a variable.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::chances::{Chances, Outcomes, unconditioned};
use super::params::{SampleError, SamplerParams};
use crate::formula::Formula;
use crate::node::{AND, NOT, OR, VAR};
use crate::random::uniform;
use crate::tree::close_slot;

/// Trees tried for one formula before the settings are called too strict.
const MAX_ATTEMPTS: u32 = 1_000_000;

/// Draws formulae by the paper's Algorithm 1, conditioned on its limits. Made by [`SamplerParams::check`].
///
/// The root is an operator; every other node is a variable with probability `p_leaf`, and otherwise `!`, `&` or `|`,
/// equally likely. Formula number `index` of a seed is a function of the two alone, so any number of threads may draw
/// any part of the sequence.
pub struct Sampler {
    params: SamplerParams,
    chances: Option<Chances>,
}

impl Sampler {
    pub(super) fn new(params: SamplerParams) -> Self {
        Self { params, chances: Chances::new(&params) }
    }

    /// The settings.
    pub fn params(&self) -> &SamplerParams {
        &self.params
    }

    /// Formula number `index` of the sequence that belongs to `seed`.
    pub fn sample(&self, seed: u64, index: u64) -> Result<Formula, SampleError> {
        self.sample_with(&mut Scratch::default(), seed, index)
    }

    /// As [`sample`](Self::sample), with buffers that can be used again.
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

    /// Draws one tree; false if it breaks a limit.
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
            let outcomes = match &self.chances {
                Some(chances) if root => *chances.root(),
                Some(chances) => *chances.get(open, left, variables.unseen),
                None => unconditioned(params, root, variables.unseen),
            };
            let draw = uniform(rng);
            let (code, children) = if draw < outcomes.leaf {
                (VAR + variables.draw(draw, &outcomes), 0)
            } else if draw < outcomes.not {
                (NOT, 1)
            } else {
                (if draw < outcomes.and { AND } else { OR }, 2)
            };
            codes.push(code);
            open = open - 1 + children;
            left -= 1;
            if depth.as_mut().is_some_and(|d| !d.place(children)) {
                return false;
            }
        }
        variables.unseen == 0
    }
}

/// Buffers of one thread.
#[derive(Default)]
pub(super) struct Scratch {
    codes: Vec<u32>,
    order: Vec<u32>,
}

/// Variables in an order in which those that have not occurred stand first.
struct Variables<'a> {
    count: u32,
    /// Empty if it does not matter which ones occur.
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

    /// The index of the variable that a draw below `outcomes.leaf` stands for: where it lies within its outcome is
    /// uniform too, and picks one.
    fn draw(&mut self, draw: f64, outcomes: &Outcomes) -> u32 {
        let pick = |from: f64, to: f64, count: usize| {
            (((draw - from) / (to - from) * count as f64) as usize).min(count - 1)
        };
        if self.order.is_empty() {
            return 1 + pick(0.0, outcomes.leaf, self.count as usize) as u32;
        }
        if draw >= outcomes.new_leaf {
            return self.order
                [self.unseen + pick(outcomes.new_leaf, outcomes.leaf, self.order.len() - self.unseen)];
        }
        let at = pick(0.0, outcomes.new_leaf, self.unseen);
        self.unseen -= 1;
        self.order.swap(at, self.unseen);
        self.order[self.unseen]
    }
}

/// Follows the depth of a tree drawn in preorder.
struct DepthLimit {
    limit: usize,
    /// Children still to come, of every ancestor of the next node.
    open: Vec<u8>,
}

impl DepthLimit {
    fn new(limit: usize) -> Self {
        Self { limit, open: Vec::new() }
    }

    /// Takes in the next node; false if its children would be too deep.
    fn place(&mut self, children: usize) -> bool {
        match children {
            0 => close_slot(&mut self.open, |left| left),
            _ => self.open.push(children as u8),
        }
        self.open.len() <= self.limit
    }
}

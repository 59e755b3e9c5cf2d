//! Algorithm 1: grow a tree from the root, each node an operator or, with probability `p_leaf`, a variable.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::chances::{Chances, weights};
use super::params::{SampleError, SamplerParams};
use crate::formula::Formula;
use crate::node::{AND, NOT, OR, VAR};
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
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(index);
        let mut codes = Vec::with_capacity(self.params.max_nodes.min(64));
        for _ in 0..MAX_ATTEMPTS {
            if self.grow(&mut rng, &mut codes) {
                return Ok(Formula::from_codes(&codes[..]));
            }
        }
        Err(SampleError::TooStrict { attempts: MAX_ATTEMPTS })
    }

    /// Draws one tree; false if it breaks a limit.
    fn grow(&self, rng: &mut ChaCha8Rng, codes: &mut Vec<u32>) -> bool {
        let params = &self.params;
        let mut variables = Variables::new(params.variables, params.all_variables);
        let mut depth = params.max_depth.map(DepthLimit::new);
        let (mut open, mut left) = (1usize, params.max_nodes);
        codes.clear();
        while open > 0 {
            if open > left {
                return false;
            }
            let mut w = weights(params, self.chances.as_ref(), open, left, variables.unseen);
            if codes.is_empty() {
                (w.unseen_leaf, w.seen_leaf) = (0.0, 0.0); // the root is an operator
            }
            let (new, leaf) = (w.unseen_leaf, w.unseen_leaf + w.seen_leaf);
            let (unary, total) = (leaf + w.not, leaf + w.not + w.binary);
            // Rounding could give `total` itself, which belongs to no outcome.
            let draw = (unit(rng) * total).min(total.next_down());
            let (code, children) = if draw < leaf {
                (VAR + variables.draw(rng, draw < new), 0)
            } else if draw < unary {
                (NOT, 1)
            } else {
                (if draw < unary + w.binary / 2.0 { AND } else { OR }, 2)
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

/// Uniform in [0, 1), 53 bits.
fn unit(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Uniform in `0..bound`, by multiplication, without bias.
fn below(rng: &mut ChaCha8Rng, bound: u32) -> u32 {
    loop {
        let product = u64::from(rng.next_u32()) * u64::from(bound);
        if product as u32 >= bound.wrapping_neg() % bound {
            return (product >> 32) as u32;
        }
    }
}

/// Variables in an order in which those that have not occurred stand first.
struct Variables {
    count: u32,
    /// Empty if it does not matter which ones occur.
    order: Vec<u32>,
    unseen: usize,
}

impl Variables {
    fn new(count: u32, all: bool) -> Self {
        let order: Vec<u32> = if all { (1..=count).collect() } else { Vec::new() };
        Self { count, unseen: order.len(), order }
    }

    /// The index of a variable drawn from those that have not occurred, or from those that have.
    fn draw(&mut self, rng: &mut ChaCha8Rng, new: bool) -> u32 {
        if self.order.is_empty() {
            return 1 + below(rng, self.count);
        }
        if !new {
            return self.order[self.unseen + below(rng, self.count - self.unseen as u32) as usize];
        }
        let at = below(rng, self.unseen as u32) as usize;
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

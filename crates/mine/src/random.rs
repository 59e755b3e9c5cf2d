//! Random choices, from one generator per task.

use logicvae_logic::{mix64, uniform};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The generator of one task: it depends on the seed and the task's numbers only.
pub(crate) fn generator(seed: u64, task: u64, number: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(mix64(mix64(seed).wrapping_add(task)).wrapping_add(mix64(number)))
}

/// A number below `count`, which must not be 0.
pub(crate) fn below(rng: &mut ChaCha8Rng, count: usize) -> usize {
    ((uniform(rng) * count as f64) as usize).min(count.saturating_sub(1))
}

/// A number from the exponential distribution.
pub(crate) fn exponential(rng: &mut ChaCha8Rng) -> f64 {
    -(1.0 - uniform(rng)).ln()
}

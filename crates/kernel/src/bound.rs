//! What drawing assignments costs: Hoeffding's inequality over all pairs.
//!
//! A Monte Carlo kernel value is the mean of m independent numbers in [-1, 1], so it is off by ε or more with
//! probability at most 2·exp(-m·ε²/2). Over P pairs at once, at most 2·P·exp(-m·ε²/2).

use crate::error::KernelError;

fn probability(name: &'static str, value: f64) -> Result<f64, KernelError> {
    if value > 0.0 && value < 1.0 { Ok(value) } else { Err(KernelError::Probability { name, value }) }
}

/// The number of samples for which, with probability at least 1 - δ, every one of `pairs` kernel values is off by less
/// than ε.
///
/// ```
/// // All pairs among 5,000 formulae, to 0.05, in 99 of 100 cases:
/// let pairs = 5000 * 4999 / 2;
/// assert_eq!(logicvae_kernel::samples_for(0.05, 0.01, pairs)?, 17_312);
/// # Ok::<(), logicvae_kernel::KernelError>(())
/// ```
pub fn samples_for(epsilon: f64, delta: f64, pairs: u64) -> Result<u64, KernelError> {
    let (epsilon, delta) = (probability("epsilon", epsilon)?, probability("delta", delta)?);
    Ok((2.0 / (epsilon * epsilon) * (2.0 * pairs.max(1) as f64 / delta).ln()).ceil() as u64)
}

/// The error that `samples` assignments promise: with probability at least 1 - δ, every one of `pairs` kernel values is
/// off by less than this.
pub fn error_bound(samples: u64, delta: f64, pairs: u64) -> Result<f64, KernelError> {
    let delta = probability("delta", delta)?;
    Ok((2.0 * (2.0 * pairs.max(1) as f64 / delta).ln() / samples.max(1) as f64).sqrt())
}

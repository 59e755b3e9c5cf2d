//! The accuracy of a kernel estimated from random assignments, by Hoeffding's inequality and a union bound.
//!
//! A Monte Carlo kernel value is the mean of m independent numbers in [-1, 1], so its error is at least ε
//! with probability at most 2·exp(-m·ε²/2). For P pairs together, the probability that any error is at least
//! ε is at most 2·P·exp(-m·ε²/2).

use crate::error::KernelError;

fn probability(name: &'static str, value: f64) -> Result<f64, KernelError> {
    if value > 0.0 && value < 1.0 { Ok(value) } else { Err(KernelError::Probability { name, value }) }
}

/// The number of samples needed so that, with probability at least 1 - δ, the errors of all `pairs` kernel
/// values are below ε.
///
/// ```
/// // All pairs of 5,000 formulae, to within 0.05, with probability 99 %:
/// let pairs = 5000 * 4999 / 2;
/// assert_eq!(logicvae_kernel::samples_for(0.05, 0.01, pairs)?, 17_312);
/// # Ok::<(), logicvae_kernel::KernelError>(())
/// ```
pub fn samples_for(epsilon: f64, delta: f64, pairs: u64) -> Result<u64, KernelError> {
    let (epsilon, delta) = (probability("epsilon", epsilon)?, probability("delta", delta)?);
    Ok((2.0 / (epsilon * epsilon) * (2.0 * pairs.max(1) as f64 / delta).ln()).ceil() as u64)
}

/// The error bound for this number of samples: with probability at least 1 - δ, the errors of all `pairs`
/// kernel values are below it.
pub fn error_bound(samples: u64, delta: f64, pairs: u64) -> Result<f64, KernelError> {
    let delta = probability("delta", delta)?;
    Ok((2.0 * (2.0 * pairs.max(1) as f64 / delta).ln() / samples.max(1) as f64).sqrt())
}

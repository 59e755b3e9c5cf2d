//! The domain of the kernel: the assignments at which formulae are compared, and their weights.

use logicvae_logic::{Assignment, Assignments, BitMatrix, Formula};

use crate::error::KernelError;

/// The assignments at which formulae are compared, with optional weights.
///
/// ```
/// use logicvae_kernel::Domain;
/// assert_eq!(Domain::exact(5)?.len(), 32);
/// assert_eq!(Domain::monte_carlo(40, 1000, 7)?.len(), 1000);
/// # Ok::<(), logicvae_kernel::KernelError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    assignments: Assignments,
    /// Weights that sum to 1; `None` for equal weights.
    weights: Option<Vec<f64>>,
}

impl Domain {
    /// All 2ⁿ assignments: the kernel is exact. Fast up to 20 variables, possible up to 26.
    pub fn exact(variables: usize) -> Result<Self, KernelError> {
        Ok(Self { assignments: Assignments::all(variables)?, weights: None })
    }

    /// Draws `samples` assignments uniformly. [`error_bound`](crate::error_bound) bounds the resulting error.
    pub fn monte_carlo(variables: usize, samples: usize, seed: u64) -> Result<Self, KernelError> {
        Ok(Self { assignments: Assignments::uniform(variables, samples, seed)?, weights: None })
    }

    /// The given assignments, such as rows of observed data.
    pub fn observed(rows: &[Assignment]) -> Result<Self, KernelError> {
        Ok(Self { assignments: Assignments::observed(rows)?, weights: None })
    }

    /// The same assignments with these weights. They are scaled to sum to 1.
    pub fn weighted(self, weights: &[f64]) -> Result<Self, KernelError> {
        if weights.len() != self.len() {
            return Err(KernelError::WeightCount { weights: weights.len(), assignments: self.len() });
        }
        if let Some(bad) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
            return Err(KernelError::Weight { position: bad + 1, value: weights[bad] });
        }
        let largest = weights.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            return Err(KernelError::Weight { position: 1, value: weights[0] });
        }
        // Divide by the largest weight first, since the sum of large weights could overflow.
        let scaled: Vec<f64> = weights.iter().map(|w| w / largest).collect();
        let sum: f64 = scaled.iter().sum();
        Ok(Self { weights: Some(scaled.into_iter().map(|w| w / sum).collect()), ..self })
    }

    /// A domain read from a file, whose weights are already scaled.
    pub(crate) fn from_scaled(assignments: Assignments, weights: Option<Vec<f64>>) -> Self {
        Self { assignments, weights }
    }

    /// The assignments.
    pub fn assignments(&self) -> &Assignments {
        &self.assignments
    }

    /// The weight of each assignment, if they are not all equal. Weights sum to 1.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.assignments.variables()
    }

    /// The number of assignments.
    pub fn len(&self) -> usize {
        self.assignments.len()
    }

    /// Always false: there is at least one assignment.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Evaluates formulae at the assignments: one row for each formula.
    pub fn values(&self, formulae: &[Formula]) -> Result<BitMatrix, KernelError> {
        Ok(self.assignments.evaluate(formulae)?)
    }
}

//! The forms of the kernel: maps from the plain kernel value to a similarity.

use serde::{Deserialize, Serialize};

use crate::error::{KernelError, MAX_SIGMA2};

/// The form of the similarity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Form {
    /// k = the mean of φ(τ)·ψ(τ), in [-1, 1]: 1 for equivalent formulae, 0.8 for 90 % agreement, -1 for a
    /// formula and its negation.
    Plain,
    /// exp(-(1 - k) / σ²), in (0, 1]: the form of the paper's results, with σ² = 0.44.
    Gaussian {
        /// The width σ².
        sigma2: f64,
    },
    /// (k + 1) / 2, the fraction of assignments at which both formulae agree. The paper calls it 'Jaccard'.
    Agreement,
}

/// The σ² that reproduces the paper's kernel values and distances.
pub const PAPER_SIGMA2: f64 = 0.44;

impl Form {
    /// Validates the width.
    pub fn check(self) -> Result<Self, KernelError> {
        match self {
            Self::Gaussian { sigma2 } if !(sigma2 > 0.0 && sigma2 <= MAX_SIGMA2) => {
                Err(KernelError::Sigma(sigma2))
            }
            other => Ok(other),
        }
    }

    /// Maps a plain kernel value to this form.
    ///
    /// ```
    /// use logicvae_kernel::Form;
    /// assert_eq!(Form::Agreement.apply(0.8), 0.9);
    /// assert_eq!(Form::Gaussian { sigma2: 0.44 }.apply(1.0), 1.0);
    /// ```
    pub fn apply(self, plain: f64) -> f64 {
        match self {
            Self::Plain => plain,
            Self::Gaussian { sigma2 } => (-(1.0 - plain) / sigma2).exp(),
            Self::Agreement => (plain + 1.0) / 2.0,
        }
    }

    /// The similarity for each possible number of differing assignments, from 0 to `assignments`.
    pub(crate) fn table(self, assignments: usize) -> Vec<f64> {
        let m = assignments as i64;
        (0..=m).map(|differ| self.apply((m - 2 * differ) as f64 / m as f64)).collect()
    }
}

//! The identity k = 2·agreement - 1, and how the true Jaccard index compares with both.

use super::paper_formulae;
use crate::domain::Domain;
use crate::error::KernelError;
use crate::form::Form;
use crate::gram::{Kernel, jaccard};

/// Three similarities of one pair of formulae.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgreementPair {
    /// The plain kernel.
    pub kernel: f64,
    /// The fraction of assignments at which both formulae agree, counted one by one.
    pub agreement: f64,
    /// The Jaccard index of the sets of satisfying assignments.
    pub jaccard: f64,
}

/// Compares consecutive formulae of a list of `pairs` + 1 random ones. The agreement is counted over the
/// assignments, not derived from the kernel.
pub fn agreement(variables: u32, pairs: usize, seed: u64) -> Result<Vec<AgreementPair>, KernelError> {
    let formulae = paper_formulae(variables, pairs + 1, seed)?;
    let domain = Domain::exact(variables as usize)?;
    let values = domain.values(&formulae)?;
    let kernel = Kernel::new(domain.clone(), Form::Plain)?;
    let pair = |i: usize| {
        let agree = (0..values.bits()).filter(|&bit| values.get(i, bit) == values.get(i + 1, bit)).count();
        Ok(AgreementPair {
            kernel: kernel.value(&formulae[i], &formulae[i + 1])?,
            agreement: agree as f64 / values.bits() as f64,
            jaccard: jaccard(&domain, &formulae[i], &formulae[i + 1])?,
        })
    };
    (0..pairs).map(pair).collect()
}

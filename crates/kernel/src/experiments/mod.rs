//! The kernel experiments of the paper's appendix B, as functions that return their data.

mod agreement;
mod classification;
mod correlation;
mod pool;
mod variance;

pub use agreement::{AgreementPair, agreement};
pub use classification::{Accuracy, ClassificationParams, classification};
pub use correlation::{Correlation, correlation};
pub use pool::{PoolStatistics, pool_statistics};
pub use variance::{VarianceCurve, variance};

use logicvae_logic::{Formula, SamplerParams};

use crate::error::KernelError;

/// Samples `count` distinct formulae with the limits of the paper's data sets: every variable occurs, and
/// there are at most 4n + 2 nodes.
fn paper_formulae(variables: u32, count: usize, seed: u64) -> Result<Vec<Formula>, KernelError> {
    let max_nodes = 4 * variables as usize + 2;
    let params = SamplerParams { max_nodes, all_variables: true, ..SamplerParams::new(variables) };
    Ok(params.check()?.distinct(seed, count)?)
}

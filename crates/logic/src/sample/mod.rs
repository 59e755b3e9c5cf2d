//! Random formulae by Algorithm 1 of the paper, and data sets of them.

mod dataset;
mod distinct;
mod exhaustive;
mod form;
mod general;
mod params;
mod probabilities;
mod sampler;

pub use dataset::{Dataset, DatasetSpec, Split};
pub use exhaustive::all_formulae;
pub use form::{FormulaForm, VariableNames};
pub use general::{FormulaKind, GeneralSampler};
pub use params::{OperatorWeights, SampleError, SamplerParams};
pub use sampler::Sampler;

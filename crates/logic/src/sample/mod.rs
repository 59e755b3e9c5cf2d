//! Random formulae by Algorithm 1 of the paper, and data sets of them.

mod dataset;
mod distinct;
mod exhaustive;
mod general;
mod params;
mod probabilities;
mod sampler;

pub use dataset::{Dataset, DatasetSpec, Split};
pub use exhaustive::all_formulae;
pub use general::{FormulaKind, GeneralSampler};
pub use params::{SampleError, SamplerParams};
pub use sampler::Sampler;

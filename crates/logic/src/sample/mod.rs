//! Random formulae: Algorithm 1 of the paper, and the datasets made with it.

mod chances;
mod dataset;
mod distinct;
mod params;
mod sampler;

pub use dataset::{Dataset, DatasetSpec, Split};
pub use params::{SampleError, SamplerParams};
pub use sampler::Sampler;

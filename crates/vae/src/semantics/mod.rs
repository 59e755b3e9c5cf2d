//! The meaning of formulae as vectors: what conditional models are conditioned on.

mod condition;
mod differentiable;
mod embedding;
pub mod fuzzy;
mod table_probe;

pub use condition::{Condition, Conditions};
pub use differentiable::DifferentiableEmbedding;
pub use embedding::fit_embedding;
pub(crate) use embedding::{SAMPLED_ASSIGNMENTS, semantic_vectors};
pub(crate) use table_probe::{PREFIX as PROBE_PREFIX, TableProbe};

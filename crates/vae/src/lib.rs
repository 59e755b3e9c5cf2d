//! LogicVAE: variational autoencoders of logical formulae, their training and their metrics.
//!
//! [`Model::load`] opens a trained model. [`Model::encode`] turns formulae into latent vectors, and
//! [`Model::decode`] turns latent vectors into formulae. A conditional model can also be asked for a meaning:
//! see [`Condition`].
//!
//! A [`Config`] (from [`Config::preset`] or a file) describes an experiment, a [`Trainer`] runs it, and a
//! [`Run`] is its folder.
//!
//! What is not here: printing, progress bars, figures. An [`Observer`] receives what happens during training.

#![forbid(unsafe_code)]

#[cfg(feature = "built-in")]
mod built_in;
mod config;
mod decoder;
mod error;
mod interpolate;
pub mod leaves;
pub mod metrics;
mod model;
mod random;
mod run;
mod semantics;
mod shape;
mod train;
mod walk;

/// Compiles the example of the README as a doctest.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use config::{
    Children, Config, ContextConfig, DataConfig, Decay, EncoderChoice, GraphState, ModelConfig, Prior, Task,
    TrainingConfig,
};
pub use decoder::generate::{Decoded, Decoding};
pub use error::VaeError;
pub use interpolate::{arc, great_circle, line, nearest, plane};
pub use model::{Batch, Codes, Expressed, Gaussian, Loss, Model, Refined, Refinement};
pub use run::{Export, Lock, MetricsLine, MetricsLog, Run, Start, Weights};
pub use semantics::{Condition, Conditions, DifferentiableEmbedding, fit_embedding, fuzzy};
pub use shape::{leaf_indices, shape};
pub use train::{
    Best, Checkpoint, EpochReport, Learner, LossTerms, Observer, Outcome, StepReport, StopReason, Trainer,
    Validation, trained_formulae,
};

//! LogicVAE itself: variational autoencoders of formulae, their training and their measures.
//!
//! A [`Config`] (from [`Config::preset`] or a file) makes a [`Model`]; a [`Trainer`] trains it. [`Model::posterior`] goes from
//! formulae to latent vectors, [`Model::decode`] back.
//!
//! What is not here: paths and printing. Checkpoints are bytes, and an [`Observer`] decides where they go.

mod config;
mod context;
pub mod decode;
mod decoder;
mod error;
pub mod hierarchy;
mod latent;
pub mod measures;
mod model;
mod random;
mod readout;
mod refine;
mod training;

pub use config::{
    Children, Config, ContextConfig, DataConfig, Decay, EncoderChoice, GraphState, ModelConfig, Prior, Task,
    TrainingConfig,
};
pub use context::{context_of, fit_context};
pub use decode::{Decoded, Decoding};
pub use error::VaeError;
pub use latent::{arc, great_circle, line, nearest, plane};
pub use model::{Batch, Gaussian, Loss, Model};
pub use refine::{Refined, Refinement};
pub use training::{
    Adam, Best, Checkpoint, EpochReport, Learner, Observer, Outcome, StepReport, StepSize, StopReason,
    Trainer, Validation, trained_formulae,
};

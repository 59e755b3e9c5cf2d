//! What can go wrong.

use logicvae_gnn::GraphError;
use logicvae_kernel::KernelError;
use logicvae_logic::SampleError;
use thiserror::Error;

/// An error of this crate: bad input or settings, or a failure of the libraries below.
#[derive(Debug, Error)]
pub enum VaeError {
    /// Settings that cannot be read.
    #[error("the settings cannot be read: {0}")]
    Config(String),
    /// A setting that makes no sense, by itself or with others.
    #[error("{setting}: {reason}")]
    Setting {
        /// Its name.
        setting: String,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// Input that does not fit the model.
    #[error("{0}")]
    Input(String),
    /// A checkpoint that is damaged, or of another run.
    #[error("{0}")]
    Checkpoint(String),
    /// The loss is no number any more.
    #[error(
        "the loss is {loss} after {step} steps: training has diverged; try a lower learning rate or a smaller clip"
    )]
    Diverged {
        /// The loss.
        loss: f64,
        /// The number of steps so far.
        step: u64,
    },
    /// A graph or a setting that the encoder refuses.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The semantic embedding failed.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// Formulae could not be drawn.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The tensor library failed.
    #[error(transparent)]
    Tensor(#[from] candle_core::Error),
}

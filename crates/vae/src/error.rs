//! The crate's error type.

use std::io;
use std::path::PathBuf;

use logicvae_compute::ComputeError;
use logicvae_gnn::GraphError;
use logicvae_kernel::KernelError;
use logicvae_logic::{ReadError, SampleError};
use thiserror::Error;

/// An error of this crate: invalid input, settings or files, or a failure of the libraries below.
#[derive(Debug, Error)]
pub enum VaeError {
    /// Settings that cannot be parsed.
    #[error("the settings cannot be read: {0}")]
    Config(String),
    /// An invalid setting, or one that contradicts another.
    #[error("{setting}: {reason}")]
    Setting {
        /// Its name.
        setting: String,
        /// What is wrong and how to fix it.
        reason: String,
    },
    /// Input that does not suit the model.
    #[error("{0}")]
    Input(String),
    /// A checkpoint that is damaged or belongs to another run.
    #[error("{0}")]
    Checkpoint(String),
    /// A run folder that cannot be used.
    #[error("{0}")]
    Run(String),
    /// A file of a run folder with invalid content.
    #[error("{path}: {error}")]
    Content {
        /// The file.
        path: String,
        /// What is wrong with it.
        error: Box<VaeError>,
    },
    /// A file that cannot be read or written.
    #[error("cannot {action} {}", path.display())]
    File {
        /// `read`, `write` and so on.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// The loss is not a finite number.
    #[error(
        "the loss is {loss} after {step} steps: training has diverged; try a lower learning rate or a \
         smaller clip"
    )]
    Diverged {
        /// The loss.
        loss: f64,
        /// The number of steps so far.
        step: u64,
    },
    /// A graph or a setting that the encoder rejects.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The numerics layer failed.
    #[error(transparent)]
    Compute(#[from] ComputeError),
    /// The semantic embedding failed.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// Formulae could not be sampled.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// A file of formulae that cannot be read.
    #[error(transparent)]
    Formulae(#[from] ReadError),
    /// The tensor library failed.
    #[error(transparent)]
    Tensor(candle_core::Error),
}

impl From<candle_core::Error> for VaeError {
    fn from(error: candle_core::Error) -> Self {
        Self::Tensor(logicvae_compute::plain(error))
    }
}

impl VaeError {
    /// Names the file or folder in which an error occurred.
    pub(crate) fn within(self, path: impl Into<String>) -> Self {
        Self::Content { path: path.into(), error: Box::new(self) }
    }
}

//! Run folders: everything that belongs to one training.
//!
//! | file | content |
//! |---|---|
//! | `config.toml` | all settings |
//! | `run.json` | the name and the checksums of the data, versions |
//! | `train.txt`, `valid.txt`, `test.txt` | the formulae; there is no `train.txt` if they are sampled fresh |
//! | `unseen.txt` | more test formulae, if `test.txt` can contain training formulae |
//! | `context.bin` | the semantic embedding of a conditional model |
//! | `metrics.jsonl`, `loss.svg` | one line per epoch, and the loss curves |
//! | `last.state`, `last-CHECKSUM.safetensors` | the last checkpoint |
//! | `best.safetensors` | the weights of the best validation |
//! | `model.safetensors` | the weights of an export, which has no checkpoints |
//!
//! The state names its weights by checksum and is written after them. A training that is killed at any moment
//! therefore leaves a complete pair.

mod create;
mod export;
mod files;
mod lock;
mod metrics_log;
mod open;
mod save;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use create::Start;
pub use export::Export;
pub use lock::Lock;
pub use metrics_log::{MetricsLine, MetricsLog};

use crate::config::Config;

/// The version of the folder layout.
const FORMAT: u32 = 1;

/// A run's folder with its settings. Nothing else is read until it is needed.
pub struct Run {
    /// The folder.
    pub folder: PathBuf,
    /// The settings.
    pub config: Config,
    about: About,
}

/// Which weights of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weights {
    /// Those of the last checkpoint.
    #[default]
    Last,
    /// Those of the best validation.
    Best,
}

/// The content of `run.json`.
#[derive(Clone, Serialize, Deserialize)]
struct About {
    /// The version of the layout.
    format: u32,
    /// The version of the program that wrote it.
    version: String,
    /// The name of the data: a preset or a file.
    data: String,
    /// CRC-32 of each set of formulae, as text.
    checksums: Checksums,
    /// The run whose weights it started from, if any: its name and the CRC-32 of the weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// Only in an export.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    export: Option<ExportRecord>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Checksums {
    train: String,
    valid: String,
    test: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unseen: Option<String>,
    /// CRC-32 of the semantic embedding's file. Runs of the first release do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<String>,
}

/// What an export has instead of checkpoints.
#[derive(Clone, Serialize, Deserialize)]
struct ExportRecord {
    /// The number of epochs that the run had finished.
    epochs: usize,
    /// CRC-32 of the weights.
    weights: String,
}

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
//! | `manifest.json` | every file above but `loss.svg`, with its length and its SHA-256 |
//!
//! A file is compared with the manifest when it is read, and only then. The state names its weights by
//! checksum and is written after them, and the manifest lists new content before it is written. A training
//! that is killed at any moment therefore leaves a complete pair and a folder that can be read.
//!
//! Folders of the first layout have no manifest. They stay readable, but only their formulae, the last
//! checkpoint and exported weights have a checksum (CRC-32): changes of other files go unnoticed. Resuming
//! such a run gives it a manifest.

mod create;
mod export;
mod files;
mod lock;
mod manifest;
mod metrics_log;
mod open;
mod replace;
mod save;
mod store;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use create::Start;
pub use export::Export;
pub use lock::Lock;
pub use metrics_log::{MetricsLine, MetricsLog};

use self::store::Store;
use crate::config::Config;
use crate::error::VaeError;

/// The version of the folder layout.
const FORMAT: u32 = 2;
/// The layout of the oldest folders, without a manifest.
const WITHOUT_MANIFEST: u32 = 1;

/// A run's folder with its settings. Nothing else is read until it is needed.
pub struct Run {
    /// The folder.
    pub folder: PathBuf,
    /// The settings.
    pub config: Config,
    about: About,
    store: Arc<Store>,
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

impl About {
    fn to_json(&self) -> Result<Vec<u8>, VaeError> {
        serde_json::to_vec_pretty(self).map_err(|e| VaeError::Run(e.to_string()))
    }
}

#[derive(Clone, Serialize, Deserialize)]
struct Checksums {
    train: String,
    valid: String,
    test: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unseen: Option<String>,
    /// CRC-32 of the semantic embedding's file. The oldest runs do not have it.
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

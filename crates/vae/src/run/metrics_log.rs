//! `metrics.jsonl`: one line per epoch. Lines are kept as the bytes that were written, since numbers that are
//! read and printed again may change in their last digit.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Run;
use super::files::METRICS;
use super::store::Store;
use crate::error::VaeError;
use crate::train::EpochReport;

/// An epoch, and how long training had taken.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct MetricsLine {
    /// The epoch.
    #[serde(flatten)]
    pub epoch: EpochReport,
    /// Seconds of training so far, over all parts of an interrupted training.
    pub seconds: f64,
}

/// The metrics of a run so far.
pub struct MetricsLog {
    store: Arc<Store>,
    lines: Vec<MetricsLine>,
    incomplete: bool,
}

impl MetricsLog {
    /// The log of a run that continues after a number of epochs. Later lines, of work that was lost, are
    /// removed.
    pub fn open(run: &Run, epochs: usize) -> Result<Self, VaeError> {
        let store = run.store.clone();
        let path = store.path(METRICS);
        let text = match path.exists() {
            true if store.lists(METRICS) => store.read(METRICS).map_err(|e| removable(e, &path))?,
            // Before the first checkpoint, there are only lines of work that was lost.
            true => super::files::read(&path, None)?,
            false => Vec::new(),
        };
        let (mut kept, mut lines) = (Vec::new(), Vec::<MetricsLine>::new());
        for bytes in text.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            match serde_json::from_slice::<MetricsLine>(bytes) {
                Ok(line) if line.epoch.epoch <= epochs => {
                    kept.extend_from_slice(bytes);
                    lines.push(line);
                }
                _ => {}
            }
        }
        if kept != text || !path.exists() {
            store.replace(&[(METRICS, &kept)], |_| true)?;
        }
        store.start_metrics(kept);
        let incomplete = lines.len() < epochs;
        Ok(Self { store, lines, incomplete })
    }

    /// All lines.
    pub fn lines(&self) -> &[MetricsLine] {
        &self.lines
    }

    /// Whether lines of earlier epochs are missing, because someone removed the file.
    pub fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// Adds an epoch. If someone removed or changed the file, it is written again.
    pub fn push(&mut self, epoch: &EpochReport, seconds: f64) -> Result<(), VaeError> {
        let line = MetricsLine { epoch: *epoch, seconds };
        let mut text = serde_json::to_vec(&line).map_err(|e| VaeError::Run(e.to_string()))?;
        text.push(b'\n');
        self.store.append_metrics(&text)?;
        self.lines.push(line);
        Ok(())
    }
}

/// Training can do without the old lines, so the message says how.
fn removable(error: VaeError, path: &Path) -> VaeError {
    match error {
        VaeError::Run(reason) => {
            VaeError::Run(format!("{reason}, or remove {} to go on without its lines", path.display()))
        }
        other => other,
    }
}

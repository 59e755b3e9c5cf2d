//! `metrics.jsonl`: one line per epoch.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Run;
use super::files::{METRICS, file_error, read, write};
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
    path: PathBuf,
    lines: Vec<MetricsLine>,
}

impl MetricsLog {
    /// The log of a run that continues after a number of epochs. Later lines, of work that was lost, are
    /// removed.
    pub fn open(run: &Run, epochs: usize) -> Result<Self, VaeError> {
        let path = run.folder.join(METRICS);
        let text = if path.exists() { read(&path)? } else { Vec::new() };
        let lines = text.split(|&byte| byte == b'\n');
        let lines = lines.filter_map(|line| serde_json::from_slice::<MetricsLine>(line).ok());
        let lines: Vec<MetricsLine> = lines.filter(|line| line.epoch.epoch <= epochs).collect();
        let mut kept = Vec::new();
        lines.iter().try_for_each(|line| json_line(line).map(|line| kept.extend(line)))?;
        write(&path, &kept)?;
        Ok(Self { path, lines })
    }

    /// All lines.
    pub fn lines(&self) -> &[MetricsLine] {
        &self.lines
    }

    /// Adds an epoch.
    pub fn push(&mut self, epoch: &EpochReport, seconds: f64) -> Result<(), VaeError> {
        let line = MetricsLine { epoch: *epoch, seconds };
        // One call of `write`, so that a line is there completely or not at all.
        let text = json_line(&line)?;
        let file = OpenOptions::new().append(true).open(&self.path);
        file.and_then(|mut file| file.write_all(&text)).map_err(file_error("write", &self.path))?;
        self.lines.push(line);
        Ok(())
    }
}

fn json_line(line: &MetricsLine) -> Result<Vec<u8>, VaeError> {
    let mut text = serde_json::to_vec(line).map_err(|e| VaeError::Run(e.to_string()))?;
    text.push(b'\n');
    Ok(text)
}

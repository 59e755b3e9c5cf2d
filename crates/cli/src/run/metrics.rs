//! `metrics.jsonl`, a line an epoch, and the curves drawn from it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use logicvae_vae::EpochReport;
use serde::{Deserialize, Serialize};

use crate::figure::{Axis, Chart, Mark, Series};
use crate::run::Run;

pub const FILE: &str = "metrics.jsonl";
pub const CURVES: &str = "loss.svg";

/// An epoch and how long the training had taken.
#[derive(Clone, Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    epoch: EpochReport,
    /// Seconds of training so far, over all parts of an interrupted training.
    seconds: f64,
}

/// The metrics of a run, as far as they go.
pub struct Metrics {
    path: PathBuf,
    lines: Vec<Line>,
}

impl Metrics {
    /// Those of a run that goes on after so many epochs: later lines, of work that was lost, are dropped.
    pub fn open(run: &Run, epochs: usize) -> Result<Self> {
        let path = run.folder.join(FILE);
        let text = if path.exists() { fs::read_to_string(&path)? } else { String::new() };
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let lines: Vec<Line> = lines.filter(|line| line.epoch.epoch <= epochs).collect();
        let mut kept = Vec::new();
        for line in &lines {
            serde_json::to_writer(&mut kept, line)?;
            kept.push(b'\n');
        }
        run.write(FILE, &kept)?;
        Ok(Self { path, lines })
    }

    /// Seconds that the training had taken before it was interrupted.
    pub fn seconds(&self) -> f64 {
        self.lines.last().map_or(0.0, |line| line.seconds)
    }

    /// The accuracy of the last validation.
    pub fn accuracy(&self) -> Option<f64> {
        self.lines.iter().rev().find_map(|line| line.epoch.validation).map(|v| v.accuracy)
    }

    pub fn push(&mut self, epoch: &EpochReport, seconds: f64) -> Result<()> {
        let line = Line { epoch: *epoch, seconds };
        let mut text = serde_json::to_vec(&line)?;
        text.push(b'\n');
        // One call, so that a line is there or not.
        let mut file = OpenOptions::new().append(true).open(&self.path)?;
        file.write_all(&text).with_context(|| format!("cannot write {}", self.path.display()))?;
        self.lines.push(line);
        Ok(())
    }

    /// Loss curves: training and validation.
    pub fn curves(&self, name: &str) -> Result<Option<String>> {
        let finite = |p: &(f64, f64)| p.1.is_finite();
        let training: Vec<(f64, f64)> =
            self.lines.iter().map(|l| (l.epoch.epoch as f64, l.epoch.nll)).filter(finite).collect();
        let validation: Vec<(f64, f64)> = self
            .lines
            .iter()
            .filter_map(|l| Some((l.epoch.epoch as f64, l.epoch.validation?.nll)))
            .filter(finite)
            .collect();
        let Some(&(last, _)) = training.last() else { return Ok(None) };
        let top = training.iter().chain(&validation).map(|p| p.1).fold(0.0, f64::max);
        let mut series = vec![Series::new("training", Mark::Line, training)];
        if !validation.is_empty() {
            series.push(Series::new("validation", Mark::Line, validation));
        }
        let chart = Chart {
            title: name.into(),
            x_label: "epoch".into(),
            y_label: "negative log-likelihood of a formula".into(),
            x: 0.0..last.max(1.0),
            axis: Axis::Linear,
            y: 0.0..top.max(1e-6) * 1.05,
            series,
        };
        chart.svg().map(Some)
    }
}

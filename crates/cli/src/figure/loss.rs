//! Loss curves of a training.

use anyhow::Result;
use logicvae_vae::{LossTerms, MetricsLine};

use super::{Axis, Chart, Mark, Series};

/// The prediction loss of training and validation by epoch; `None` if there is no epoch yet.
pub fn loss_curves(name: &str, lines: &[MetricsLine]) -> Result<Option<String>> {
    let finite = |p: &(f64, f64)| p.1.is_finite();
    let training: Vec<(f64, f64)> =
        lines.iter().map(|l| (l.epoch.epoch as f64, *l.epoch.terms.prediction())).filter(finite).collect();
    let validation: Vec<(f64, f64)> = lines
        .iter()
        .filter_map(|l| Some((l.epoch.epoch as f64, *l.epoch.validation?.terms.prediction())))
        .filter(finite)
        .collect();
    let Some(&(last, _)) = training.last() else { return Ok(None) };
    let y_label = match lines[0].epoch.terms {
        LossTerms::Autoencoder { .. } => "negative log-likelihood per formula",
        LossTerms::Leaves { .. } => "cross-entropy per leaf",
    };
    let top = training.iter().chain(&validation).map(|p| p.1).fold(0.0, f64::max);
    let mut series = vec![Series::new("training", Mark::Line, training)];
    if !validation.is_empty() {
        series.push(Series::new("validation", Mark::Line, validation));
    }
    let chart = Chart {
        title: name.into(),
        x_label: "epoch".into(),
        y_label: y_label.into(),
        x: 0.0..last.max(1.0),
        axis: Axis::Linear,
        y: 0.0..top.max(1e-6) * 1.05,
        series,
    };
    chart.svg().map(Some)
}

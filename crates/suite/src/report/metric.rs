//! Metrics of results, in the units in which they are shown: proportions become percentages.

use logicvae_logic::{quantiles, wilson_interval};
use serde_json::Value;

use super::interval::bootstrap;
use crate::record::Record;
use crate::suite::Metric;

fn unit(metric: &Metric) -> f64 {
    if metric.percent { 100.0 } else { 1.0 }
}

/// The metric of a result.
pub fn metric_value(metric: &Metric, record: &Record) -> Option<f64> {
    record.value(&metric.key).as_f64().map(|value| value * unit(metric))
}

/// The metric of each formula; empty if it has no list.
pub fn metric_values(metric: &Metric, record: &Record) -> Vec<f64> {
    let list = metric.list.as_ref().and_then(|key| record.value(key).as_array());
    list.into_iter().flatten().filter_map(Value::as_f64).map(|value| value * unit(metric)).collect()
}

/// The 95 % confidence interval of the metric.
pub fn confidence_interval(metric: &Metric, record: &Record) -> Option<(f64, f64)> {
    if let Some(draws) = &metric.draws {
        let (low, high) = wilson_interval(record.value(&metric.key).as_f64()?, record.value(draws).as_f64()?);
        return Some((100.0 * low, 100.0 * high));
    }
    bootstrap(&metric_values(metric, record), |resampled| match metric.quantile {
        Some(q) => quantiles(resampled, [q])[0],
        None => mean(resampled),
    })
}

fn mean(list: &[f64]) -> f64 {
    list.iter().sum::<f64>() / list.len() as f64
}

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

/// The mean difference of two results that measured the same formulae, with its 95 % confidence interval.
/// Formulae are resampled in pairs, so that what both results have in common does not widen the interval.
pub fn mean_difference(metric: &Metric, of: &Record, minus: &Record) -> Option<(f64, (f64, f64))> {
    let (first, second) = (metric_values(metric, of), metric_values(metric, minus));
    let differences: Vec<f64> = first.iter().zip(&second).map(|(a, b)| a - b).collect();
    let interval = bootstrap(&differences, |resampled| mean(resampled));
    interval.filter(|_| first.len() == second.len()).map(|interval| (mean(&differences), interval))
}

fn mean(list: &[f64]) -> f64 {
    list.iter().sum::<f64>() / list.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_resampled_in_pairs() {
        let metric: Metric = toml::from_str("title = \"m\"\nkey = \"m\"\nlist = \"all\"").unwrap();
        let record = |list: &[f64]| -> Record {
            let values = serde_json::json!({ "m": 0.0, "all": list });
            Record { values, ..Record::default() }
        };
        // The formulae differ much, but the second result is always half a node better.
        let first: Vec<f64> = (0..20).map(|i| f64::from(i * i)).collect();
        let second: Vec<f64> = first.iter().map(|value| value - 0.5).collect();
        let (mean, (low, high)) = mean_difference(&metric, &record(&first), &record(&second)).unwrap();
        assert!((mean - 0.5).abs() < 1e-12 && (high - low).abs() < 1e-9, "{mean} {low} {high}");
        assert!(mean_difference(&metric, &record(&first), &record(&second[1..])).is_none());
    }
}

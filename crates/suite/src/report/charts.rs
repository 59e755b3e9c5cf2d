//! Charts of results. `logicvae plot` draws them from a description in JSON.

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use super::metric::{confidence_interval, metric_value, metric_values};
use super::results::Results;
use crate::layout::{Layout, write_file};
use crate::suite::{Chart, ChartKind, Metric, Suite};

/// How many bins a histogram has.
const BINS: usize = 30;

/// A chart as `logicvae plot` reads it.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Plot<'a> {
    Histogram {
        title: &'a str,
        x: &'a str,
        y: &'a str,
        bins: usize,
        series: Vec<Distribution<'a>>,
        marks: Vec<Mark>,
    },
    Lines {
        title: &'a str,
        x: &'a str,
        y: String,
        series: Vec<Line>,
    },
    Bars {
        title: &'a str,
        y: String,
        groups: &'a [String],
        series: Vec<BarSeries<'a>>,
        /// The name of the values to compare with.
        reference: &'a str,
    },
}

#[derive(Serialize)]
pub(super) struct Distribution<'a> {
    name: &'a str,
    colour: Option<usize>,
    values: Vec<f64>,
}

/// A vertical mark that belongs to a series.
#[derive(Serialize)]
pub(super) struct Mark {
    name: String,
    at: f64,
    series: usize,
}

/// A line, with the ends of confidence intervals where they are known.
#[derive(Default, Serialize)]
pub(super) struct Line {
    name: String,
    points: Vec<(f64, f64)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    low: Vec<Option<f64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    high: Vec<Option<f64>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dashed: bool,
    /// The series whose colour it shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    like: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    colour: Option<usize>,
}

#[derive(Serialize)]
pub(super) struct BarSeries<'a> {
    name: &'a str,
    values: Vec<Option<f64>>,
    low: Vec<Option<f64>>,
    high: Vec<Option<f64>>,
    /// The paper's values.
    reference: Vec<Option<f64>>,
    colour: Option<usize>,
}

/// Draws a chart into the folder of figures. If no experiment has a result, an older drawing is removed.
pub fn draw_chart(suite: &Suite, chart: &Chart, layout: &Layout, results: &Results) -> Result<()> {
    let picture = layout.figure(&chart.name);
    let Some(plot) = describe(suite, chart, results) else {
        fs::remove_file(picture).ok();
        return Ok(());
    };
    let description = layout.figures().join(format!("{}.chart.json", chart.name));
    write_file(&description, serde_json::to_string(&plot)?.as_bytes())?;
    let mut command = layout.logicvae();
    command.arg("plot").arg(&description).args(["--force", "--out"]).arg(picture);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    // The program ends when its standard input does, so that must stay open.
    let _input = child.stdin.take();
    let output = child.wait_with_output().with_context(|| format!("cannot wait for {command:?}"))?;
    if !output.status.success() {
        bail!("the chart {} could not be drawn ({}): {command:?}", chart.name, output.status);
    }
    fs::remove_file(description).ok();
    Ok(())
}

/// The description of a chart; none if no experiment has a result.
pub(super) fn describe<'a>(suite: &'a Suite, chart: &'a Chart, results: &Results) -> Option<Plot<'a>> {
    let title = &chart.title;
    match &chart.kind {
        ChartKind::Histogram { metric, median, experiments } => {
            let metric = suite.metrics.get(metric)?;
            let (series, marks) = distributions(suite, metric, median.as_deref(), experiments, results);
            let (x, y) = (metric.title.as_str(), "share of contexts");
            (!series.is_empty()).then_some(Plot::Histogram { title, x, y, bins: BINS, series, marks })
        }
        ChartKind::Lines { metric: name, x, at, series } => {
            let metric = suite.metrics.get(name)?;
            let series = lines(suite, (name, metric), at, series, results);
            (!series.is_empty()).then(|| Plot::Lines { title, x, y: axis_label(metric), series })
        }
        ChartKind::Bars { metric: name, metrics, groups, series } => {
            let metric = suite.metrics.get(name)?;
            // A series may have a metric of its own.
            let own = |series: &str| {
                let other = metrics.get(series);
                let found = other.and_then(|other| Some((other.as_str(), suite.metrics.get(other)?)));
                found.unwrap_or((name.as_str(), metric))
            };
            let series = bars(suite, own, series, results);
            let y = axis_label(metric);
            (!series.is_empty()).then_some(Plot::Bars { title, y, groups, series, reference: "paper" })
        }
    }
}

fn distributions<'a>(
    suite: &'a Suite,
    metric: &Metric,
    median: Option<&str>,
    experiments: &[String],
    results: &Results,
) -> (Vec<Distribution<'a>>, Vec<Mark>) {
    let (mut series, mut marks) = (Vec::new(), Vec::new());
    for experiment in experiments.iter().filter_map(|name| suite.experiment(name)) {
        let values = results.get(&experiment.name).map(|record| metric_values(metric, record));
        let Some(values) = values.filter(|values| !values.is_empty()) else { continue };
        if let Some(&at) = median.and_then(|name| experiment.paper.get(name)) {
            let name = format!("{}: median in the paper", experiment.title);
            marks.push(Mark { name, at, series: series.len() });
        }
        let colour = suite.colour(&experiment.title);
        series.push(Distribution { name: &experiment.title, colour, values });
    }
    (series, marks)
}

/// A value and its confidence interval, widened where rounding left the value outside.
fn value_with_interval(
    metric: &Metric,
    name: &str,
    results: &Results,
) -> Option<(f64, Option<f64>, Option<f64>)> {
    let record = results.get(name)?;
    let value = metric_value(metric, record)?;
    let interval = confidence_interval(metric, record);
    Some((value, interval.map(|(low, _)| low.min(value)), interval.map(|(_, high)| high.max(value))))
}

fn lines(
    suite: &Suite,
    (metric_name, metric): (&str, &Metric),
    at: &[f64],
    series: &BTreeMap<String, Vec<String>>,
    results: &Results,
) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (name, experiments) in series {
        let mut ours = Line { name: name.clone(), colour: suite.colour(name), ..Line::default() };
        let mut paper = Line { name: format!("{name}, paper"), dashed: true, ..Line::default() };
        for (&x, experiment) in at.iter().zip(experiments.iter().filter_map(|name| suite.experiment(name))) {
            if let Some(&value) = experiment.paper.get(metric_name) {
                paper.points.push((x, value));
            }
            if let Some((value, low, high)) = value_with_interval(metric, &experiment.name, results) {
                ours.points.push((x, value));
                ours.low.push(low);
                ours.high.push(high);
            }
        }
        if ours.points.is_empty() {
            continue;
        }
        paper.like = Some(lines.len());
        lines.push(ours);
        if !paper.points.is_empty() {
            lines.push(paper);
        }
    }
    lines
}

fn bars<'a, 'm>(
    suite: &Suite,
    metric: impl Fn(&str) -> (&'m str, &'m Metric),
    series: &'a BTreeMap<String, Vec<String>>,
    results: &Results,
) -> Vec<BarSeries<'a>> {
    let bars = series.iter().map(|(name, experiments)| {
        let colour = suite.colour(name);
        let (values, low, high, reference) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut bars = BarSeries { name, values, low, high, reference, colour };
        for experiment in experiments {
            let (metric_name, metric) = metric(name);
            let paper = suite.experiment(experiment).and_then(|own| own.paper.get(metric_name));
            bars.reference.push(paper.copied());
            let found = value_with_interval(metric, experiment, results);
            bars.values.push(found.map(|found| found.0));
            bars.low.push(found.and_then(|found| found.1));
            bars.high.push(found.and_then(|found| found.2));
        }
        bars
    });
    bars.filter(|bars| bars.values.iter().any(Option::is_some)).collect()
}

fn axis_label(metric: &Metric) -> String {
    if metric.percent { format!("{}, %", metric.title) } else { metric.title.clone() }
}

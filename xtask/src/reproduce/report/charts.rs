//! Charts of results, drawn by `logicvae plot`.

use std::process::Stdio;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::reproduce::place::{Place, write};
use crate::reproduce::report::Results;
use crate::reproduce::report::tables::{ends, list, number};
use crate::reproduce::suite::{Chart, ChartKind, Suite};
use crate::shell;

/// Draws a chart into the folder of figures; leaves it out where there is nothing to draw.
pub fn draw(suite: &Suite, chart: &Chart, place: &Place, results: &Results) -> Result<()> {
    let picture = place.figures().join(format!("{}.svg", chart.name));
    let Some(description) = describe(suite, chart, results) else {
        // One that was drawn of results that are no longer there.
        std::fs::remove_file(picture).ok();
        return Ok(());
    };
    let file = place.figures().join(format!("{}.chart.json", chart.name));
    write(&file, description.to_string().as_bytes())?;
    let mut plot = place.logicvae();
    plot.arg("plot").arg(&file).args(["--force", "--out"]).arg(picture);
    shell::output(plot.stdin(Stdio::null())).with_context(|| format!("the chart {}", chart.name))?;
    std::fs::remove_file(file).ok();
    Ok(())
}

/// The chart as `plot` reads it; `None` if no experiment has a result.
fn describe(suite: &Suite, chart: &Chart, results: &Results) -> Option<Value> {
    let title = &chart.title;
    match &chart.kind {
        ChartKind::Histogram { measure, median, experiments } => {
            let of = suite.measure.get(measure)?;
            let (mut series, mut marks) = (Vec::new(), Vec::new());
            for experiment in experiments.iter().filter_map(|name| suite.get(name)) {
                let Some(found) = results.get(&experiment.name) else { continue };
                let values = list(of, found);
                if values.is_empty() {
                    continue;
                }
                let paper = median.as_ref().and_then(|name| experiment.paper.get(name));
                if let Some(at) = paper {
                    marks.push(
                        json!({ "name": format!("{}: the paper's median", experiment.title), "at": at, "series": series.len() }),
                    );
                }
                series.push(json!({ "name": experiment.title, "values": values }));
            }
            (!series.is_empty()).then(|| {
                json!({ "kind": "histogram", "title": title, "x": of.title, "y": "share of contexts", "bins": 30,
                    "series": series, "marks": marks })
            })
        }
        ChartKind::Lines { measure, x, at, series } => {
            let of = suite.measure.get(measure)?;
            let mut lines = Vec::new();
            for (name, experiments) in series {
                let (mut points, mut low, mut high, mut paper) =
                    (Vec::new(), Vec::new(), Vec::new(), Vec::new());
                for (x, experiment) in at.iter().zip(experiments.iter().filter_map(|name| suite.get(name))) {
                    if let Some(value) = experiment.paper.get(measure) {
                        paper.push(json!([x, value]));
                    }
                    let found = results.get(&experiment.name);
                    if let Some((value, found)) = found.and_then(|found| Some((number(of, found)?, found))) {
                        let ends = ends(of, found);
                        points.push(json!([x, value]));
                        low.push(json!(ends.map(|e| e.0.min(value))));
                        high.push(json!(ends.map(|e| e.1.max(value))));
                    }
                }
                if points.is_empty() {
                    continue;
                }
                let ours = lines.len();
                lines.push(json!({ "name": name, "points": points, "low": low, "high": high }));
                if !paper.is_empty() {
                    lines.push(json!({ "name": format!("{name}, paper"), "points": paper, "dashed": true, "like": ours }));
                }
            }
            (!lines.is_empty())
                .then(|| json!({ "kind": "lines", "title": title, "x": x, "y": axis(of), "series": lines }))
        }
        ChartKind::Bars { measure, groups, series } => {
            let of = suite.measure.get(measure)?;
            let value = |name: &String| results.get(name).and_then(|found| number(of, found));
            let some =
                series.iter().filter(|(_, experiments)| experiments.iter().any(|name| value(name).is_some()));
            let bars = some.map(|(name, experiments)| {
                let values: Vec<Option<f64>> = experiments.iter().map(value).collect();
                let ends: Vec<Option<(f64, f64)>> = experiments
                    .iter()
                    .map(|name| results.get(name).and_then(|found| ends(of, found)).zip(value(name)))
                    .map(|found| found.map(|((low, high), value)| (low.min(value), high.max(value))))
                    .collect();
                let low: Vec<Option<f64>> = ends.iter().map(|e| e.map(|e| e.0)).collect();
                let high: Vec<Option<f64>> = ends.iter().map(|e| e.map(|e| e.1)).collect();
                json!({ "name": name, "values": values, "low": low, "high": high })
            });
            let bars: Vec<Value> = bars.collect();
            (!bars.is_empty()).then(
                || json!({ "kind": "bars", "title": title, "y": axis(of), "groups": groups, "series": bars }),
            )
        }
    }
}

fn axis(measure: &crate::reproduce::suite::Measure) -> String {
    if measure.percent { format!("{}, %", measure.title) } else { measure.title.clone() }
}

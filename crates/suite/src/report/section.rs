//! One section of the report: an exhibit, filled with results.

use std::fs;

use anyhow::Result;

use super::charts::draw_chart;
use super::document::{Figure, Section};
use super::metric::mean_difference;
use super::results::Results;
use super::tables::{NOT_RUN, entry_table, experiment_table};
use crate::layout::Layout;
use crate::suite::{Difference, Exhibit, Suite};

/// Fills an exhibit with results, and draws its charts.
pub fn fill(suite: &Suite, exhibit: &Exhibit, layout: &Layout, results: &Results) -> Result<Section> {
    let mut section = Section {
        id: exhibit.id.clone(),
        title: exhibit.title.clone(),
        about: paragraphs(&exhibit.about),
        tables: Vec::new(),
        figures: Vec::new(),
        notes: Vec::new(),
    };
    if !exhibit.rows.is_empty() {
        section.tables.push(experiment_table(suite, exhibit, results));
    }
    section.notes.extend(exhibit.differences.iter().map(|pair| difference(suite, pair, results)));
    if let Some(entries) = &exhibit.entries {
        match results.get(&entries.experiment) {
            Some(record) => section.tables.push(entry_table(entries, record)),
            None => section.notes.push(format!("{}: {NOT_RUN}", entries.experiment)),
        }
        if results.is_outdated(&entries.experiment) {
            section.notes.push("† This result was made with other settings or by older code.".into());
        }
    }
    for chart in &exhibit.charts {
        draw_chart(suite, chart, layout, results)?;
        add_figure(&mut section, &chart.name, &chart.title, &chart.experiments(), layout, results);
    }
    for picture in &exhibit.pictures {
        let experiments = [picture.experiment.as_str()];
        add_figure(&mut section, &picture.name, &picture.caption, &experiments, layout, results);
    }
    Ok(section)
}

/// A sentence about the difference between two experiments.
fn difference(suite: &Suite, pair: &Difference, results: &Results) -> String {
    let title = |name: &str| suite.experiment(name).map_or(name, |found| &found.title).to_owned();
    let metric = suite.metrics.get(&pair.metric);
    let records = results.get(&pair.of).zip(results.get(&pair.minus));
    let found = metric.zip(records).and_then(|(metric, (of, minus))| {
        let (mean, (low, high)) = mean_difference(metric, of, minus)?;
        let number = |value: f64| format!("{value:+.*}", metric.digits);
        let verdict = if low <= 0.0 && high >= 0.0 { "no clear difference" } else { "a clear difference" };
        Some(format!("{} (95 % interval {} to {}): {verdict}", number(mean), number(low), number(high)))
    });
    let what = metric.map_or(pair.metric.as_str(), |metric| &metric.title);
    let found = found.unwrap_or_else(|| NOT_RUN.into());
    format!(
        "Difference in {what}, {} minus {}, on the same formulae: {found}.",
        title(&pair.of),
        title(&pair.minus)
    )
}

/// Adds a figure that shows results of these experiments, or a note if there are none.
fn add_figure(
    section: &mut Section,
    name: &str,
    caption: &str,
    experiments: &[&str],
    layout: &Layout,
    results: &Results,
) {
    let known = experiments.iter().any(|name| results.get(name).is_some());
    match fs::read_to_string(layout.figure(name)) {
        Ok(svg) if known => {
            let outdated = experiments.iter().any(|name| results.is_outdated(name));
            let mark = if outdated { " †" } else { "" };
            let caption = format!("{caption}{mark}");
            section.figures.push(Figure { file: format!("{name}.svg"), svg, caption });
        }
        _ => section.notes.push(format!("{caption}: {NOT_RUN}")),
    }
}

/// Paragraphs are separated by blank lines.
fn paragraphs(text: &str) -> Vec<String> {
    text.split("\n\n").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

//! How our accuracies compare with those of the paper, in words.

use super::metric::metric_value;
use super::results::Results;
use crate::suite::{Exhibit, Experiment, Suite};

/// Percentage points below the paper that still count as close to it.
const CLOSE: f64 = 3.0;

/// Paragraphs for the summary of the report: how many accuracies reach the paper's, and where those that are
/// far below it are explained.
pub fn verdict(suite: &Suite, results: &Results) -> Vec<String> {
    let Some(metric) = suite.metrics.get("accuracy") else { return Vec::new() };
    let (mut reached, mut close, mut missing) = (0, 0, 0);
    let mut below: Vec<&Experiment> = Vec::new();
    for experiment in compared(suite) {
        let Some(paper) = experiment.paper.get("accuracy") else { continue };
        match results.get(&experiment.name).and_then(|record| metric_value(metric, record)) {
            None => missing += 1,
            Some(ours) if ours >= *paper => reached += 1,
            Some(ours) if ours >= paper - CLOSE => close += 1,
            Some(_) => below.push(experiment),
        }
    }
    let all = reached + close + below.len() + missing;
    let mut lines = vec![format!(
        "Of the {all} accuracies in the paper's tables of VAE and CVAE abilities, under the conditions of \
         the authors' program, {reached} reach the paper's, {close} are at most {CLOSE} percentage points \
         lower, {} are further below, and {missing} were not run.",
        below.len()
    )];
    for exhibit in &suite.exhibits {
        let (explained, rest): (Vec<_>, Vec<_>) =
            below.into_iter().partition(|experiment| explains(exhibit, experiment, results));
        if !explained.is_empty() {
            lines.push(format!(
                "**{}** shows why, at least in part, these are below the paper: {}.",
                exhibit.title,
                names(&explained)
            ));
        }
        below = rest;
    }
    if !below.is_empty() {
        lines.push(format!("No experiment explains why these are below the paper: {}.", names(&below)));
    }
    lines
}

/// The experiments in the appendix's tables of abilities, which contain those of the main text.
fn compared(suite: &Suite) -> impl Iterator<Item = &Experiment> {
    let tables = || suite.exhibits.iter().filter(|exhibit| exhibit.judged);
    suite
        .experiments
        .iter()
        .filter(move |experiment| tables().any(|table| table.rows.contains(&experiment.name)))
}

/// Whether an exhibit explains an experiment with results that all exist and are up to date.
fn explains(exhibit: &Exhibit, experiment: &Experiment, results: &Results) -> bool {
    let shown = |name: &String| results.get(name).is_some() && !results.is_outdated(name);
    exhibit.explains.get(&experiment.name).is_some_and(|by| by.iter().all(shown))
}

fn names(experiments: &[&Experiment]) -> String {
    experiments.iter().map(|e| format!("`{}`", e.name)).collect::<Vec<String>>().join(", ")
}

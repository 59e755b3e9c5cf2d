//! Tables: a row for each experiment, or for each entry of a list.

use serde_json::Value;

use crate::reproduce::report::interval::{bootstrap, mean, quantile, wilson};
use crate::reproduce::report::{Cell, Results, Table};
use crate::reproduce::suite::{Exhibit, Experiment, List, Measure, Suite, Task};

/// A value of a result by its key, such as `quartiles.0`.
pub fn at<'a>(found: &'a Value, key: &str) -> &'a Value {
    let path = format!("/values/{}", key.replace('.', "/"));
    found.pointer(&path).unwrap_or(&Value::Null)
}

/// A number of a result, as it is shown: shares become percentages.
pub fn number(measure: &Measure, found: &Value) -> Option<f64> {
    let factor = if measure.percent { 100.0 } else { 1.0 };
    at(found, &measure.key).as_f64().map(|value| value * factor)
}

/// The measure of each formula, as it is shown.
pub fn list(measure: &Measure, found: &Value) -> Vec<f64> {
    let factor = if measure.percent { 100.0 } else { 1.0 };
    let Some(key) = &measure.list else { return Vec::new() };
    at(found, key)
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_f64)
        .map(|value| value * factor)
        .collect()
}

/// The ends of a measure's confidence interval, as they are shown.
pub fn ends(measure: &Measure, found: &Value) -> Option<(f64, f64)> {
    if let Some(draws) = &measure.draws {
        let (low, high) = wilson(at(found, &measure.key).as_f64()?, at(found, draws).as_f64()?);
        return Some((100.0 * low, 100.0 * high));
    }
    bootstrap(&list(measure, found), |drawn| match measure.quantile {
        Some(q) => quantile(drawn, q),
        None => mean(drawn),
    })
}

/// A row for each experiment, with the epochs that it was trained for, and a column for each measure.
pub fn by_experiment(suite: &Suite, exhibit: &Exhibit, results: &Results) -> Table {
    let mut head = vec![String::new()];
    head.extend(
        exhibit
            .columns
            .iter()
            .filter_map(|name| suite.measure.get(name))
            .map(|measure| measure.title.clone()),
    );
    let mut rows = Vec::new();
    for experiment in exhibit.rows.iter().filter_map(|name| suite.get(name)) {
        let found = results.get(&experiment.name);
        let mark = if results.is_stale(&experiment.name) { " †" } else { "" };
        let epochs = found.and_then(|found| found["training"]["epochs"].as_u64());
        let before = match epochs_before(suite, results, &experiment.task) {
            0 => String::new(),
            before => format!(" after {before}"),
        };
        let epochs = epochs.map_or(String::new(), |epochs| format!(", {epochs} epochs{before}"));
        let mut row = vec![Cell::text(format!("{}{epochs}{mark}", experiment.title))];
        for name in &exhibit.columns {
            let Some(measure) = suite.measure.get(name) else { continue };
            let shown = |value: f64| format!("{value:.*}", measure.digits);
            let paper = experiment.paper.get(name).copied();
            let ours = found.and_then(|found| number(measure, found));
            row.push(Cell {
                main: match (found, ours) {
                    (None, _) => "not run".into(),
                    (Some(_), Some(value)) => shown(value),
                    (Some(_), None) => "–".into(),
                },
                interval: found
                    .and_then(|found| ends(measure, found))
                    .map(|(low, high)| format!("{}–{}", shown(low), shown(high))),
                paper: paper.map(shown),
                difference: ours
                    .zip(paper)
                    .map(|(ours, paper)| format!("{:+.*}", measure.digits, ours - paper)),
            });
        }
        rows.push(row);
    }
    Table { head, rows }
}

/// The epochs of all trainings that lead to the weights with which a training begins.
fn epochs_before(suite: &Suite, results: &Results, task: &Task) -> u64 {
    let Task::Train { from: Some(from), .. } = task else { return 0 };
    let Some(earlier) = suite.passed_on(from).and_then(|passed| suite.get(passed.of)) else { return 0 };
    let epochs =
        results.get(&earlier.name).and_then(|found| found["training"]["epochs"].as_u64()).unwrap_or(0);
    epochs + epochs_before(suite, results, &earlier.task)
}

/// A row for each entry of the list that an experiment found; the paper's entries stand beside those with the same form and
/// number of variables.
pub fn by_entry(list: &List, found: &Value) -> Table {
    let head = list.columns.iter().map(|key| key.replace('_', " ")).collect();
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => format!("{:.4}", number.as_f64().unwrap_or(f64::NAN)),
        Value::Null => "–".into(),
        other => other.to_string(),
    };
    let entries = at(found, "results").as_array().cloned().unwrap_or_default();
    let row = |entry: &Value| -> Vec<Cell> {
        let paper = list.paper.iter().find(|paper| {
            let keys = ["form", "variables"];
            keys.iter().filter_map(|key| Some((key, paper.get(*key)?))).all(|(key, value)| {
                value
                    .as_str()
                    .map_or_else(|| value.as_integer().map(Value::from), |text| Some(Value::from(text)))
                    == Some(entry[*key].clone())
            })
        });
        let cell = |key: &String| {
            let reported = paper.filter(|_| key != "form" && key != "variables").and_then(|paper| {
                let value = paper.get(key)?;
                value.as_float().or_else(|| value.as_integer().map(|i| i as f64))
            });
            Cell {
                main: text(&entry[key.as_str()]),
                paper: reported.map(|value| format!("{value:.4}")),
                difference: reported
                    .zip(entry[key.as_str()].as_f64())
                    .map(|(paper, ours)| format!("{:+.4}", ours - paper)),
                interval: None,
            }
        };
        list.columns.iter().map(cell).collect()
    };
    Table { head, rows: entries.iter().map(row).collect() }
}

/// How our accuracies compare with the paper's, in words.
pub fn verdict(suite: &Suite, results: &Results) -> Vec<String> {
    let Some(measure) = suite.measure.get("accuracy") else { return Vec::new() };
    let (mut above, mut near, mut below, mut missing) = (0, 0, Vec::<&Experiment>::new(), 0);
    let main: Vec<&String> =
        suite.exhibit.iter().filter(|e| e.id.ends_with("abilities-app")).flat_map(|e| &e.rows).collect();
    for experiment in suite.experiment.iter().filter(|e| main.contains(&&e.name)) {
        let Some(paper) = experiment.paper.get("accuracy") else { continue };
        match results.get(&experiment.name).and_then(|found| number(measure, found)) {
            None => missing += 1,
            Some(ours) if ours >= *paper => above += 1,
            Some(ours) if ours >= paper - 3.0 => near += 1,
            Some(_) => below.push(experiment),
        }
    }
    let line = format!(
        "Of the {} accuracies in the paper's tables of abilities, ours are at or above {above}, within 3 points of {near} more, and further \
         below {}; {missing} were not run.",
        above + near + below.len() + missing,
        below.len()
    );
    // Why they are below: by exhibits that say so, if all that shows it is there.
    let shown = |name: &String| results.get(name).is_some() && !results.is_stale(name);
    let names = |list: &[&Experiment]| {
        list.iter().map(|e| format!("`{}`", e.name)).collect::<Vec<String>>().join(", ")
    };
    let mut lines = vec![line];
    for exhibit in &suite.exhibit {
        let explains = |e: &&Experiment| exhibit.explains.get(&e.name).is_some_and(|by| by.iter().all(shown));
        let (explained, rest): (Vec<&Experiment>, _) = below.into_iter().partition(explains);
        if !explained.is_empty() {
            lines.push(format!(
                "Below, and why, or a part of why, is shown under **{}**: {}.",
                exhibit.title,
                names(&explained)
            ));
        }
        below = rest;
    }
    if !below.is_empty() {
        lines.push(format!("Below, and no experiment says why: {}.", names(&below)));
    }
    lines
}

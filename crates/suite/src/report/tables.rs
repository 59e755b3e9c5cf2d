//! Tables: one row per experiment, or one row per entry of a result.

use serde::Deserialize;
use serde_json::Value;

use super::document::{Cell, Table};
use super::metric::{confidence_interval, metric_value};
use super::results::Results;
use crate::record::Record;
use crate::suite::{EntryTable, Exhibit, Experiment, Metric, PaperEntry, Suite, Task};

/// What a cell says if its experiment has no result.
pub const NOT_RUN: &str = "not run";

/// A table with one row per experiment and one column per metric. Rows name the number of training epochs.
pub fn experiment_table(suite: &Suite, exhibit: &Exhibit, results: &Results) -> Table {
    let columns = || exhibit.columns.iter().filter_map(|name| Some((name, suite.metrics.get(name)?)));
    let mut head = vec![String::new()];
    head.extend(columns().map(|(_, metric)| metric.title.clone()));
    let row = |experiment: &Experiment| {
        let record = results.get(&experiment.name);
        let mut row = vec![Cell::text(row_title(suite, experiment, results))];
        row.extend(columns().map(|(name, metric)| metric_cell(metric, record, experiment.paper.get(name))));
        row
    };
    let rows = exhibit.rows.iter().filter_map(|name| suite.experiment(name)).map(row).collect();
    Table { head, rows }
}

fn row_title(suite: &Suite, experiment: &Experiment, results: &Results) -> String {
    let mut title = experiment.title.clone();
    // Of the evaluated model, if this is another evaluation of it.
    let trained = match &experiment.task {
        Task::Evaluate { model, .. } => suite.experiment(model).unwrap_or(experiment),
        _ => experiment,
    };
    if let Some(epochs) = results.get(&trained.name).and_then(Record::epochs) {
        title += &format!(", {epochs} epochs");
        let before = earlier_epochs(suite, results, &trained.task);
        if before > 0 {
            title += &format!(" after {before}");
        }
    }
    if results.is_outdated(&experiment.name) {
        title += " †";
    }
    title
}

fn metric_cell(metric: &Metric, record: Option<&Record>, paper: Option<&f64>) -> Cell {
    let ours = record.and_then(|record| metric_value(metric, record));
    let interval = record.and_then(|record| confidence_interval(metric, record));
    let main = match (record, ours) {
        (None, _) => NOT_RUN.into(),
        (Some(_), Some(value)) => metric.format(value),
        (Some(_), None) => "–".into(),
    };
    Cell {
        main,
        interval: interval.map(|(low, high)| format!("{}–{}", metric.format(low), metric.format(high))),
        paper: paper.map(|paper| metric.format(*paper)),
        difference: ours.zip(paper).map(|(ours, paper)| format!("{:+.*}", metric.digits, ours - paper)),
    }
}

/// The epochs of all earlier trainings that led to the initial weights of a training.
fn earlier_epochs(suite: &Suite, results: &Results, task: &Task) -> u64 {
    let Task::Train(train) = task else { return 0 };
    let export = train.from.as_deref().and_then(|from| suite.export(from));
    let Some(earlier) = export.and_then(|export| suite.experiment(export.model)) else { return 0 };
    let epochs = results.get(&earlier.name).and_then(Record::epochs).unwrap_or(0);
    epochs + earlier_epochs(suite, results, &earlier.task)
}

/// What an entry of a result is about.
#[derive(Default, Deserialize)]
#[serde(default)]
struct EntryKey {
    form: Option<String>,
    variables: Option<u64>,
}

impl EntryKey {
    fn matches(&self, paper: &PaperEntry) -> bool {
        self.form.as_ref() == Some(&paper.form) && self.variables == Some(paper.variables)
    }
}

/// A table with one row per entry in the `results` list of an experiment. The paper's numbers stand beside
/// the entry with the same kernel and number of variables.
pub fn entry_table(table: &EntryTable, record: &Record) -> Table {
    let head = table.columns.iter().map(|key| key.replace('_', " ")).collect();
    let row = |entry: &Value| -> Vec<Cell> {
        let key = EntryKey::deserialize(entry).unwrap_or_default();
        let paper = table.paper.iter().find(|paper| key.matches(paper));
        let cell = |column: &String| {
            let value = &entry[column.as_str()];
            let reported = paper.and_then(|paper| paper.values.get(column)).copied();
            let difference = reported.zip(value.as_f64()).map(|(paper, ours)| ours - paper);
            Cell {
                main: entry_text(value),
                interval: None,
                paper: reported.map(|reported| format!("{reported:.4}")),
                difference: difference.map(|difference| format!("{difference:+.4}")),
            }
        };
        table.columns.iter().map(cell).collect()
    };
    let entries = record.value("results").as_array();
    Table { head, rows: entries.into_iter().flatten().map(row).collect() }
}

fn entry_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => format!("{:.4}", number.as_f64().unwrap_or(f64::NAN)),
        Value::Null => "–".into(),
        other => other.to_string(),
    }
}

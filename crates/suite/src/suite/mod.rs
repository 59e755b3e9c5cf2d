//! The suite as data. `suite.toml` declares the experiments, the numbers that the paper reports for them, and
//! the tables and figures made from them.

mod check;
mod exhibit;
mod experiment;

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

pub use exhibit::{Chart, ChartKind, Difference, EntryTable, Exhibit, PaperEntry};
pub use experiment::{Experiment, Export, KernelExperiment, Task, Train};

/// The whole declaration.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Increases when a code change makes experiments give other numbers. Results of another version are
    /// outdated.
    pub code_version: u32,
    /// What the quick scale reduces.
    pub quick: Quick,
    /// What training costs.
    pub cost: Cost,
    /// The models that have a colour of their own in all charts, in the order of the colours.
    #[serde(default)]
    pub colours: Vec<String>,
    /// Numbers that experiments find, by name.
    #[serde(rename = "metric", default)]
    pub metrics: BTreeMap<String, Metric>,
    /// All experiments. An experiment comes after those it depends on.
    #[serde(rename = "experiment")]
    pub experiments: Vec<Experiment>,
    /// The tables and figures of the report, in order.
    #[serde(rename = "exhibit")]
    pub exhibits: Vec<Exhibit>,
}

/// Settings of trainings at the quick scale.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quick {
    /// A description of the reduced sizes for the report.
    pub about: String,
    /// Settings of every training.
    pub set: Vec<String>,
    /// Additional settings of conditional models.
    pub conditional: Vec<String>,
    /// Additional settings of models with a GAT encoder.
    pub gat: Vec<String>,
    /// Additional settings of models that are trained with a curriculum.
    pub curriculum: Vec<String>,
}

/// Milliseconds of training per formula for five variables and hidden width 250 on one thread.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// Models with a GRU encoder.
    pub gru: f64,
    /// Models with a GCN encoder.
    pub gcn: f64,
    /// Models with a GAT encoder.
    pub gat: f64,
    /// The leaf network of the hierarchical model.
    pub leaves: f64,
}

/// A number that experiments find, and how it is shown.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// The heading of its column.
    pub title: String,
    /// Its path within the measured values, such as `quartiles.0`.
    pub key: String,
    /// The path of a list with one value per formula, which is resampled for a confidence interval.
    pub list: Option<String>,
    /// For a proportion without such a list: the path of the number of independent draws.
    pub draws: Option<String>,
    /// The metric is this quantile of the list. Without it, the metric is the list's mean.
    pub quantile: Option<f64>,
    /// Whether it is a proportion that is shown as a percentage.
    #[serde(default)]
    pub percent: bool,
    /// Digits after the decimal point.
    #[serde(default = "two")]
    pub digits: usize,
}

fn two() -> usize {
    2
}

impl Metric {
    /// The number as it is shown in tables.
    pub fn format(&self, value: f64) -> String {
        format!("{value:.*}", self.digits)
    }
}

impl Suite {
    /// The committed suite.
    pub fn committed() -> Result<Self> {
        Self::parse(include_str!("../../suite.toml")).context("crates/suite/suite.toml")
    }

    /// Reads a suite and checks that all names in it refer to something.
    pub fn parse(text: &str) -> Result<Self> {
        let suite: Self = toml::from_str(text)?;
        suite.check()?;
        Ok(suite)
    }

    /// An experiment by name.
    pub fn experiment(&self, name: &str) -> Option<&Experiment> {
        self.experiments.iter().find(|experiment| experiment.name == name)
    }

    /// The number of the colour of a series: that of the model whose name is a word of the series' name.
    pub fn colour(&self, series: &str) -> Option<usize> {
        let words = || series.split(|c: char| !c.is_alphanumeric());
        self.colours.iter().position(|model| words().any(|word| word.eq_ignore_ascii_case(model)))
    }

    /// The model that the named experiment exports, if it is an export.
    pub fn export(&self, name: &str) -> Option<Export<'_>> {
        self.experiment(name)?.task.export()
    }
}

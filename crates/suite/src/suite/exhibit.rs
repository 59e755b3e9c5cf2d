//! Exhibits: the tables and figures of the report.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A table or figure of the paper, or one of our own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exhibit {
    /// The label in the paper, such as `tab:ablations`, or `ours:` and a name.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What it shows and how to read it. Blank lines separate paragraphs.
    #[serde(default)]
    pub about: String,
    /// Whether the report counts which of its rows reach the paper's accuracy, and names the others.
    #[serde(default)]
    pub judged: bool,
    /// Experiments whose difference from the paper this exhibit explains, each with the experiments that show
    /// it.
    #[serde(default)]
    pub explains: BTreeMap<String, Vec<String>>,
    /// The experiments of a table, one per row.
    #[serde(default)]
    pub rows: Vec<String>,
    /// The metrics of that table, one per column.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Differences between two rows, each with an interval.
    #[serde(default)]
    pub differences: Vec<Difference>,
    /// A table of the entries that one experiment lists.
    pub entries: Option<EntryTable>,
    /// Pictures that experiments draw.
    #[serde(default)]
    pub pictures: Vec<Picture>,
    /// Charts of results.
    #[serde(default, rename = "chart")]
    pub charts: Vec<Chart>,
}

/// The mean difference of a metric between two experiments that measured the same formulae.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// The metric, which must have a list.
    pub metric: String,
    /// The experiment whose values are subtracted from.
    pub of: String,
    /// The experiment whose values are subtracted.
    pub minus: String,
}

/// A table with one row for each entry in the result of an experiment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryTable {
    /// The experiment.
    pub experiment: String,
    /// The keys of an entry that are shown.
    pub columns: Vec<String>,
    /// What the paper reports.
    #[serde(default)]
    pub paper: Vec<PaperEntry>,
}

/// What the paper reports for the entry with this kernel and this number of variables.
#[derive(Debug, Deserialize)]
pub struct PaperEntry {
    /// The form of the kernel: `plain` or `gaussian`.
    pub form: String,
    /// The number of variables.
    pub variables: u64,
    /// The reported numbers, by column.
    #[serde(flatten)]
    pub values: BTreeMap<String, f64>,
}

/// A picture that an experiment draws.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Picture {
    /// The experiment.
    pub experiment: String,
    /// The name of the file, without its ending.
    pub name: String,
    /// The caption in the report.
    pub caption: String,
}

/// A chart of results, drawn by `logicvae plot`.
#[derive(Debug, Deserialize)]
pub struct Chart {
    /// The name of the file, without its ending.
    pub name: String,
    /// Its heading.
    pub title: String,
    /// What it shows.
    #[serde(flatten)]
    pub kind: ChartKind,
}

/// What a chart shows.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ChartKind {
    /// The distribution of a metric over formulae, for each experiment. The paper's medians are marked.
    Histogram {
        /// The metric, which must have a list.
        metric: String,
        /// The metric with the paper's median.
        median: Option<String>,
        /// The experiments.
        experiments: Vec<String>,
    },
    /// A metric along a sequence of experiments, one line per series. The paper's values are dashed.
    Lines {
        /// The metric.
        metric: String,
        /// The label of the horizontal axis.
        x: String,
        /// The horizontal positions.
        at: Vec<f64>,
        /// The experiments at these positions, by series.
        series: BTreeMap<String, Vec<String>>,
    },
    /// Groups of bars.
    Bars {
        /// The metric.
        metric: String,
        /// Another metric for some of the series.
        #[serde(default)]
        metrics: BTreeMap<String, String>,
        /// The names of the groups.
        groups: Vec<String>,
        /// The experiments of these groups, by series.
        series: BTreeMap<String, Vec<String>>,
    },
}

impl Chart {
    /// The experiments whose results it shows.
    pub fn experiments(&self) -> Vec<&str> {
        match &self.kind {
            ChartKind::Histogram { experiments, .. } => experiments.iter().map(String::as_str).collect(),
            ChartKind::Lines { series, .. } | ChartKind::Bars { series, .. } => {
                series.values().flatten().map(String::as_str).collect()
            }
        }
    }

    /// The metrics that it shows.
    pub fn metrics(&self) -> Vec<&str> {
        match &self.kind {
            ChartKind::Histogram { metric, median, .. } => {
                [Some(metric), median.as_ref()].into_iter().flatten().map(String::as_str).collect()
            }
            ChartKind::Lines { metric, .. } => vec![metric],
            ChartKind::Bars { metric, metrics, .. } => {
                std::iter::once(metric).chain(metrics.values()).map(String::as_str).collect()
            }
        }
    }
}

impl Exhibit {
    /// All experiments that it mentions.
    pub fn experiments(&self) -> impl Iterator<Item = &str> {
        let explained = self.explains.iter().flat_map(|(name, by)| std::iter::once(name).chain(by));
        explained.map(String::as_str).chain(self.shown_experiments())
    }

    /// The experiments whose results it shows.
    pub fn shown_experiments(&self) -> impl Iterator<Item = &str> {
        let rows = self.rows.iter().map(String::as_str);
        let entries = self.entries.iter().map(|entries| entries.experiment.as_str());
        let pictures = self.pictures.iter().map(|picture| picture.experiment.as_str());
        let compared = self.differences.iter().flat_map(|pair| [pair.of.as_str(), pair.minus.as_str()]);
        rows.chain(compared)
            .chain(entries)
            .chain(pictures)
            .chain(self.charts.iter().flat_map(Chart::experiments))
    }
}

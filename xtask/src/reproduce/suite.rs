//! The suite as data: `suite.toml` says which experiments there are, what the paper reports of each, and which tables and
//! figures are made of them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// The whole list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Goes up when code changes what experiments find; results of another version are made anew.
    pub code_version: u32,
    /// What is reduced at the quick scale, in words for the report.
    pub quick_about: String,
    /// Settings of every training at the quick scale.
    pub quick: Vec<String>,
    /// More of them for models with these traits: `conditional`, `gat`, `grows` (has a curriculum).
    pub quick_if: BTreeMap<String, Vec<String>>,
    /// Milliseconds that a formula takes in training, by kind: n = 5, width 250, one thread.
    pub cost: BTreeMap<String, f64>,
    /// Numbers that experiments find.
    pub measure: BTreeMap<String, Measure>,
    pub experiment: Vec<Experiment>,
    pub exhibit: Vec<Exhibit>,
}

/// A number that experiments find, and how it is shown.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    pub title: String,
    /// Where it stands in the result, such as `quartiles.0`.
    pub key: String,
    /// The same for each formula, to resample for a confidence interval.
    pub list: Option<String>,
    /// A percentage without such a list: where it stands of how many independent draws it is.
    pub draws: Option<String>,
    /// The measure is this quantile of the list; otherwise its mean.
    pub quantile: Option<f64>,
    /// A share, shown as a percentage.
    #[serde(default)]
    pub percent: bool,
    #[serde(default = "two")]
    pub digits: usize,
}

fn two() -> usize {
    2
}

/// One experiment.
#[derive(Debug, Deserialize)]
pub struct Experiment {
    pub name: String,
    /// What it is, in a table's row.
    pub title: String,
    pub seed: Option<u64>,
    #[serde(flatten)]
    pub task: Task,
    /// What the paper reports, by measure, as the paper writes it.
    #[serde(default)]
    pub paper: BTreeMap<String, f64>,
}

/// What an experiment does.
#[derive(Debug, Deserialize)]
#[serde(tag = "task", rename_all = "kebab-case")]
pub enum Task {
    /// Draws a dataset, compares it with the committed one byte for byte, and describes it.
    Dataset { preset: String },
    /// One of `logicvae experiment`.
    Kernel { experiment: String },
    /// Trains a model and measures it.
    Train {
        preset: String,
        /// Settings at both scales.
        #[serde(default)]
        set: Vec<String>,
        /// Settings at the paper's scale alone.
        #[serde(default)]
        at_paper: Vec<String>,
        /// Measure refined encodings too.
        #[serde(default)]
        refine: bool,
        /// Begin with the weights that this experiment passes on.
        from: Option<String>,
    },
    /// Measures a trained model in another way.
    Measure { of: String, flags: Vec<String> },
    /// Walks around encodings of test formulae and counts what changes; draws the first walk.
    Walk { of: String, formulae: usize, steps: usize },
    /// Draws a formula's tree.
    Draw { formula: String },
    /// Passes a trained model on: half precision, measured again, with a card.
    Ship {
        of: String,
        /// Only for a training that begins with it: kept with the runs, not among the models.
        #[serde(default)]
        step: bool,
    },
}

/// A model that an experiment passes on.
#[derive(Clone, Copy, Debug)]
pub struct PassedOn<'a> {
    /// The training that it is of.
    pub of: &'a str,
    /// Whether it is only a step on the way to another.
    pub step: bool,
}

impl Task {
    /// The experiments that must be done before.
    pub fn needs(&self) -> Option<&str> {
        match self {
            Task::Measure { of, .. } | Task::Walk { of, .. } | Task::Ship { of, .. } => Some(of),
            Task::Train { from, .. } => from.as_deref(),
            _ => None,
        }
    }
}

/// A table or figure of the paper, or one of ours.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exhibit {
    /// The paper's label, such as `tab:ablations`; `ours:` and a name if it is ours.
    pub id: String,
    pub title: String,
    /// What it shows, and what to know when reading it.
    #[serde(default)]
    pub about: String,
    /// Experiments whose difference from the paper this exhibit explains, each with those that show it.
    #[serde(default)]
    pub explains: BTreeMap<String, Vec<String>>,
    /// A row for each of these experiments.
    #[serde(default)]
    pub rows: Vec<String>,
    /// A column for each of these measures.
    #[serde(default)]
    pub columns: Vec<String>,
    /// A table from the list that an experiment gives.
    pub list: Option<List>,
    /// Pictures that experiments leave.
    #[serde(default)]
    pub pictures: Vec<Picture>,
    /// Charts of results.
    #[serde(default)]
    pub chart: Vec<Chart>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    pub experiment: String,
    /// Keys of an entry.
    pub columns: Vec<String>,
    /// What the paper reports: entries with the same `form` and `variables`.
    #[serde(default)]
    pub paper: Vec<BTreeMap<String, toml::Value>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Picture {
    pub experiment: String,
    /// The name of the file, without its ending.
    pub name: String,
    pub caption: String,
}

/// A chart, drawn by `logicvae plot`.
#[derive(Debug, Deserialize)]
pub struct Chart {
    pub name: String,
    pub title: String,
    #[serde(flatten)]
    pub kind: ChartKind,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ChartKind {
    /// The distribution of a measure's list, for each experiment, with the paper's values as marks.
    Histogram { measure: String, median: Option<String>, experiments: Vec<String> },
    /// A measure along a list of experiments, for each series, with the paper's values dashed.
    Lines { measure: String, x: String, at: Vec<f64>, series: BTreeMap<String, Vec<String>> },
    /// Groups of bars.
    Bars { measure: String, groups: Vec<String>, series: BTreeMap<String, Vec<String>> },
}

impl Chart {
    /// The experiments that it is made of.
    pub fn experiments(&self) -> Vec<&str> {
        match &self.kind {
            ChartKind::Histogram { experiments, .. } => experiments.iter().map(String::as_str).collect(),
            ChartKind::Lines { series, .. } | ChartKind::Bars { series, .. } => {
                series.values().flatten().map(String::as_str).collect()
            }
        }
    }
}

impl Suite {
    /// The suite that is committed.
    pub fn committed() -> Result<Self> {
        Self::parse(include_str!("../../suite.toml")).context("xtask/suite.toml")
    }

    /// Reads a suite, and checks that every name in it is that of something.
    pub fn parse(text: &str) -> Result<Self> {
        let suite: Self = toml::from_str(text)?;
        // Parts that are flattened cannot refuse what they do not know.
        let table: toml::Table = text.parse()?;
        let known = [
            "name",
            "title",
            "task",
            "seed",
            "paper",
            "preset",
            "experiment",
            "set",
            "at_paper",
            "refine",
            "from",
            "of",
            "flags",
            "formulae",
            "steps",
            "formula",
            "step",
        ];
        for entry in table.get("experiment").and_then(toml::Value::as_array).into_iter().flatten() {
            let unknown = entry
                .as_table()
                .into_iter()
                .flat_map(|e| e.keys())
                .find(|key| !known.contains(&key.as_str()));
            if let Some(key) = unknown {
                bail!("{}: there is no `{key}`", entry["name"]);
            }
        }
        let odd = |measure: &Measure| measure.draws.is_some() && (!measure.percent || measure.list.is_some());
        if let Some((name, _)) = suite.measure.iter().find(|(_, measure)| odd(measure)) {
            bail!("measure `{name}`: `draws` is for percentages without a list");
        }
        let mut names = BTreeSet::new();
        for experiment in &suite.experiment {
            // What comes before can be needed, so that there are no cycles.
            if let Some(needed) = experiment.task.needs().filter(|needed| !names.contains(needed)) {
                bail!("`{}` needs `{needed}`, which does not come before it", experiment.name);
            }
            if let Task::Train { from: Some(from), .. } = &experiment.task
                && suite.passed_on(from).is_none()
            {
                bail!("`{}` begins with `{from}`, which passes no model on", experiment.name);
            }
            if !names.insert(experiment.name.as_str()) {
                bail!("there are two experiments `{}`", experiment.name);
            }
            if let Some(measure) = experiment.paper.keys().find(|key| !suite.measure.contains_key(*key)) {
                bail!("`{}`: there is no measure `{measure}`", experiment.name);
            }
        }
        let experiment = |name: &str| match names.contains(name) {
            true => Ok(()),
            false => bail!("there is no experiment `{name}`"),
        };
        let measure = |name: &str| match suite.measure.contains_key(name) {
            true => Ok(()),
            false => bail!("there is no measure `{name}`"),
        };
        for exhibit in &suite.exhibit {
            let check = || -> Result<()> {
                for chart in &exhibit.chart {
                    let (wanted, series) = match &chart.kind {
                        ChartKind::Histogram { .. } => continue,
                        ChartKind::Lines { at, series, .. } => (at.len(), series),
                        ChartKind::Bars { groups, series, .. } => (groups.len(), series),
                    };
                    if let Some((name, list)) = series.iter().find(|(_, list)| list.len() != wanted) {
                        bail!("{}: `{name}` has {} experiments for {wanted} places", chart.name, list.len());
                    }
                }
                exhibit.rows.iter().chain(exhibit.explains.keys()).try_for_each(|name| experiment(name))?;
                exhibit.explains.values().flatten().try_for_each(|name| experiment(name))?;
                exhibit.columns.iter().try_for_each(|name| measure(name))?;
                exhibit.pictures.iter().try_for_each(|picture| experiment(&picture.experiment))?;
                exhibit.list.iter().try_for_each(|list| experiment(&list.experiment))?;
                exhibit.chart.iter().try_for_each(|chart| match &chart.kind {
                    ChartKind::Histogram { measure: of, median, .. } => {
                        measure(of).and_then(|()| median.iter().try_for_each(|median| measure(median)))
                    }
                    ChartKind::Lines { measure: of, .. } | ChartKind::Bars { measure: of, .. } => measure(of),
                })?;
                exhibit.chart.iter().flat_map(Chart::experiments).try_for_each(experiment)
            };
            check().with_context(|| exhibit.id.clone())?;
        }
        Ok(suite)
    }

    pub fn get(&self, name: &str) -> Option<&Experiment> {
        self.experiment.iter().find(|experiment| experiment.name == name)
    }

    /// The model that an experiment passes on, if it does.
    pub fn passed_on(&self, name: &str) -> Option<PassedOn<'_>> {
        match &self.get(name)?.task {
            Task::Ship { of, step } => Some(PassedOn { of, step: *step }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        let head = "code_version = 1\nquick_about = \"\"\nquick = []\n[quick_if]\n[cost]\n[measure]\n";
        format!("{:#}", Suite::parse(&format!("{head}{text}")).unwrap_err())
    }

    #[test]
    fn names_that_are_of_nothing_are_refused() {
        let ship = "[[experiment]]\nname = \"a\"\ntitle = \"\"\ntask = \"ship\"\nof = \"b\"\n";
        let draw = "[[experiment]]\nname = \"b\"\ntitle = \"\"\ntask = \"draw\"\nformula = \"x1\"\n";
        let exhibit = "[[exhibit]]\nid = \"ours:x\"\ntitle = \"\"\n";
        assert!(
            error(&format!("{ship}{draw}{exhibit}")).contains("`a` needs `b`, which does not come before it")
        );
        let train =
            "[[experiment]]\nname = \"c\"\ntitle = \"\"\ntask = \"train\"\npreset = \"tiny\"\nfrom = \"b\"\n";
        assert!(
            error(&format!("{draw}{train}{exhibit}"))
                .contains("`c` begins with `b`, which passes no model on")
        );
        assert!(error(&format!("{draw}{draw}{exhibit}")).contains("two experiments `b`"));
        assert!(error(&format!("{draw}{exhibit}rows = [\"c\"]")).contains("there is no experiment `c`"));
        assert!(
            error(&format!("{draw}{exhibit}columns = [\"accuracy\"]"))
                .contains("there is no measure `accuracy`")
        );
        assert!(
            error(&format!("{draw}paper = {{ accuracy = 1.0 }}\n{exhibit}"))
                .contains("there is no measure `accuracy`")
        );
        let measure = "[measure.a]\ntitle = \"\"\nkey = \"a\"\ndraws = \"n\"\n";
        assert!(
            error(&format!("{measure}{draw}{exhibit}")).contains("measure `a`: `draws` is for percentages")
        );
        let both = format!("{measure}percent = true\nlist = \"all\"\n");
        assert!(
            error(&format!("{both}{draw}{exhibit}"))
                .contains("measure `a`: `draws` is for percentages without a list")
        );
    }

    #[test]
    fn every_experiment_is_shown_somewhere() {
        let suite = Suite::committed().unwrap();
        let shown = |name: &str| {
            suite.exhibit.iter().any(|e| {
                let charts = e.chart.iter().any(|chart| chart.experiments().contains(&name));
                let list = e.list.as_ref().is_some_and(|list| list.experiment == name);
                charts
                    || list
                    || e.rows.iter().any(|n| n == name)
                    || e.pictures.iter().any(|p| p.experiment == name)
            })
        };
        let hidden: Vec<&str> =
            suite.experiment.iter().map(|e| e.name.as_str()).filter(|name| !shown(name)).collect();
        assert!(hidden.is_empty(), "{hidden:?} are in no table or figure");
    }
}

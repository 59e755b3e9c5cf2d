//! Checks a suite: every name in it must refer to something.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};

use super::{Chart, ChartKind, Exhibit, Metric, Suite, Task};

/// Folders beside the families' folders.
const RESERVED: [&str; 2] = ["figures", "models"];

/// Names beside the run folders.
const RESERVED_RUNS: [&str; 3] = ["lock", "steps", "slurm"];

/// Whether some systems give this name to a device.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let numbered = ["com", "lpt"].iter().any(|port| {
        stem.strip_prefix(port)
            .is_some_and(|number| number.len() == 1 && number.as_bytes()[0].is_ascii_digit())
    });
    numbered || ["con", "prn", "aux", "nul"].contains(&stem)
}

/// The endings of files beside a run folder.
const RUN_FILES: [&str; 3] = [".log", ".toml", ".version"];

impl Suite {
    pub(super) fn check(&self) -> Result<()> {
        for (name, metric) in &self.metrics {
            check_metric(metric).with_context(|| format!("metric `{name}`"))?;
        }
        self.check_experiments()?;
        for exhibit in &self.exhibits {
            self.check_exhibit(exhibit).with_context(|| exhibit.id.clone())?;
        }
        Ok(())
    }

    fn check_experiments(&self) -> Result<()> {
        let (mut names, mut folded) = (BTreeSet::new(), BTreeSet::new());
        for experiment in &self.experiments {
            let (name, family) = (&experiment.name, &experiment.family);
            if !is_folder_name(family) || RESERVED.contains(&family.as_str()) {
                bail!("`{name}`: `{family}` cannot be a family: use lower-case letters, digits and dashes");
            }
            if !is_file_name(name) {
                bail!(
                    "`{}` cannot be the name of an experiment, since files are named after it: use at most \
                     100 letters, digits, dashes, dots and underscores, and begin with a letter or a digit",
                    name.escape_debug()
                );
            }
            // Dependencies come first, so that there are no cycles.
            if let Some(missing) = experiment.task.dependency().filter(|needed| !names.contains(needed)) {
                bail!("`{name}` depends on `{missing}`, which does not come before it");
            }
            if let Task::Train(train) = &experiment.task
                && let Some(from) = &train.from
                && self.export(from).is_none()
            {
                bail!("`{name}` starts from `{from}`, which does not export a model");
            }
            let lower = name.to_ascii_lowercase();
            if RESERVED_RUNS.contains(&lower.as_str())
                || is_device(&lower)
                || RUN_FILES.iter().any(|end| lower.ends_with(end))
            {
                bail!("`{name}` cannot be the name of an experiment: a file beside the runs has this name");
            }
            if !names.insert(name.as_str()) {
                bail!("there are two experiments `{name}`");
            }
            if !folded.insert(lower) {
                bail!("there are two experiments `{name}` where upper and lower case are the same");
            }
            for metric in experiment.paper.keys() {
                self.check_metric_name(metric).with_context(|| format!("`{name}`"))?;
            }
        }
        Ok(())
    }

    fn check_exhibit(&self, exhibit: &Exhibit) -> Result<()> {
        exhibit.charts.iter().try_for_each(check_series)?;
        if let Some(missing) = exhibit.experiments().find(|name| self.experiment(name).is_none()) {
            bail!("there is no experiment `{missing}`");
        }
        let mut titles = BTreeSet::new();
        for experiment in exhibit.rows.iter().filter_map(|name| self.experiment(name)) {
            if !titles.insert(experiment.title.as_str()) {
                bail!("two rows are called `{}`", experiment.title);
            }
        }
        let charts = exhibit.charts.iter().flat_map(Chart::metrics);
        let compared = exhibit.differences.iter().map(|pair| pair.metric.as_str());
        let charts = charts.chain(compared);
        exhibit.columns.iter().map(String::as_str).chain(charts).try_for_each(|m| self.check_metric_name(m))
    }

    fn check_metric_name(&self, name: &str) -> Result<()> {
        if !self.metrics.contains_key(name) {
            bail!("there is no metric `{name}`");
        }
        Ok(())
    }
}

fn check_metric(metric: &Metric) -> Result<()> {
    if metric.draws.is_some() && (!metric.percent || metric.list.is_some()) {
        bail!("`draws` is for percentages without a list");
    }
    Ok(())
}

/// Each series of a chart has one experiment for each position.
fn check_series(chart: &Chart) -> Result<()> {
    let (positions, series) = match &chart.kind {
        ChartKind::Histogram { .. } => return Ok(()),
        ChartKind::Lines { at, series, .. } => (at.len(), series),
        ChartKind::Bars { groups, series, .. } => (groups.len(), series),
    };
    if let Some((name, list)) = series.iter().find(|(_, list)| list.len() != positions) {
        bail!("{}: `{name}` has {} experiments for {positions} positions", chart.name, list.len());
    }
    Ok(())
}

fn is_folder_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Whether a file can have this name on every system.
fn is_file_name(text: &str) -> bool {
    text.len() <= 100
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !text.ends_with('.')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        let head = "code_version = 1\n[quick]\n[cost]\ngru = 1.0\ngcn = 1.0\ngat = 1.0\nleaves = 1.0\n";
        format!("{:#}", Suite::parse(&format!("{head}{text}")).unwrap_err())
    }

    fn experiment(name: &str, task: &str) -> String {
        format!("[[experiment]]\nname = \"{name}\"\nfamily = \"test\"\ntitle = \"\"\ntask = {task}\n")
    }

    #[test]
    fn names_that_refer_to_nothing_are_refused() {
        let export = experiment("a", "\"export\"\nmodel = \"b\"");
        let draw = experiment("b", "\"draw\"\nformula = \"x1\"");
        let train = experiment("c", "\"train\"\npreset = \"tiny\"\nfrom = \"b\"");
        let exhibit = "[[exhibit]]\nid = \"ours:x\"\ntitle = \"\"\n";
        let metric = "[metric.a]\ntitle = \"\"\nkey = \"a\"\ndraws = \"n\"\n";
        let drawing = |name: &str| {
            let text = experiment(name, "\"draw\"\nformula = \"x1\"");
            format!("{text}{exhibit}")
        };
        let list = "percent = true\nlist = \"all\"\n";
        for (text, message) in [
            (format!("{export}{draw}{exhibit}"), "`a` depends on `b`, which does not come before it"),
            (format!("{draw}{train}{exhibit}"), "`c` starts from `b`, which does not export a model"),
            (format!("{draw}{draw}{exhibit}"), "two experiments `b`"),
            (format!("{draw}{exhibit}rows = [\"c\"]"), "there is no experiment `c`"),
            (format!("{draw}{exhibit}columns = [\"accuracy\"]"), "there is no metric `accuracy`"),
            (format!("{draw}paper = {{ accuracy = 1.0 }}\n{exhibit}"), "there is no metric `accuracy`"),
            (format!("{metric}{draw}{exhibit}"), "metric `a`: `draws` is for percentages"),
            (format!("{metric}{list}{draw}{exhibit}"), "`draws` is for percentages without a list"),
            (format!("{draw}fromula = \"x2\"\n{exhibit}"), "fromula"),
            (format!("{train}{exhibit}").replace("from =", "frm ="), "frm"),
            (format!("{draw}{exhibit}").replace("\"test\"", "\"figures\""), "cannot be a family"),
            (drawing("../b"), "cannot be the name of an experiment"),
            (drawing("a/b"), "cannot be the name of an experiment"),
            (drawing(""), "cannot be the name of an experiment"),
            (drawing("-b"), "cannot be the name of an experiment"),
            (drawing("lock"), "a file beside the runs has this name"),
            (drawing("NUL"), "a file beside the runs has this name"),
            (drawing("a.log"), "a file beside the runs has this name"),
            (format!("{draw}{}{exhibit}", experiment("B", "\"draw\"\nformula = \"x1\"")), "are the same"),
        ] {
            assert!(error(&text).contains(message), "{message}: {}", error(&text));
        }
    }

    #[test]
    fn every_experiment_is_shown_somewhere() {
        let suite = Suite::committed().unwrap();
        let shown: BTreeSet<&str> = suite.exhibits.iter().flat_map(Exhibit::shown_experiments).collect();
        let names = suite.experiments.iter().map(|experiment| experiment.name.as_str());
        let hidden: Vec<&str> = names.filter(|name| !shown.contains(name)).collect();
        assert!(hidden.is_empty(), "{hidden:?} are in no table or figure");
    }
}

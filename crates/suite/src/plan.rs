//! The plan: which experiments have to run.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Result, bail};
use logicvae_vae::{Config, Run};

use crate::estimate::{task_seconds, training_seconds};
use crate::fingerprint::{fingerprint, training_origin};
use crate::layout::{Layout, Scale};
use crate::record::{LastEpoch, Record, read_result};
use crate::settings::training_config;
use crate::suite::{Experiment, Suite, Task};

/// An experiment with everything that is known before it starts.
#[derive(Clone, Debug)]
pub struct Step {
    /// The name of the experiment.
    pub name: String,
    /// All settings of a training.
    pub config: Option<Config>,
    /// Identifies settings and code: a result with another fingerprint is outdated.
    pub fingerprint: String,
    /// The code version and initial weights of a training: a run with another origin is not resumed.
    pub origin: String,
    /// Estimated seconds.
    pub estimate: f64,
    /// Whether there is a result with this fingerprint.
    pub up_to_date: bool,
    /// Whether there is nothing to do: the result is up to date, and the run or model that other experiments
    /// still need is there.
    pub done: bool,
}

impl Step {
    /// Whether the run folder of a training has these settings and this origin, so that it can be resumed.
    pub fn is_begun(&self, layout: &Layout) -> bool {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let config = Config::from_toml(&read(layout.run_folder(&self.name).join("config.toml"))).ok();
        config.is_some() && config == self.config && read(layout.origin_file(&self.name)) == self.origin
    }

    /// Whether the run folder of a training holds the completed training.
    fn has_completed_run(&self, layout: &Layout, result: Option<&Record>) -> bool {
        let last = LastEpoch::read(&layout.run_folder(&self.name));
        let all_epochs = self.config.as_ref().is_some_and(|c| c.training.epochs as u64 == last.epoch);
        // Early stopping leaves fewer epochs: then the result must come from this very training.
        let seconds = result.and_then(|result| result.training_seconds);
        let same = last.seconds.zip(seconds).is_some_and(|(a, b)| (a - b).abs() <= 1e-4 * b);
        self.is_begun(layout) && (all_epochs || same)
    }
}

/// Plans the named experiments and those they depend on, or all experiments if none are named.
pub fn plan(suite: &Suite, layout: &Layout, only: &[String]) -> Result<Vec<Step>> {
    let mut steps: Vec<Step> = Vec::new();
    let mut fingerprints: BTreeMap<&str, String> = BTreeMap::new();
    for experiment in select(suite, layout.scale, only)? {
        let dependency = experiment.task.dependency().and_then(|name| fingerprints.get(name));
        let step = plan_step(suite, layout, experiment, dependency.map_or("", String::as_str))?;
        fingerprints.insert(&experiment.name, step.fingerprint.clone());
        steps.push(step);
    }
    require_models_and_runs(suite, layout, &mut steps);
    Ok(steps)
}

/// The named experiments, or all of the scale, with all dependencies, in the order of the suite.
fn select<'a>(suite: &'a Suite, scale: Scale, only: &[String]) -> Result<Vec<&'a Experiment>> {
    if let Some(name) = only.iter().find(|name| suite.experiment(name).is_none()) {
        bail!("there is no experiment `{name}`: --list shows them");
    }
    let mut wanted: Vec<&str> = Vec::new();
    let mut selected: Vec<&Experiment> = Vec::new();
    for experiment in suite.experiments.iter().rev() {
        let named = match only.is_empty() {
            true => scale == Scale::Paper || !experiment.paper_only,
            false => only.contains(&experiment.name),
        };
        if named || wanted.contains(&experiment.name.as_str()) {
            wanted.extend(experiment.task.dependency());
            selected.push(experiment);
        }
    }
    selected.reverse();
    Ok(selected)
}

fn plan_step(suite: &Suite, layout: &Layout, experiment: &Experiment, dependency: &str) -> Result<Step> {
    let config = match &experiment.task {
        Task::Train(train) => Some(training_config(suite, experiment, train, layout.scale)?),
        _ => None,
    };
    let fingerprint = fingerprint(suite.code_version, experiment, config.as_ref(), layout.scale, dependency)?;
    let result = read_result(&layout.result(experiment));
    let up_to_date = result.is_some_and(|result| result.fingerprint == fingerprint);
    let mut step = Step {
        name: experiment.name.clone(),
        config,
        fingerprint,
        origin: training_origin(suite.code_version, dependency),
        estimate: task_seconds(&experiment.task, layout.scale),
        up_to_date,
        done: up_to_date,
    };
    if let Some(config) = &step.config {
        let begun = step.is_begun(layout);
        let epochs = if begun { LastEpoch::read(&layout.run_folder(&step.name)).epoch } else { 0 };
        step.estimate = training_seconds(&suite.cost, config, epochs, layout.scale);
    }
    Ok(step)
}

/// Results are kept in the repository, but runs and intermediate exports are not. A step is not done if the
/// model that it exports to users is missing, or if what it leaves is missing and a step that is not done
/// depends on it.
fn require_models_and_runs(suite: &Suite, layout: &Layout, steps: &mut [Step]) {
    for step in steps.iter_mut() {
        if suite.export(&step.name).is_some_and(|export| !export.intermediate) {
            step.done &= leaves_its_output(suite, layout, step);
        }
    }
    // From last to first: what has to be made again may itself need something.
    for at in (0..steps.len()).rev() {
        if steps[at].done {
            continue;
        }
        let dependency =
            suite.experiment(&steps[at].name).and_then(|experiment| experiment.task.dependency());
        if let Some(step) = dependency.and_then(|name| steps.iter_mut().find(|step| step.name == name)) {
            step.done &= leaves_its_output(suite, layout, step);
        }
    }
}

/// Whether the run or the exported model that an experiment leaves for others is there.
fn leaves_its_output(suite: &Suite, layout: &Layout, step: &Step) -> bool {
    let Some(experiment) = suite.experiment(&step.name) else { return false };
    let result = read_result(&layout.result(experiment));
    match experiment.task.export() {
        Some(export) => {
            // A damaged model is made again.
            let weights = Run::open(layout.model(export)).and_then(|run| run.verify());
            let weights = weights.ok().map(|bytes| format!("{:08x}", crc32fast::hash(&bytes)));
            weights.is_some() && weights == result.and_then(|result| result.checksum)
        }
        None => step.has_completed_run(layout, result.as_ref()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_scale_leaves_some_experiments_out_unless_they_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let suite = Suite::committed().unwrap();
        let planned = |scale, only: &[String]| -> Vec<String> {
            let layout = Layout::new(scale, Some(folder.path()), Some(folder.path())).unwrap();
            plan(&suite, &layout, only).unwrap().into_iter().map(|step| step.name).collect()
        };
        let left_out = "published-gcn-5-layers-1".to_owned();
        assert!(!planned(Scale::Quick, &[]).contains(&left_out));
        assert!(planned(Scale::Paper, &[]).contains(&left_out));
        assert_eq!(planned(Scale::Quick, std::slice::from_ref(&left_out)), [left_out]);
    }

    #[test]
    fn runs_are_recognised_by_their_settings_and_origin() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(Scale::Quick, Some(folder.path()), Some(folder.path())).unwrap();
        let suite = Suite::committed().unwrap();
        let steps = plan(&suite, &layout, &["best-4".into()]).unwrap();
        let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
        assert_eq!(names, ["best-4-first", "export-best-4-first", "best-4"], "with all dependencies");
        let step = &steps[2];
        assert!(!step.is_begun(&layout), "there is no run");

        let config = step.config.as_ref().unwrap();
        let run = layout.run_folder(&step.name);
        fs::create_dir_all(&run).unwrap();
        // The text may differ from what this version would write, as long as it means the same.
        fs::write(run.join("config.toml"), format!("# A comment.\n{}", config.to_toml().unwrap())).unwrap();
        assert!(!step.is_begun(&layout), "there is no origin");
        fs::write(layout.origin_file(&step.name), &step.origin).unwrap();
        assert!(step.is_begun(&layout));
        let longer = config.with(&["training.epochs=21"]).unwrap();
        fs::write(run.join("config.toml"), longer.to_toml().unwrap()).unwrap();
        assert!(!step.is_begun(&layout), "other settings");
    }
}

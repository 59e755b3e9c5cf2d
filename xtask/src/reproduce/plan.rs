//! What is to be done: settings, fingerprints, and how long it will take.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::reproduce::place::{Place, Scale, read_json};
use crate::reproduce::suite::{Experiment, Suite, Task};
use crate::shell;

/// An experiment with all that is known before it starts.
#[derive(Clone, Debug)]
pub struct Step {
    pub name: String,
    /// All settings of a training, as TOML.
    pub config: Option<String>,
    /// What was asked for and by which code: a result with another fingerprint is made anew.
    pub fingerprint: String,
    /// Which code a training is by, and what it begins with: a run with another mark does not go on.
    pub mark: String,
    /// Seconds on this number of threads, roughly.
    pub estimate: f64,
    /// Whether there is a result with this fingerprint.
    pub known: bool,
    /// Whether there is nothing to do: the result is known, and what is left for others, if they still need it, is there.
    pub done: bool,
}

impl Step {
    /// Whether the run folder of a training is of these settings, by this code, and began with what it should.
    pub fn is_begun(&self, place: &Place) -> bool {
        let text = |path| fs::read_to_string(path).unwrap_or_default();
        let config = self.config.as_deref().unwrap_or_default();
        text(place.run(&self.name).join("config.toml")) == config && text(place.mark(&self.name)) == self.mark
    }
}

/// Plans the named experiments and what they need; all if none are named.
pub fn plan(suite: &Suite, place: &Place, only: &[String]) -> Result<Vec<Step>> {
    for name in only {
        if suite.get(name).is_none() {
            bail!("there is no experiment `{name}`: --list shows them");
        }
    }
    let mut wanted: Vec<&str> = Vec::new();
    for experiment in suite.experiment.iter().rev() {
        let named = only.is_empty() || only.contains(&experiment.name);
        if named || wanted.contains(&experiment.name.as_str()) {
            wanted.push(&experiment.name);
            wanted.extend(experiment.task.needs());
        }
    }
    let mut steps: Vec<Step> = Vec::new();
    let mut prints: BTreeMap<&str, String> = BTreeMap::new();
    for experiment in suite.experiment.iter().filter(|e| wanted.contains(&e.name.as_str())) {
        let config = match &experiment.task {
            Task::Train { .. } => Some(config(suite, experiment, place)?),
            _ => None,
        };
        let needed = experiment.task.needs().and_then(|name| prints.get(name)).cloned().unwrap_or_default();
        let what = match &experiment.task {
            // The settings say it all, but for how it is measured.
            Task::Train { refine, .. } => {
                let quick = if place.scale == Scale::Quick { " quick" } else { "" };
                format!("train refine={refine}{quick} {}", config.as_deref().unwrap_or_default())
            }
            // Where it is kept makes no difference.
            Task::Ship { of, .. } => {
                format!("Ship {{ of: {of:?} }} seed={:?} {}", experiment.seed, place.scale.name())
            }
            other => format!("{other:?} seed={:?} {}", experiment.seed, place.scale.name()),
        };
        let fingerprint = format!("{:016x}", fnv(&format!("{} {what} {needed}", suite.code_version)));
        let mark = format!("{} {needed}", suite.code_version).trim_end().to_owned();
        prints.insert(&experiment.name, fingerprint.clone());
        let found = read_json(&place.result(&experiment.name));
        let known = found.is_some_and(|found| found["fingerprint"] == fingerprint.as_str());
        let name = experiment.name.clone();
        let mut step = Step { name, config, fingerprint, mark, estimate: 0.0, known, done: known };
        step.estimate = estimate(suite, experiment, &step, place)?;
        steps.push(step);
    }
    // Models that are passed on to users are made again where they are missing.
    for step in &mut steps {
        if suite.passed_on(&step.name).is_some_and(|passed| !passed.step) {
            step.done &= is_there(suite, place, step);
        }
    }
    // What is still to be measured, passed on or begun with must be there: results are kept, their runs need not be. From the
    // last to the first, since what is not there may itself need something.
    for at in (0..steps.len()).rev() {
        let needed = suite.get(&steps[at].name).and_then(|experiment| experiment.task.needs());
        if let Some(needed) = needed.filter(|_| !steps[at].done)
            && let Some(step) = steps.iter_mut().find(|step| step.name == needed)
        {
            step.done &= is_there(suite, place, step);
        }
    }
    Ok(steps)
}

/// Whether what an experiment leaves for others is there: a complete run, or a model.
fn is_there(suite: &Suite, place: &Place, step: &Step) -> bool {
    let config = step.config.as_deref().unwrap_or_default();
    match suite.passed_on(&step.name) {
        // By checksum: results are kept in the repository, and models of steps are not.
        Some(model) => {
            let about = read_json(&place.model(model).join("run.json"));
            let result = read_json(&place.result(&step.name));
            about.zip(result).is_some_and(|(about, result)| about["export"]["weights"] == result["checksum"])
        }
        None => step.is_begun(place) && is_complete(place, &step.name, config),
    }
}

/// Whether a training has seen all its epochs, or ended before by itself.
fn is_complete(place: &Place, name: &str, config: &str) -> bool {
    let epochs = config.parse().map_or(0.0, |config| number(&config, &["training", "epochs"]));
    let seconds = read_json(&place.result(name)).and_then(|found| found["training_seconds"].as_f64());
    let last = place.newest(name);
    // The result was made of this very training: early stopping leaves fewer epochs.
    let same = last["seconds"].as_f64().zip(seconds).is_some_and(|(a, b)| (a - b).abs() <= 1e-4 * b);
    same || last["epoch"].as_f64() == Some(epochs)
}

/// A number among settings; 0 if there is none.
pub fn number(config: &toml::Table, path: &[&str]) -> f64 {
    let found = path[1..].iter().fold(config.get(path[0]), |value, key| value.and_then(|v| v.get(key)));
    found.and_then(|v| v.as_float().or_else(|| v.as_integer().map(|i| i as f64))).unwrap_or(0.0)
}

/// FNV-1a: the same on every machine and for ever.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// The flags of `logicvae train` that give an experiment's settings at a scale.
pub fn settings(suite: &Suite, experiment: &Experiment, scale: Scale) -> Vec<String> {
    let Task::Train { preset, set, at_paper, .. } = &experiment.task else { return Vec::new() };
    let mut all: Vec<&str> = Vec::new();
    if scale == Scale::Quick {
        all.extend(suite.quick.iter().map(String::as_str));
        let traits = [
            ("conditional", preset.starts_with("cvae-") || preset.starts_with("leaves-")),
            ("gat", preset.contains("gat-")),
            (
                "grows",
                ["-4", "-5"].iter().any(|n| preset.contains(n))
                    && !preset.starts_with("shapes")
                    && !preset.starts_with("leaves"),
            ),
        ];
        for (name, _) in traits.iter().filter(|(_, has)| *has) {
            all.extend(suite.quick_if.get(*name).into_iter().flatten().map(String::as_str));
        }
    }
    all.extend(set.iter().map(String::as_str));
    if scale == Scale::Paper {
        all.extend(at_paper.iter().map(String::as_str));
    }
    let mut flags = vec!["--preset".to_owned(), preset.clone()];
    let seed = experiment.seed.map(|seed| format!("seed={seed}"));
    for setting in all.into_iter().chain(seed.as_deref()) {
        flags.extend(["--set".to_owned(), setting.to_owned()]);
    }
    flags
}

/// All settings, as the program understands them.
fn config(suite: &Suite, experiment: &Experiment, place: &Place) -> Result<String> {
    let mut show = Command::new(&place.program);
    show.args(["train", "--show"]).args(settings(suite, experiment, place.scale));
    shell::output(&mut show).with_context(|| format!("the settings of `{}`", experiment.name))
}

/// Seconds, as far as can be told beforehand: what is trained already counts less.
fn estimate(suite: &Suite, experiment: &Experiment, step: &Step, place: &Place) -> Result<f64> {
    let quick = place.scale == Scale::Quick;
    let Some(config) = &step.config else {
        return Ok(match &experiment.task {
            Task::Kernel { experiment } if experiment == "classification" || experiment == "variance" => {
                if quick {
                    10.0
                } else {
                    60.0
                }
            }
            Task::Walk { formulae, .. } => *formulae as f64,
            Task::Measure { .. } | Task::Ship { .. } => 10.0,
            _ => 3.0,
        });
    };
    let config: toml::Table = config.parse()?;
    let number = |path: &[&str]| number(&config, path);
    let task = config.get("model").and_then(|m| m.get("task")).and_then(toml::Value::as_str);
    let kind = config
        .get("model")
        .and_then(|m| m.get("encoder"))
        .and_then(|e| e.get("kind"))
        .and_then(toml::Value::as_str);
    let cost = suite.cost.get(task.or(kind).unwrap_or_default()).copied().unwrap_or(2.0);
    let epochs = number(&["training", "epochs"]);
    let trained = place.newest(&step.name)["epoch"].as_f64().filter(|_| step.is_begun(place)).unwrap_or(0.0);
    let formulae = number(&["data", "set", "train"]) * (epochs - trained).max(0.0);
    // Of several formulae one is learned from; the others are only looked at.
    let focus = number(&["training", "focus"]).max(1.0);
    let learned = 0.25 + 0.75 / focus;
    let width = number(&["model", "hidden"]) / 250.0;
    let size = number(&["data", "set", "sampler", "max_nodes"]) / 22.0;
    let measuring = if quick { 3.0 } else { 15.0 };
    Ok(measuring + formulae * learned * cost * 1e-3 * size * (0.15 + 0.85 * width * width))
}

//! Fingerprints: what identifies a result.
//!
//! A result is up to date if its fingerprint equals that of the planned experiment. The fingerprint is a hash
//! of a text that contains the code version, the task with all its settings, and the fingerprint of the
//! experiment it depends on.
//!
//! **The texts in this file must never change**, because the committed results are recognised by them. That
//! is why they are written out here, independent of how types and settings are called today, and why the
//! tests pin fingerprints of committed results.

use anyhow::{Context, Result};
use logicvae_logic::fnv1a;
use logicvae_vae::Config;

use crate::layout::Scale;
use crate::suite::{Experiment, Task};

/// The fingerprint of an experiment. `config` are the settings of a training, and `dependency` is the
/// fingerprint of the experiment that it depends on, or empty.
pub fn fingerprint(
    code_version: u32,
    experiment: &Experiment,
    config: Option<&Config>,
    scale: Scale,
    dependency: &str,
) -> Result<String> {
    let task = match (&experiment.task, config) {
        (Task::Train(train), Some(config)) => training_text(train.refine, scale, config)
            .with_context(|| format!("the settings of `{}`", experiment.name))?,
        (task, _) => format!("{} seed={} {}", task_text(task), seed_text(experiment.seed), scale.name()),
    };
    Ok(format!("{:016x}", fnv1a(&format!("{code_version} {task} {dependency}"))))
}

/// What a training started from: the code version and the fingerprint of its initial weights. It is stored
/// beside the run folder; a run with another origin is not resumed.
pub fn training_origin(code_version: u32, dependency: &str) -> String {
    format!("{code_version} {dependency}").trim_end().to_owned()
}

/// The settings identify a training. What they do not say is the protocol of the evaluation.
fn training_text(refine: bool, scale: Scale, config: &Config) -> Result<String> {
    let quick = if scale == Scale::Quick { " quick" } else { "" };
    Ok(format!("train refine={refine}{quick} {}", settings_text(config)?))
}

/// The settings as TOML, with the names that settings had before they were renamed.
fn settings_text(config: &Config) -> Result<String> {
    Ok(config.canonical()?)
}

/// A task other than a training.
fn task_text(task: &Task) -> String {
    match task {
        Task::Dataset { preset } => format!("Dataset {{ preset: \"{preset}\" }}"),
        Task::Kernel { experiment } => format!("Kernel {{ experiment: \"{}\" }}", experiment.name()),
        Task::Train(train) => format!("Train {{ preset: \"{}\" }}", train.preset),
        Task::Evaluate { model, flags } => {
            let flags: Vec<String> = flags.iter().map(|flag| format!("\"{flag}\"")).collect();
            format!("Measure {{ of: \"{}\", flags: [{}] }}", model_text(model), flags.join(", "))
        }
        Task::Walk { model, formulae, steps } => {
            format!("Walk {{ of: \"{}\", formulae: {formulae}, steps: {steps} }}", model_text(model))
        }
        Task::Draw { formula } => format!("Draw {{ formula: \"{formula}\" }}"),
        // Where the export is stored makes no difference.
        Task::Export { model, .. } => format!("Ship {{ of: \"{}\" }}", model_text(model)),
    }
}

/// The experiment that a model comes from. Names that begin with `export-` began with `ship-` in the first
/// release.
fn model_text(model: &str) -> String {
    match model.strip_prefix("export-") {
        Some(rest) => format!("ship-{rest}"),
        None => model.to_owned(),
    }
}

fn seed_text(seed: Option<u64>) -> String {
    seed.map_or("None".to_owned(), |seed| format!("Some({seed})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Layout, root};
    use crate::plan::plan;
    use crate::record::read_result;
    use crate::suite::Suite;

    /// Fingerprints of committed results: every kind of task, every kind of model, and settings that are
    /// rarely used.
    const PINNED: [(&str, &str); 16] = [
        ("data-3", "6072c6befd4a4c69"),
        ("kernel-pool", "ac2e171b9bbb88fc"),
        ("ast", "55fa45ca9415bdfc"),
        ("gcn-5", "4c81ecd2bd31aa65"),
        ("gat-3", "82df93dddbf792ea"),
        ("cvae-best-5", "14760ccfe7dbf9d8"),
        ("best-4-first", "ec122b7303c6eba9"),
        ("best-5", "89f86f116247bc87"),
        ("gcn-5-written-seen", "8ac15cf04225522a"),
        ("cvae-gat-4-near", "483ad3810345d2dc"),
        ("gcn-5-budget", "df72f455175b667c"),
        ("slerp-best", "2d6e17e7edddcc5c"),
        ("export-gcn-5", "e81527e958de1ab4"),
        ("export-best-5", "607e74a7056ad10b"),
        ("leaves-10", "d0c836d83b21b1c5"),
        ("gcn-5-no-crossover", "e6bd28fe5e1c92ae"),
    ];

    fn fingerprints() -> Vec<(String, String)> {
        let suite = Suite::committed().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(Scale::Paper, Some(folder.path()), Some(folder.path())).unwrap();
        let steps = plan(&suite, &layout, &[]).unwrap();
        steps.into_iter().map(|step| (step.name, step.fingerprint)).collect()
    }

    #[test]
    fn fingerprints_stay_what_they_were() {
        let planned = fingerprints();
        for (name, wanted) in PINNED {
            let found = planned.iter().find(|(planned, _)| planned == name);
            assert_eq!(found.map(|(_, print)| print.as_str()), Some(wanted), "{name}");
        }
    }

    #[test]
    fn committed_results_are_up_to_date() {
        let suite = Suite::committed().unwrap();
        let layout = Layout::new(Scale::Paper, Some(&root().join("results")), None).unwrap();
        for (name, fingerprint) in fingerprints() {
            let experiment = suite.experiment(&name).unwrap();
            // Experiments without a result have not been run yet.
            if let Some(record) = read_result(&layout.result(experiment)) {
                assert_eq!((record.name, record.fingerprint), (name, fingerprint));
            }
        }
    }

    #[test]
    fn runs_remember_their_origin() {
        assert_eq!(training_origin(1, ""), "1");
        assert_eq!(training_origin(1, "89f86f116247bc87"), "1 89f86f116247bc87");
    }
}

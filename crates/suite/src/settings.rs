//! The settings of a training, from its preset and the changes that the suite declares.

use anyhow::{Context, Result};
use logicvae_gnn::Kind;
use logicvae_vae::Config;

use crate::layout::Scale;
use crate::suite::{Experiment, Quick, Suite, Train};

/// All settings of a training at a scale. Later changes override earlier ones: those of the quick scale,
/// those of the experiment, those of the experiment at the paper's scale, the seed.
pub fn training_config(
    suite: &Suite,
    experiment: &Experiment,
    train: &Train,
    scale: Scale,
) -> Result<Config> {
    let preset = Config::preset(&train.preset)
        .with_context(|| format!("`{}`: there is no preset `{}`", experiment.name, train.preset))?;
    let mut changes: Vec<&str> = Vec::new();
    if scale == Scale::Quick {
        changes.extend(quick_changes(&suite.quick, &preset));
    }
    changes.extend(train.set.iter().map(String::as_str));
    if scale == Scale::Paper {
        changes.extend(train.at_paper.iter().map(String::as_str));
    }
    let seed = experiment.seed.map(|seed| format!("seed={seed}"));
    changes.extend(seed.as_deref());
    preset.with(&changes).with_context(|| format!("the settings of `{}`", experiment.name))
}

/// How the quick scale reduces a preset.
fn quick_changes<'a>(quick: &'a Quick, preset: &Config) -> impl Iterator<Item = &'a str> {
    let parts = [
        (true, &quick.set),
        (preset.context.is_some(), &quick.conditional),
        (preset.model.encoder.kind == Kind::Gat, &quick.gat),
        (preset.data.curriculum > 0, &quick.curriculum),
    ];
    parts.into_iter().filter(|(applies, _)| *applies).flat_map(|(_, changes)| changes).map(String::as_str)
}

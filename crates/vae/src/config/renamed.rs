//! Settings that have been renamed. Their old names stay readable, and the fingerprints of results do not
//! change.

use super::Config;
use crate::error::VaeError;

/// Old and new names. The fields also carry the old name as a serde alias.
const RENAMED: [(&str, &str); 6] = [
    ("model.goals", "model.goal_conditioned"),
    ("data.crossing", "data.crossover"),
    ("training.focus", "training.hardest_of"),
    ("training.polish", "training.fine_tune_epochs"),
    ("training.polish_rate", "training.fine_tune_learning_rate"),
    ("training.polish_beta", "training.fine_tune_beta"),
];

/// The current name of a setting, given as `section.name`.
pub(super) fn current_name(path: &str) -> &str {
    RENAMED.iter().find(|(old, _)| *old == path).map_or(path, |(_, new)| new)
}

impl Config {
    /// The settings as text with the names from before the renaming, from which fingerprints of results are
    /// computed. It never changes for a given set of settings, whatever their names are today.
    pub fn canonical(&self) -> Result<String, VaeError> {
        let mut config = self.clone();
        if let Some(lambda) = config.training.lambda.take() {
            config.training.beta = lambda;
        }
        let (mut text, mut section) = (String::new(), String::new());
        for line in config.to_toml()?.lines() {
            if let Some(name) = line.strip_prefix('[') {
                section = name.trim_end_matches(']').to_owned();
            }
            let (key, value) = line.split_once(" = ").unwrap_or((line, ""));
            let path = format!("{section}.{key}");
            match RENAMED.iter().find_map(|(old, new)| (*new == path).then_some(old.rsplit_once('.')?.1)) {
                Some(old) => text.push_str(&format!("{old} = {value}")),
                None => text.push_str(line),
            }
            text.push('\n');
        }
        Ok(text)
    }

    /// Gives settings that were written with an older meaning their current one.
    pub(super) fn modernise(&mut self) {
        // The weight λ of leaf models used to be called β.
        if self.model.task == super::Task::Leaves && self.training.lambda.is_none() {
            self.training.lambda = Some(std::mem::take(&mut self.training.beta));
        }
    }
}

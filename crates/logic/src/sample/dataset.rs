//! Datasets: different formulae in splits that share none, and the presets of the paper.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::params::{SampleError, SamplerParams};
use crate::formula::Formula;

/// How to make a dataset: a sampler's settings, a seed, and how many formulae each split has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatasetSpec {
    /// The sampler's settings.
    pub sampler: SamplerParams,
    /// The seed of the sequence.
    pub seed: u64,
    /// The number of training formulae.
    pub train: usize,
    /// The number of validation formulae.
    pub valid: usize,
    /// The number of test formulae.
    pub test: usize,
}

/// A part of a dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// What a model learns from.
    Train,
    /// What decides when to stop.
    Valid,
    /// What results are reported on.
    Test,
}

impl Split {
    /// All splits, in the order in which their formulae are drawn.
    pub const ALL: [Split; 3] = [Split::Train, Split::Valid, Split::Test];
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Split::Train => "train",
            Split::Valid => "valid",
            Split::Test => "test",
        })
    }
}

impl FromStr for Split {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|s| s.to_string() == name)
            .ok_or_else(|| format!("there is no split `{name}`: use train, valid or test"))
    }
}

/// Formulae that are all different, in three splits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dataset {
    /// What a model learns from.
    pub train: Vec<Formula>,
    /// What decides when to stop.
    pub valid: Vec<Formula>,
    /// What results are reported on.
    pub test: Vec<Formula>,
}

impl DatasetSpec {
    /// Names that [`DatasetSpec::preset`] knows.
    pub const PRESETS: [&str; 4] = ["paper-3", "paper-4", "paper-5", "paper-10"];

    /// The dataset that the paper describes for 3, 4, 5 or 10 variables: 4,000 training, 500 validation and 300 test
    /// formulae, `p_leaf` = 0.4, every variable present, at most 14, 18, 22 or 42 nodes (4n + 2). These limits give
    /// the mean sizes that the paper reports.
    ///
    /// ```
    /// use logicvae_logic::DatasetSpec;
    /// assert_eq!(DatasetSpec::preset("paper-5").map(|p| p.sampler.max_nodes), Some(22));
    /// ```
    pub fn preset(name: &str) -> Option<Self> {
        let variables =
            name.strip_prefix("paper-").filter(|_| Self::PRESETS.contains(&name))?.parse().ok()?;
        let max_nodes = 4 * variables as usize + 2;
        let sampler = SamplerParams { max_nodes, all_variables: true, ..SamplerParams::new(variables) };
        Some(Self { sampler, seed: 2023, train: 4000, valid: 500, test: 300 })
    }

    /// The number of formulae in all splits.
    pub fn len(&self) -> usize {
        self.train + self.valid + self.test
    }

    /// Whether there are no formulae at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where in the sequence of different formulae a split lies.
    pub fn range(&self, split: Split) -> Range<usize> {
        match split {
            Split::Train => 0..self.train,
            Split::Valid => self.train..self.train + self.valid,
            Split::Test => self.train + self.valid..self.len(),
        }
    }

    /// Draws the formulae. No two are equal, so splits never share one.
    pub fn generate(&self) -> Result<Dataset, SampleError> {
        let all = self.sampler.check()?.distinct(self.seed, self.len())?;
        let part = |split| all[self.range(split)].to_vec();
        Ok(Dataset { train: part(Split::Train), valid: part(Split::Valid), test: part(Split::Test) })
    }
}

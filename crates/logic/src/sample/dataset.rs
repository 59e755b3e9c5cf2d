//! Data sets: distinct formulae in disjoint splits, and the presets of the paper.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::params::{SampleError, SamplerParams};
use crate::formula::Formula;

/// A description of a data set: the sampler's settings, a seed, and the size of each split.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatasetSpec {
    /// The sampler's settings.
    pub sampler: SamplerParams,
    /// The seed.
    pub seed: u64,
    /// The number of training formulae.
    pub train: usize,
    /// The number of validation formulae.
    pub valid: usize,
    /// The number of test formulae.
    pub test: usize,
}

/// A split of a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// For training the model.
    Train,
    /// For model selection and early stopping.
    Valid,
    /// For reporting results.
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

/// Distinct formulae in three disjoint splits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dataset {
    /// For training the model.
    pub train: Vec<Formula>,
    /// For model selection and early stopping.
    pub valid: Vec<Formula>,
    /// For reporting results.
    pub test: Vec<Formula>,
}

impl DatasetSpec {
    /// The names accepted by [`DatasetSpec::preset`].
    pub const PRESETS: [&str; 4] = ["paper-3", "paper-4", "paper-5", "paper-10"];

    /// The data set that the paper describes for 3, 4, 5 or 10 variables: 4,000 training, 500 validation and
    /// 300 test formulae, `p_leaf` = 0.4, every variable present, at most 14, 18, 22 or 42 nodes (4n + 2).
    /// With these limits, the mean sizes match those reported in the paper.
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

    /// The total number of formulae in all splits.
    pub fn len(&self) -> usize {
        self.train + self.valid + self.test
    }

    /// Whether there are no formulae at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The range of a split within the sequence of distinct formulae.
    pub fn range(&self, split: Split) -> Range<usize> {
        match split {
            Split::Train => 0..self.train,
            Split::Valid => self.train..self.train + self.valid,
            Split::Test => self.train + self.valid..self.len(),
        }
    }

    /// Samples the data set. All formulae are distinct, so the splits are disjoint.
    pub fn generate(&self) -> Result<Dataset, SampleError> {
        let all = self.sampler.check()?.distinct(self.seed, self.len())?;
        let part = |split| all[self.range(split)].to_vec();
        Ok(Dataset { train: part(Split::Train), valid: part(Split::Valid), test: part(Split::Test) })
    }
}

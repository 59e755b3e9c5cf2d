//! Data sets: distinct formulae in disjoint splits, or drawn as the paper's program draws them; and presets.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::form::{FormulaForm, VariableNames};
use super::params::{OperatorWeights, SampleError, SamplerParams};
use super::sampler::Sampler;
use crate::formula::Formula;
use crate::random::mix64;

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
    /// Whether validation and test formulae are drawn independently of the training formulae, with
    /// repetitions. Many of them are training formulae then. A fourth split, as large as the test set, has
    /// formulae that are not.
    #[serde(default, skip_serializing_if = "is_default")]
    pub independent: bool,
    /// The names that variables get after formulae are drawn and repetitions dropped.
    #[serde(default, skip_serializing_if = "is_default")]
    pub names: VariableNames,
    /// Whether the children of ∧ and ∨ are sorted then, before renaming.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sorted: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
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
    /// For reporting results on formulae that equal no training or validation formula, not even up to the
    /// order of children. Only data sets whose test set is drawn independently have it.
    Unseen,
}

impl Split {
    /// All splits, in the order in which their formulae are drawn.
    pub const ALL: [Split; 4] = [Split::Train, Split::Valid, Split::Test, Split::Unseen];
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Split::Train => "train",
            Split::Valid => "valid",
            Split::Test => "test",
            Split::Unseen => "unseen",
        })
    }
}

impl FromStr for Split {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|s| s.to_string() == name)
            .ok_or_else(|| format!("there is no split `{name}`: use train, valid, test or unseen"))
    }
}

/// The formulae of each split.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dataset {
    /// For training the model.
    pub train: Vec<Formula>,
    /// For model selection and early stopping.
    pub valid: Vec<Formula>,
    /// For reporting results.
    pub test: Vec<Formula>,
    /// Test formulae that equal no training or validation formula, if `test` does not guarantee that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<Formula>,
}

impl Dataset {
    /// The formulae of a split.
    pub fn split(&self, split: Split) -> &[Formula] {
        match split {
            Split::Train => &self.train,
            Split::Valid => &self.valid,
            Split::Test => &self.test,
            Split::Unseen => &self.unseen,
        }
    }
}

/// The number of draws in a row that may all be known before the search for unseen formulae is given up.
const MAX_KNOWN: u64 = 100_000;

impl DatasetSpec {
    /// The names accepted by [`DatasetSpec::preset`].
    pub const PRESETS: [&str; 7] =
        ["paper-3", "paper-4", "paper-5", "paper-10", "published-3", "published-4", "published-5"];

    /// A data set by name.
    ///
    /// `paper-N`, the data that the paper describes for 3, 4, 5 or 10 variables: 4,000 training, 500
    /// validation and 300 test formulae, `p_leaf` = 0.4, every variable present, at most 14, 18, 22 or 42
    /// nodes (4n + 2). With these limits, the mean sizes match those reported in the paper.
    ///
    /// `published-N`, the data that the authors' program draws for 3, 4 or 5 variables: as many formulae,
    /// `p_leaf` = 0.5, `!` a little rarer than `&` and `|`, at most 25 nodes, not every variable present and
    /// their names closed up, and the test set drawn independently of the training set.
    ///
    /// ```
    /// use logicvae_logic::DatasetSpec;
    /// assert_eq!(DatasetSpec::preset("paper-5").map(|p| p.sampler.max_nodes), Some(22));
    /// assert_eq!(DatasetSpec::preset("published-5").map(|p| p.independent), Some(true));
    /// ```
    pub fn preset(name: &str) -> Option<Self> {
        let (family, variables) = name.split_once('-').filter(|_| Self::PRESETS.contains(&name))?;
        let sampler = SamplerParams::new(variables.parse().ok()?);
        Some(match family {
            "published" => Self {
                independent: true,
                names: VariableNames::Compacted,
                ..Self::new(SamplerParams {
                    p_leaf: 0.5,
                    max_nodes: 25,
                    operators: Some(OperatorWeights { and: 0.35, or: 0.35, not: 0.3 }),
                    ..sampler
                })
            },
            _ => {
                let max_nodes = 4 * sampler.variables as usize + 2;
                Self::new(SamplerParams { max_nodes, all_variables: true, ..sampler })
            }
        })
    }

    /// Disjoint sets of the paper's sizes.
    pub fn new(sampler: SamplerParams) -> Self {
        Self {
            sampler,
            seed: 2023,
            train: 4000,
            valid: 500,
            test: 300,
            independent: false,
            names: VariableNames::Drawn,
            sorted: false,
        }
    }

    /// How formulae are written after they are drawn.
    pub fn form(&self) -> FormulaForm {
        FormulaForm { names: self.names, sorted: self.sorted }
    }

    /// The total number of formulae for training, validation and testing.
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
            Split::Unseen => self.len()..self.len(),
        }
    }

    /// Samples the data set. All formulae are drawn as distinct ones, so the splits are disjoint, unless the
    /// settings ask for independent sets, or for other names or sorted children, which can make formulae
    /// equal.
    pub fn generate(&self) -> Result<Dataset, SampleError> {
        let sampler = self.sampler.check()?;
        let form = self.form();
        if self.independent {
            return self.generate_independent(&sampler);
        }
        let all = sampler.distinct(self.seed, self.len())?;
        let part = |split| all[self.range(split)].iter().map(|f| form.apply(f.clone())).collect();
        Ok(Dataset {
            train: part(Split::Train),
            valid: part(Split::Valid),
            test: part(Split::Test),
            unseen: Vec::new(),
        })
    }

    /// Each split has a seed of its own. Only training formulae are distinct, as ordered trees and before
    /// they are renamed.
    fn generate_independent(&self, sampler: &Sampler) -> Result<Dataset, SampleError> {
        let form = self.form();
        let seed = |split: u64| mix64(self.seed.wrapping_add(split));
        let drawn = |split: u64, count: usize| -> Result<Vec<Formula>, SampleError> {
            let indices = (0..count as u64).into_par_iter();
            indices.map(|index| Ok(form.apply(sampler.sample(seed(split), index)?))).collect()
        };
        let train = sampler.distinct(self.seed, self.train)?;
        let train: Vec<Formula> = train.into_iter().map(|formula| form.apply(formula)).collect();
        let (valid, test) = (drawn(1, self.valid)?, drawn(2, self.test)?);
        let mut known: HashSet<Formula> = train.iter().chain(&valid).map(Formula::sorted).collect();
        let mut unseen = Vec::with_capacity(self.test);
        let (mut index, mut last_new) = (0, 0);
        while unseen.len() < self.test {
            let formula = form.apply(sampler.sample(seed(3), index)?);
            if known.insert(formula.sorted()) {
                unseen.push(formula);
                last_new = index;
            } else if index - last_new > MAX_KNOWN {
                return Err(SampleError::TooFewDistinct {
                    found: unseen.len(),
                    wanted: self.test,
                    draws: index,
                });
            }
            index += 1;
        }
        Ok(Dataset { train, valid, test, unseen })
    }
}

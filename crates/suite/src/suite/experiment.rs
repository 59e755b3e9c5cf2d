//! Experiments: what each one does.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One experiment.
#[derive(Debug, Deserialize)]
pub struct Experiment {
    /// Its unique name, which is also the name of its result file.
    pub name: String,
    /// The family of experiments that it belongs to: the folder of its result.
    pub family: String,
    /// What it is, for a row of a table.
    pub title: String,
    /// The seed of its random numbers.
    pub seed: Option<u64>,
    /// Whether the quick scale leaves it out unless it is named.
    #[serde(default)]
    pub paper_only: bool,
    /// What it does.
    #[serde(flatten)]
    pub task: Task,
    /// The numbers that the paper reports, by metric, in the units of the paper.
    #[serde(default)]
    pub paper: BTreeMap<String, f64>,
}

/// What an experiment does.
#[derive(Debug, Deserialize)]
#[serde(tag = "task", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Task {
    /// Samples a data set, compares it with the committed files byte for byte, and computes its statistics.
    Dataset {
        /// The preset of the data set.
        preset: String,
    },
    /// Runs one of the experiments of `logicvae experiment`.
    Kernel {
        /// Which one.
        experiment: KernelExperiment,
    },
    /// Trains a model and evaluates it.
    Train(Train),
    /// Evaluates a trained model in another way.
    Evaluate {
        /// The experiment that trained or exported the model.
        model: String,
        /// Flags of `logicvae evaluate`.
        flags: Vec<String>,
    },
    /// Walks on great circles through encodings of test formulae and counts how many nodes change from one
    /// decoding to the next. The first walk is drawn.
    Walk {
        /// The experiment that trained or exported the model.
        model: String,
        /// How many test formulae.
        formulae: usize,
        /// How many points on each circle.
        steps: usize,
    },
    /// Draws the syntax tree of a formula.
    Draw {
        /// The formula.
        formula: String,
    },
    /// Exports a trained model in half precision and evaluates the exported weights.
    Export {
        /// The experiment that trained the model.
        model: String,
        /// Whether the export only provides initial weights for another training. Such an export is stored
        /// with the runs and not among the models.
        #[serde(default)]
        intermediate: bool,
        /// Whether the model becomes part of `logicvae-vae` and with it of the program.
        #[serde(default)]
        built_in: bool,
    },
}

/// A training.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Train {
    /// The preset of its settings.
    pub preset: String,
    /// Changes of settings at both scales.
    #[serde(default)]
    pub set: Vec<String>,
    /// Changes of settings at the paper's scale only.
    #[serde(default)]
    pub at_paper: Vec<String>,
    /// Whether refined encodings are evaluated too.
    #[serde(default)]
    pub refine: bool,
    /// The export that provides the initial weights.
    pub from: Option<String>,
}

/// The experiments of `logicvae experiment`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KernelExperiment {
    /// Mean kernel value and mean distance within a pool of formulae.
    Pool,
    /// The variance that the components of an embedding explain.
    Variance,
    /// The correlation between kernel value and distance of embeddings.
    Correlation,
    /// The classification of assignments with the kernel.
    Classification,
    /// Kernel value, agreement and Jaccard index.
    Agreement,
}

impl KernelExperiment {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            KernelExperiment::Pool => "pool",
            KernelExperiment::Variance => "variance",
            KernelExperiment::Correlation => "correlation",
            KernelExperiment::Classification => "classification",
            KernelExperiment::Agreement => "agreement",
        }
    }
}

/// A model that an experiment exports.
#[derive(Clone, Copy, Debug)]
pub struct Export<'a> {
    /// The experiment that trained the model.
    pub model: &'a str,
    /// Whether it only provides initial weights for another training.
    pub intermediate: bool,
    /// Whether it becomes part of `logicvae-vae`.
    pub built_in: bool,
}

impl Task {
    /// The experiment that must be done before this one.
    pub fn dependency(&self) -> Option<&str> {
        match self {
            Task::Evaluate { model, .. } | Task::Walk { model, .. } | Task::Export { model, .. } => {
                Some(model)
            }
            Task::Train(train) => train.from.as_deref(),
            Task::Dataset { .. } | Task::Kernel { .. } | Task::Draw { .. } => None,
        }
    }

    /// The exported model, if this is an export.
    pub fn export(&self) -> Option<Export<'_>> {
        match self {
            Task::Export { model, intermediate, built_in } => {
                Some(Export { model, intermediate: *intermediate, built_in: *built_in })
            }
            _ => None,
        }
    }
}

//! Settings of a run: the model, its data, its training. One [`Config`] is one experiment; it is written as TOML, and
//! settings that do not go together are refused before anything starts.

mod check;
mod presets;

use std::collections::HashSet;

use logicvae_gnn::{EncoderConfig, Kind, Readout, Vocabulary};
use logicvae_logic::{Dataset, DatasetSpec};
use serde::{Deserialize, Serialize};

use crate::error::VaeError;
use crate::hierarchy::shape;

/// All settings of a run.
///
/// ```
/// use logicvae_vae::Config;
/// let config = Config::preset("gat-5").unwrap();
/// assert_eq!(Config::from_toml(&config.to_toml()?)?, config);
/// let error = config.with(&["model.latnet=3"]).unwrap_err();
/// assert!(error.to_string().contains("latnet"));
/// # Ok::<(), logicvae_vae::VaeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What the run is called: the preset's name, or the user's.
    pub name: String,
    /// The seed of weights, noise, order and fresh formulae.
    pub seed: u64,
    /// The model.
    pub model: ModelConfig,
    /// The formulae.
    pub data: DataConfig,
    /// What a conditional model is conditioned on: the meaning of the formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextConfig>,
    /// The training.
    pub training: TrainingConfig,
}

/// The encoder's part of the settings that others do not determine. [`ModelConfig::encoder_config`] makes the whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncoderChoice {
    /// The kind of layers.
    pub kind: Kind,
    /// The number of layers.
    pub layers: usize,
    /// Attention heads of every layer; GAT alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heads: Vec<usize>,
    /// The width of a head in all layers but the last; GAT alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_dim: Option<usize>,
    /// Both directions, or downward alone.
    pub bidirectional: bool,
    /// How node states become one vector.
    pub readout: Readout,
}

/// What the decoder knows of the tree so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GraphState {
    /// The newest node's state: what the paper's text has. A state depends on the node's ancestors alone, so much is lost.
    Last,
    /// The sum of all states so far: what the paper's code has for GCN and GAT.
    Sum,
    /// One GRU reads the whole prefix in depth-first order; its state is the node's and the graph's.
    Recurrent,
}

/// What latent vectors follow before a formula is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prior {
    /// The standard normal distribution.
    Standard,
    /// A normal distribution whose mean and variances are linear in the context.
    Learned,
    /// The same, by a network with one hidden layer: what follows from the meaning need not be said by the latent vector.
    Network,
}

/// What a model learns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// Formulae, or shapes of formulae: an autoencoder.
    #[default]
    Formulae,
    /// The variables at the leaves of a shape, from the meaning that the whole shall have: a
    /// [`LeafModel`](crate::hierarchy::LeafModel). Of the model's settings `variables`, `positional`, `hidden` and the encoder's
    /// `layers` (its rounds) count; `training.beta` is the loss's λ.
    Leaves,
}

/// Settings of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// What it learns.
    #[serde(default, skip_serializing_if = "is_default")]
    pub task: Task,
    /// Formulae have the variables x1 to this one.
    pub variables: u32,
    /// Whether the constant 1 may occur.
    #[serde(default)]
    pub constant: bool,
    /// Whether encoder and decoder tell right children from left ones.
    #[serde(default)]
    pub positional: bool,
    /// The width of states.
    pub hidden: usize,
    /// The width of latent vectors.
    pub latent: usize,
    /// The scale of the posterior's noise: z = μ + noise · σ ε. 1 is a real VAE; the paper's family of models has 0.01.
    pub noise: f64,
    /// The prior of latent vectors.
    pub prior: Prior,
    /// What the decoder knows of the tree so far.
    pub graph_state: GraphState,
    /// Whether the decoder's input tells a node's parent's index, one-hot: what the paper's code has for GRU. Without it a
    /// decoder whose graph state is the newest node's cannot tell a parent's equal children apart.
    #[serde(default, skip_serializing_if = "is_default")]
    pub parent_index: bool,
    /// Whether a tree grows by the arities of its nodes and ends when it is complete. If not, 'stop' is one more type.
    pub constrained: bool,
    /// Whether only types that still fit into `max_nodes` are chosen, so that every decoded formula is valid.
    pub budget: bool,
    /// How many nodes a decoded formula has at most.
    pub max_nodes: usize,
    /// Whether the decoder of a conditional model is told, for each node that is due, which values its subformula should have
    /// for the whole to mean what the context says. For up to 6 variables.
    #[serde(default, skip_serializing_if = "is_default")]
    pub goals: bool,
    /// Of so many formulae that a conditional model draws, the one that is nearest in meaning to the context is its decoding.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub candidates: usize,
    /// The encoder.
    pub encoder: EncoderChoice,
}

/// Settings of the formulae.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataConfig {
    /// How the formulae are drawn; only validation and test sets of it are used in `fresh` mode.
    pub set: DatasetSpec,
    /// Whether every epoch has new training formulae, as many as `set.train`.
    #[serde(default)]
    pub fresh: bool,
    /// What is done with the order of children in training.
    #[serde(default)]
    pub children: Children,
    /// Whether variables are renamed among each other at random, and ∧ exchanged with ∨, anew each time that a training
    /// formula is seen: few formulae become many.
    #[serde(default)]
    pub symmetries: bool,
    /// Over so many first epochs, formulae grow to their full size: short ones teach what the parts of a formula are, long
    /// before a whole one comes back. Fresh ones grow from one variable and few nodes; of given ones, subformulae are seen.
    #[serde(default, skip_serializing_if = "is_default")]
    pub curriculum: usize,
    /// How often a training formula has one of its parts replaced by a part of another one, anew each time that it is seen:
    /// between 0 and 1. Few formulae become as many as could be drawn, of nearly the same distribution.
    #[serde(default, skip_serializing_if = "is_default")]
    pub crossing: f64,
    /// Whether formulae lose the indices of their variables: every leaf is x1, and the model's vocabulary needs no more.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shapes: bool,
}

/// New settings are written only where they are used, so that older runs stay what they are.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn one() -> usize {
    1
}

fn is_one(value: &usize) -> bool {
    *value == 1
}

/// What is done with the order of the children of ∧ and ∨ in training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Children {
    /// Left as it is.
    #[default]
    Keep,
    /// Swapped at random, anew each time that a formula is seen.
    Swap,
    /// Sorted, so that formulae that differ in it become one.
    Sort,
}

/// Settings of the semantic vectors that a conditional model reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextConfig {
    /// How many formulae the kernel compares with.
    pub pool: usize,
    /// The seed of the pool.
    pub pool_seed: u64,
    /// The width of semantic vectors.
    pub components: usize,
    /// σ² of the Gaussian kernel; the plain kernel if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gaussian: Option<f64>,
}

/// How the learning rate changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decay {
    /// It does not.
    None,
    /// To zero over the second half, in a straight line.
    Half,
    /// To zero over the whole training, along a cosine.
    Cosine,
}

/// Settings of the training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingConfig {
    /// At most so many passes over the training formulae.
    pub epochs: usize,
    /// Formulae in a step.
    pub batch: usize,
    /// The learning rate.
    pub learning_rate: f64,
    /// How it changes.
    pub decay: Decay,
    /// Over so many first steps the learning rate grows from zero.
    pub warm_up: usize,
    /// How fast weights shrink by themselves (decoupled from the gradients, as in AdamW).
    pub weight_decay: f64,
    /// The norm that gradients are cut to.
    pub clip: f64,
    /// The weight of the Kullback-Leibler divergence in the loss.
    pub beta: f64,
    /// The share of a conditional model's training formulae that are decoded from the prior of their context instead of
    /// their encoding: below 1. Without them a decoder reads all from encodings and never learns to follow the context.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hybrid: f64,
    /// Of so many formulae that are drawn, one is learned from: the one that comes back worst. A model that is nearly right
    /// learns little from the others, and looking at them costs a fraction of learning from them. 1: from all.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub focus: usize,
    /// Epochs between validations.
    pub validate_every: usize,
    /// After so many validations without improvement the training stops; never if 0.
    pub patience: usize,
    /// A smaller relative gain in the validation loss is no improvement.
    pub improvement: f64,
    /// Epochs between checkpoints.
    pub checkpoint_every: usize,
    /// So many of the epochs come last and polish what the others have learned: the learning rate starts once more, from
    /// `polish_rate`, and falls to zero along a cosine; `polish_beta` takes the place of β. While β is large it keeps vectors
    /// apart from noise; once they are, a small one lets the last errors go.
    #[serde(default, skip_serializing_if = "is_default")]
    pub polish: usize,
    /// The learning rate at the beginning of the polish.
    #[serde(default, skip_serializing_if = "is_default")]
    pub polish_rate: f64,
    /// β in the polish.
    #[serde(default, skip_serializing_if = "is_default")]
    pub polish_beta: f64,
}

impl TrainingConfig {
    /// The same, but as long as another: what may change while a training is under way.
    pub fn lasting_like(&self, other: &Self) -> Self {
        let Self { epochs, polish, polish_rate, polish_beta, .. } = *other;
        Self { epochs, polish, polish_rate, polish_beta, ..self.clone() }
    }
}

impl ModelConfig {
    /// The types of nodes.
    pub fn vocabulary(&self) -> Vocabulary {
        Vocabulary { variables: self.variables, constant: self.constant, positional: self.positional }
    }

    /// How many classes the decoder chooses from: all types but START and END, and 'stop' if it is not constrained.
    pub fn classes(&self) -> usize {
        self.vocabulary().types() - 2 + usize::from(!self.constrained)
    }

    /// How many numbers tell the decoder a goal: two for each assignment, or none.
    pub(crate) fn goal_width(&self) -> usize {
        if self.goals { 2 << self.variables } else { 0 }
    }

    /// How many marks the decoder's nodes may have: sides, or parents' indices.
    pub(crate) fn marks(&self) -> usize {
        if self.parent_index { self.max_nodes } else { usize::from(self.positional) }
    }

    /// The whole settings of the encoder.
    pub fn encoder_config(&self) -> EncoderConfig {
        let choice = self.encoder.clone();
        EncoderConfig {
            kind: choice.kind,
            types: self.vocabulary().types(),
            positional: self.positional,
            hidden: self.hidden,
            layers: choice.layers,
            heads: choice.heads,
            head_dim: choice.head_dim,
            bidirectional: choice.bidirectional,
            readout: choice.readout,
        }
    }
}

impl Config {
    /// The width of the context; 0 without one.
    pub fn context_width(&self) -> usize {
        self.context.as_ref().map_or(0, |context| context.components)
    }

    /// The formulae to train with, to validate and to test on, as the model sees them.
    pub fn dataset(&self) -> Result<Dataset, VaeError> {
        let mut data = self.data.set.generate()?;
        if self.data.shapes {
            // Different formulae can have one shape; what is tested on stays out of the rest.
            let mut known = HashSet::new();
            for set in [&mut data.test, &mut data.valid, &mut data.train] {
                *set = set.iter().map(shape).filter(|shape| known.insert(shape.clone())).collect();
            }
        }
        Ok(data)
    }

    /// Reads settings, and checks them.
    pub fn from_toml(text: &str) -> Result<Self, VaeError> {
        let config: Self = toml::from_str(text).map_err(|e| VaeError::Config(e.to_string()))?;
        config.check()?;
        Ok(config)
    }

    /// The settings as TOML.
    pub fn to_toml(&self) -> Result<String, VaeError> {
        toml::to_string(self).map_err(|e| VaeError::Config(e.to_string()))
    }

    /// The same with some settings changed, each given as `section.key=value`, and checked.
    pub fn with(&self, changes: &[impl AsRef<str>]) -> Result<Self, VaeError> {
        let mut table = toml::Table::try_from(self).map_err(|e| VaeError::Config(e.to_string()))?;
        for change in changes {
            presets::set(&mut table, change.as_ref())?;
        }
        Self::from_toml(&toml::to_string(&table).map_err(|e| VaeError::Config(e.to_string()))?)
    }
}

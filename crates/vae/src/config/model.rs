//! Settings of the model.

use logicvae_gnn::{EncoderConfig, Kind, Readout, Vocabulary};
use logicvae_logic::FormulaLimits;
use serde::{Deserialize, Serialize};

use super::defaults::{is_default, is_one, one};

/// The largest number of variables for which a decoder can be goal-conditioned: a truth table fits into 64
/// bits.
pub(crate) const MAX_GOAL_VARIABLES: u32 = 6;

/// The encoder settings that other settings do not determine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncoderChoice {
    /// The kind of layers.
    pub kind: Kind,
    /// The number of layers.
    pub layers: usize,
    /// The number of attention heads in every layer; only for GAT.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heads: Vec<usize>,
    /// The width of a head in all layers but the last; only for GAT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_dim: Option<usize>,
    /// Whether messages pass in both directions or only downward.
    pub bidirectional: bool,
    /// Whether nodes also receive their successors' states of the layer below, in a single pass; only for
    /// GCN, without `bidirectional`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_pass: bool,
    /// How node states become one vector per formula.
    pub readout: Readout,
}

/// The graph state: what the decoder knows of the tree generated so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GraphState {
    /// The state of the newest node, as in the paper's text. It depends on the node's ancestors only, so it
    /// loses information.
    Last,
    /// The sum of all states so far, as in the paper's code for GCN and GAT.
    Sum,
    /// One GRU reads the whole prefix in depth-first order. Its state is both the node's and the graph's.
    Recurrent,
}

/// The prior distribution of latent vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prior {
    /// The standard normal distribution.
    Standard,
    /// A normal distribution whose mean and log-variances are linear in the semantic vector.
    Learned,
    /// The same with a network of one hidden layer. What follows from the meaning need not be encoded in the
    /// latent vector then.
    Network,
}

/// What a model learns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// To reconstruct formulae, or shapes of formulae.
    #[default]
    #[serde(alias = "formulae")]
    Autoencoder,
    /// To predict the variables at the leaves of a shape, given the meaning of the whole formula: a
    /// [`LeafModel`](crate::leaves::LeafModel). Of the model settings, it uses `variables`, `positional`,
    /// `hidden` and the encoder's `layers` (its rounds); the loss has the weight `training.lambda`.
    Leaves,
}

/// Settings of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// What it learns.
    #[serde(default, skip_serializing_if = "is_default")]
    pub task: Task,
    /// The number of variables: x1, x2, and so on.
    pub variables: u32,
    /// Whether the constant 1 may occur.
    #[serde(default)]
    pub constant: bool,
    /// Whether encoder and decoder distinguish right children from left ones.
    #[serde(default)]
    pub positional: bool,
    /// The width of states.
    pub hidden: usize,
    /// The width of latent vectors.
    pub latent: usize,
    /// The scale of the posterior's noise: z = μ + noise · σ ε. A proper VAE has 1; the paper's family of
    /// models has 0.01.
    pub noise: f64,
    /// The prior of latent vectors.
    pub prior: Prior,
    /// What the decoder knows of the tree generated so far.
    pub graph_state: GraphState,
    /// Whether the decoder's input contains the index of a node's parent, one-hot, as in the paper's code for
    /// GRU. Without it, a decoder with the graph state `last` cannot distinguish equal children of a parent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub parent_index: bool,
    /// Whether generation follows the arities of the nodes and ends when the tree is complete. If not, 'stop'
    /// is one more type.
    pub constrained: bool,
    /// Whether only types that still fit into `max_nodes` may be chosen, so that every decoded formula is
    /// valid.
    pub budget: bool,
    /// The maximum number of nodes of a decoded formula.
    pub max_nodes: usize,
    /// Whether the decoder of a conditional model receives, for each next node, the values that its
    /// subformula should have for the whole formula to have the requested meaning. For up to 6 variables.
    #[serde(default, skip_serializing_if = "is_default", alias = "goals")]
    pub goal_conditioned: bool,
    /// Whether the type network also reads the state of START, and with it the latent vector, at every step.
    /// Without it, the graph state has to remember what is left to write.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reads_start: bool,
    /// The number of formulae that a conditional model samples for each decoding; it keeps the one whose
    /// meaning is closest to the condition.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub candidates: usize,
    /// The encoder.
    pub encoder: EncoderChoice,
}

impl ModelConfig {
    /// The types of nodes.
    pub fn vocabulary(&self) -> Vocabulary {
        Vocabulary { variables: self.variables, constant: self.constant, positional: self.positional }
    }

    /// The formulae that the model can encode and decode.
    pub fn limits(&self) -> FormulaLimits {
        let Self { variables, max_nodes, constant: constants, .. } = *self;
        FormulaLimits { variables, max_nodes, constants }
    }

    /// The number of classes that the decoder chooses from: all types but START and END, plus 'stop' if it is
    /// not constrained.
    pub(crate) fn classes(&self) -> usize {
        self.vocabulary().types() - 2 + usize::from(!self.constrained)
    }

    /// The number of inputs that describe a goal: two per assignment, or none.
    pub(crate) fn goal_width(&self) -> usize {
        if self.goal_conditioned { 2 << self.variables } else { 0 }
    }

    /// The number of different marks of a decoder's nodes: sides, or indices of parents.
    pub(crate) fn marks(&self) -> usize {
        if self.parent_index { self.max_nodes } else { usize::from(self.positional) }
    }

    /// The complete settings of the encoder.
    pub(crate) fn encoder_config(&self) -> EncoderConfig {
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
            one_pass: choice.one_pass,
            readout: choice.readout,
        }
    }
}

//! The states of nodes, and the graph state.
//!
//! | graph state | node states | what predicts the next type |
//! |---|---|---|
//! | [`GraphState::Last`] | [`tree`]: h_v = GRU(x_v, message of its parent) | the newest node's state |
//! | [`GraphState::Sum`] | [`tree`] | the sum of all states so far |
//! | [`GraphState::Recurrent`] | [`prefix`]: h_t = GRU([x_t; h_parent], h_(t-1)) | the newest node's state |

pub(super) mod prefix;
pub(super) mod summary;
pub(super) mod tree;

use candle_core::{Result, Tensor};
use candle_nn::VarBuilder;
use logicvae_compute::{GruCellWeights, WeightSet, build_weights};
use logicvae_gnn::layer::{Gru, GruWeights, Layer};

use crate::config::GraphState;

/// The weights of [`tree`]: a GRU layer whose nodes have one predecessor, their parent.
pub(crate) type TreeWeights<W> = GruWeights<W>;

/// The weights of [`prefix`]: a GRU whose input is a node's features and its parent's state.
pub(crate) type PrefixWeights<W> = GruCellWeights<W>;

/// The weights of the node states.
#[derive(Clone)]
pub(crate) enum StateWeights<W> {
    /// For [`GraphState::Last`] and [`GraphState::Sum`].
    Tree(TreeWeights<W>),
    /// For [`GraphState::Recurrent`].
    Prefix(PrefixWeights<W>),
}

impl StateWeights<Tensor> {
    pub fn build(state: GraphState, features: usize, hidden: usize, vb: &VarBuilder<'_>) -> Result<Self> {
        Ok(match state {
            GraphState::Last | GraphState::Sum => {
                Self::Tree(build_weights(&Gru { input: features, hidden }.initial_weights(), vb)?)
            }
            GraphState::Recurrent => {
                Self::Prefix(build_weights(&PrefixWeights::initial(features + hidden, hidden), vb)?)
            }
        })
    }
}

impl<W> StateWeights<W> {
    /// The weights in their order.
    pub fn fields(&self) -> Box<dyn Iterator<Item = &W> + '_> {
        match self {
            Self::Tree(weights) => Box::new(weights.fields()),
            Self::Prefix(weights) => Box::new(weights.fields()),
        }
    }

    /// The weights by value, in their order.
    pub fn into_fields(self) -> Vec<W> {
        match self {
            Self::Tree(weights) => weights.into_fields().collect(),
            Self::Prefix(weights) => weights.into_fields().collect(),
        }
    }

    /// The same weights in another form.
    pub fn map<V>(&self, convert: impl FnMut(&W) -> V) -> StateWeights<V> {
        match self {
            Self::Tree(weights) => StateWeights::Tree(weights.map(convert)),
            Self::Prefix(weights) => StateWeights::Prefix(weights.map(convert)),
        }
    }

    /// Takes the weights of a graph state from a list, in their order.
    pub fn take_from(state: GraphState, items: &mut impl Iterator<Item = W>) -> Self {
        match state {
            GraphState::Last | GraphState::Sum => Self::Tree(WeightSet::take_from(items)),
            GraphState::Recurrent => Self::Prefix(WeightSet::take_from(items)),
        }
    }
}

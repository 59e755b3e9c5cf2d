//! The decoder: from a latent vector to the probability of a formula, and to new formulae.
//!
//! A tree is generated depth-first. The state of START comes from h₀ = tanh(W z + b), and every node has a
//! state. The type of the next node is drawn from `MLP([graph state; state of its parent; goal; state of
//! START])`. What the graph state is depends on the setting [`GraphState`]; goals and the state of START are
//! optional inputs.
//!
//! Every part exists in three forms that compute the same thing, side by side in one file: the *reference* in
//! candle operations, the *fused* teacher-forced pass with gradients, and one *step* of generation.
//!
//! | file | part |
//! |---|---|
//! | `state/` | node states (`tree.rs`, `prefix.rs`) and the graph state made of them (`summary.rs`) |
//! | `type_network.rs` | the probabilities of the next type |
//! | `joined.rs` | weights that multiply the same rows, side by side |
//! | `goals.rs` | what the rest of the formula still has to express |
//! | `forest.rs` | the order of a batch for teacher forcing |
//! | `likelihood.rs` | the fused likelihood of a batch |
//! | `reference.rs` | the reference likelihood of a batch |
//! | `generate/` | sampling, greedy decoding and beam search |

mod forest;
pub(crate) mod generate;
mod goals;
mod joined;
mod likelihood;
mod reference;
pub(crate) mod state;
mod type_network;

use std::sync::Arc;

use candle_core::{Result, Tensor};
use candle_nn::VarBuilder;
use logicvae_compute::{WeightSet, apply};
use logicvae_gnn::{Implementation, Vocabulary};

pub(crate) use forest::Forest;
pub(crate) use goals::Goal;

use crate::config::{GraphState, ModelConfig};
use state::StateWeights;
use type_network::{TypeNetworkInputs, TypeNetworkWeights};

/// The decoder's weights after h₀.
#[derive(Clone)]
pub(crate) struct Decoder {
    pub vocabulary: Vocabulary,
    pub graph_state: GraphState,
    pub hidden: usize,
    /// The number of different marks of nodes.
    pub marks: usize,
    /// The number of classes: all types but START and END, and 'stop' in an unconstrained decoder.
    pub classes: usize,
    pub type_inputs: TypeNetworkInputs,
    pub state: StateWeights<Tensor>,
    pub types: TypeNetworkWeights<Tensor>,
}

impl Decoder {
    pub fn new(config: &ModelConfig, vb: &VarBuilder<'_>) -> Result<Self> {
        let (vocabulary, marks, hidden) = (config.vocabulary(), config.marks(), config.hidden);
        let classes = config.classes();
        let type_inputs = TypeNetworkInputs { hidden, goal: config.goal_width(), start: config.reads_start };
        let features = vocabulary.types() + marks;
        Ok(Self {
            vocabulary,
            graph_state: config.graph_state,
            hidden,
            marks,
            classes,
            type_inputs,
            state: StateWeights::build(config.graph_state, features, hidden, &vb.pp("dec"))?,
            types: TypeNetworkWeights::build(type_inputs, classes, &vb.pp("score"))?,
        })
    }

    /// The number of input features of a node.
    pub fn features(&self) -> usize {
        self.vocabulary.types() + self.marks
    }

    /// The same weights as constants: no gradients are computed for them.
    pub fn frozen(&self) -> Self {
        Self { state: self.state.map(Tensor::detach), types: self.types.map(Tensor::detach), ..self.clone() }
    }

    /// The negative log-likelihood of every tree: `[graphs]`. Differentiable in h₀ (`[graphs, hidden]`) and
    /// the weights. `goals` holds the goal of each tree if the decoder is goal-conditioned.
    pub fn negative_log_likelihood(
        &self,
        forest: &Arc<Forest>,
        h0: &Tensor,
        goals: Vec<Goal>,
        implementation: Implementation,
    ) -> Result<Tensor> {
        if implementation != Implementation::Fused || !h0.device().is_cpu() {
            return reference::negative_log_likelihood(self, forest, h0, &goals);
        }
        let operation = likelihood::Likelihood {
            forest: forest.clone(),
            graph_state: self.graph_state,
            features: self.features(),
            type_inputs: self.type_inputs,
            goals,
        };
        let inputs = std::iter::once(h0).chain(self.state.fields()).chain(self.types.fields());
        apply("decode-trees", operation, inputs.cloned().collect())
    }
}

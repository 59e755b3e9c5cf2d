//! The decoder: from a latent vector to the probability of a formula.
//!
//! A tree grows depth-first. START's state comes from h₀ = tanh(W z + b); every node has a state; the type of the next node
//! is drawn from `MLP([graph state; state of its parent])`, with 2h → 4h → classes and a ReLU between. What the graph state
//! is, is a setting: [`GraphState`]. With the setting `goals` the network also reads what is still to be said (`goals.rs`).
//!
//! This module has the decoder's weights and its teacher-forced likelihood, as one fused operation (`fused.rs` and its
//! parts `prefix.rs` and `score.rs`) and as plain operations (`plain.rs`). Drawing new formulae is in
//! [`decode`](crate::decode).

mod forest;
mod fused;
mod goals;
mod plain;
mod prefix;
mod score;

use std::sync::Arc;

use candle_core::{Result, Tensor};
use candle_nn::{Init, VarBuilder};
use logicvae_gnn::layers::{Gru, Layer};
use logicvae_gnn::{Implementation, Vocabulary, fused as passes};

pub(crate) use forest::{Forest, index_mark};
pub(crate) use goals::{Goal, MOST_VARIABLES, Table, Tracker};

use crate::config::{GraphState, ModelConfig};

/// The weights after h₀.
#[derive(Clone)]
pub(crate) struct Decoder {
    pub vocabulary: Vocabulary,
    pub state: GraphState,
    pub hidden: usize,
    /// How many marks nodes may have beside their types.
    pub marks: usize,
    /// The number of classes: all types but START and END, and 'stop' in an unconstrained decoder.
    pub classes: usize,
    /// How many numbers tell a goal; 0 if none are told.
    pub goals: usize,
    /// A tree GRU's seven weights, or the four of a GRU that reads the prefix.
    pub states: Vec<Tensor>,
    /// The type network's two layers, weight and bias each.
    pub score: Vec<Tensor>,
}

impl Decoder {
    pub fn new(config: &ModelConfig, vb: &VarBuilder<'_>) -> Result<Self> {
        let (vocabulary, h) = (config.vocabulary(), config.hidden);
        let marks = config.marks();
        let features = vocabulary.types() + marks;
        let recurrent = config.graph_state == GraphState::Recurrent;
        let layer = Gru { input: if recurrent { features + h } else { features }, hidden: h };
        let states = layer.parameters().into_iter().filter_map(|p| {
            let name = if recurrent { p.name.strip_prefix("cell.")? } else { p.name };
            Some(vb.pp("dec").get_with_hints(p.shape.as_slice(), name, p.init))
        });
        let states: Result<Vec<Tensor>> = states.collect();
        let (classes, goals) = (config.classes(), config.goal_width());
        let uniform = |inputs: usize| {
            let bound = 1.0 / (inputs as f64).sqrt();
            Init::Uniform { lo: -bound, up: bound }
        };
        let score = vb.pp("score");
        let score = vec![
            score.get_with_hints((4 * h, 2 * h + goals), "0.weight", uniform(2 * h + goals))?,
            score.get_with_hints(4 * h, "0.bias", uniform(2 * h + goals))?,
            score.get_with_hints((classes, 4 * h), "2.weight", uniform(4 * h))?,
            score.get_with_hints(classes, "2.bias", uniform(4 * h))?,
        ];
        Ok(Self {
            vocabulary,
            state: config.graph_state,
            hidden: h,
            marks,
            classes,
            goals,
            states: states?,
            score,
        })
    }

    /// The number of input features of a node.
    pub fn features(&self) -> usize {
        self.vocabulary.types() + self.marks
    }

    /// The same weights as constants: no gradients flow into them, and none are computed.
    pub fn frozen(&self) -> Self {
        let detach = |weights: &[Tensor]| weights.iter().map(Tensor::detach).collect();
        Self { states: detach(&self.states), score: detach(&self.score), ..self.clone() }
    }

    /// The negative log-likelihood of every tree: `[graphs]`. Differentiable in h₀ (`[graphs, hidden]`) and the weights.
    /// `goals`: of each tree, if the decoder is told.
    pub fn negative_log_likelihood(
        &self,
        forest: &Arc<Forest>,
        h0: &Tensor,
        goals: Vec<Goal>,
        implementation: Implementation,
    ) -> Result<Tensor> {
        if implementation != Implementation::Fused || !h0.device().is_cpu() {
            return plain::negative_log_likelihood(self, forest, h0, &goals);
        }
        // The prefix pass does not read the layer's input width.
        let layer = Gru { input: self.features(), hidden: self.hidden };
        let operation = fused::Likelihood { forest: forest.clone(), state: self.state, layer, goals };
        let inputs = std::iter::once(h0).chain(&self.states).chain(&self.score).cloned().collect();
        passes::apply("decode-trees", operation, inputs)
    }
}

//! The decoder's weights as generation reads them: on the host, transposed, and packed for fast products.

use candle_core::{DType, Device, Result, Tensor};
use logicvae_compute::{OneHot, gru_forward, simd, transposed};
use logicvae_gnn::Vocabulary;

use crate::config::GraphState;
use crate::decoder::Decoder;
use crate::decoder::score::ScoreStep;
use crate::decoder::state::StateWeights;
use crate::decoder::state::prefix::PrefixStep;
use crate::decoder::state::tree::TreeStep;

/// All weights of a decoder.
pub(crate) struct GenerationWeights {
    pub vocabulary: Vocabulary,
    pub graph_state: GraphState,
    pub hidden: usize,
    pub classes: usize,
    has_marks: bool,
    /// The GRU's input weight, by column: 3h numbers per feature.
    features: Vec<f32>,
    input_bias: Vec<f32>,
    recurrent_bias: Vec<f32>,
    pub(super) state: StateStep,
    pub(super) score: ScoreStep,
}

/// How the state of the next node is computed.
pub(super) enum StateStep {
    Tree(TreeStep),
    Prefix(PrefixStep),
}

/// What a node's state is computed from, besides its features.
pub(super) struct CellInput<'a> {
    /// The part of the gates that comes from the parent's state; only for prefix decoders.
    pub from_parent: Option<&'a [f32]>,
    /// U h: the product of the previous state with the recurrent weight.
    pub recurrent: &'a [f32],
    /// h: the previous state, or the message of the parent.
    pub previous: &'a [f32],
}

impl GenerationWeights {
    pub fn new(decoder: &Decoder) -> Result<Self> {
        let numbers =
            |t: &Tensor| t.to_device(&Device::Cpu)?.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>();
        let h = decoder.hidden;
        let mut failure = Ok(());
        let mut host = |t: &Tensor| {
            numbers(t).unwrap_or_else(|error| {
                failure = Err(error);
                Vec::new()
            })
        };
        let (states, score) = (decoder.state.map(&mut host), decoder.score.map(&mut host));
        failure?;
        let (features, input_bias, recurrent_bias, state) = match states {
            StateWeights::Tree(weights) => {
                let features = transposed(&[&weights.input], 3 * h).to_vec();
                let step = StateStep::Tree(TreeStep::new(&weights, h));
                (features, weights.input_bias, weights.recurrent_bias, step)
            }
            StateWeights::Prefix(weights) => {
                let columns = transposed(&[&weights.input], 3 * h);
                let (features, step) = PrefixStep::new(&columns, &weights.recurrent, h);
                (features, weights.input_bias, weights.recurrent_bias, StateStep::Prefix(step))
            }
        };
        Ok(Self {
            vocabulary: decoder.vocabulary,
            graph_state: decoder.graph_state,
            hidden: h,
            classes: decoder.classes,
            has_marks: decoder.marks > 0,
            features,
            input_bias,
            recurrent_bias,
            state,
            score: ScoreStep::new(&score, decoder.score_inputs),
        })
    }

    /// The state of one node.
    pub(super) fn cell(&self, kind: u32, mark: u32, input: &CellInput<'_>, state: &mut [f32]) {
        let h = self.hidden;
        let (mut gates, mut reset) = (vec![0.0; 3 * h], vec![0.0; h]);
        let marks = [mark];
        let features = OneHot { types: &[kind], marks: if self.has_marks { &marks } else { &[] } };
        simd(
            #[inline(always)]
            || {
                features.look_up(&self.features, 0, &mut gates);
                if let Some(from_parent) = input.from_parent {
                    gates.iter_mut().zip(from_parent).for_each(|(g, &p)| *g += p);
                }
                let (recurrent, previous) = (input.recurrent, input.previous);
                let (input_bias, recurrent_bias) = (&self.input_bias, &self.recurrent_bias);
                gru_forward(&mut gates, recurrent, &mut reset, state, previous, input_bias, recurrent_bias);
            },
        );
    }
}

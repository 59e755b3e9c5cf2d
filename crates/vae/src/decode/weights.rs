//! The decoder's weights as growing trees read them: on the host, with rows and columns exchanged.

use candle_core::{DType, Device, Result, Tensor};
use logicvae_gnn::Vocabulary;
use logicvae_gnn::fused::{Weight, transposed};

use crate::config::GraphState;
use crate::decoder::Decoder;

pub(super) struct Weights {
    pub hidden: usize,
    pub classes: usize,
    pub state: GraphState,
    pub vocabulary: Vocabulary,
    /// The GRU's input: a column of 3h for each feature.
    pub features: Vec<f32>,
    /// The GRU's input from the parent's state, `[h, 3h]`; prefix decoders alone.
    pub from_parent: Weight<f32>,
    /// `[h, 3h]`.
    pub recurrent: Weight<f32>,
    pub input_bias: Vec<f32>,
    pub recurrent_bias: Vec<f32>,
    /// Gate and map, `[h, 2h]`; tree decoders alone.
    pub gate_map: Weight<f32>,
    pub gate_bias: Vec<f32>,
    /// The type network's first layer: of the graph state, `[h, 4h]`, and of the parent's.
    pub score_graph: Weight<f32>,
    pub score_parent: Weight<f32>,
    /// The same of goals, `[goals, 4h]`.
    pub score_goal: Weight<f32>,
    pub goals: usize,
    pub score_bias: Vec<f32>,
    /// `[4h, classes]`.
    pub output: Weight<f32>,
    pub output_bias: Vec<f32>,
}

impl Weights {
    pub fn new(decoder: &Decoder) -> Result<Self> {
        let numbers =
            |t: &Tensor| t.to_device(&Device::Cpu)?.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>();
        let states: Vec<Vec<f32>> = decoder.states.iter().map(numbers).collect::<Result<_>>()?;
        let score: Vec<Vec<f32>> = decoder.score.iter().map(numbers).collect::<Result<_>>()?;
        let (h, recurrent) = (decoder.hidden, decoder.state == GraphState::Recurrent);
        let input = transposed(&[&states[0]], 3 * h);
        let (features, from_parent) = input.split_at(input.len() - if recurrent { 3 * h * h } else { 0 });
        let first = transposed(&[&score[0]], 4 * h);
        let (score_graph, rest) = first.split_at(4 * h * h);
        let (score_parent, score_goal) = rest.split_at(4 * h * h);
        Ok(Self {
            hidden: h,
            classes: decoder.classes,
            state: decoder.state,
            vocabulary: decoder.vocabulary,
            features: features.to_vec(),
            from_parent: Weight::new(from_parent.to_vec(), h),
            recurrent: Weight::new(transposed(&[&states[1]], 3 * h).to_vec(), h),
            gate_map: Weight::new(
                if recurrent { Vec::new() } else { transposed(&[&states[4], &states[5]], h).to_vec() },
                h,
            ),
            gate_bias: states.get(6).cloned().unwrap_or_default(),
            score_graph: Weight::new(score_graph.to_vec(), h),
            score_parent: Weight::new(score_parent.to_vec(), h),
            score_goal: Weight::new(score_goal.to_vec(), decoder.goals),
            goals: decoder.goals,
            output: Weight::new(transposed(&[&score[2]], decoder.classes).to_vec(), 4 * h),
            input_bias: states[2].clone(),
            recurrent_bias: states[3].clone(),
            score_bias: score[1].clone(),
            output_bias: score[3].clone(),
        })
    }
}

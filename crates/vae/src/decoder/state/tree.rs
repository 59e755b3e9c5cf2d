//! Node states of a tree decoder: a node reads its parent's message,
//! `h_v = GRU(x_v, σ(G h_parent + b) ⊙ M h_parent)`. START reads h₀ in place of a message.
//!
//! The fused pass is that of a graph layer, [`Gru`], on trees whose edges go from parents to children.

use candle_core::{Result, Tensor};
use logicvae_compute::{Buffer, Real, Weight, gru_reference, transposed};
use logicvae_gnn::Schedule;
use logicvae_gnn::layer::{Gradients, Gru, Layer, LayerContext, LayerInput, Tape};

use super::TreeWeights;

/// Reference: the states of all rows, level by level.
pub fn reference(
    weights: &TreeWeights<Tensor>,
    features: usize,
    schedule: &Schedule,
    h0: &Tensor,
) -> Result<Tensor> {
    let parent = |row: usize| schedule.predecessors(row).next().map(|(parent, _)| parent as u32);
    let mut states: Option<Tensor> = None;
    for level in schedule.levels() {
        let rows = level.rows.clone();
        let x = schedule.features().to_tensor(rows.clone(), features, h0.dtype(), h0.device())?;
        states = Some(match states {
            None => gru_reference(&weights.cell(), &x, h0)?,
            Some(states) => {
                let parents: Vec<u32> = rows.filter_map(parent).collect();
                let h = states.index_select(&Tensor::new(parents, h0.device())?, 0)?;
                let new = gru_reference(&weights.cell(), &x, &weights.messages(&h)?)?;
                Tensor::cat(&[&states, &new], 0)?
            }
        });
    }
    states.ok_or_else(|| candle_core::Error::Msg("a forest has a tree".into()))
}

/// Fused: what the backward pass needs.
pub struct TreeTape<T: Real> {
    layer: Gru,
    tape: <Gru as Layer>::Tape<T>,
}

/// What the layer reads.
fn context<'a, T: Real>(
    schedule: &'a Schedule,
    weights: &TreeWeights<&'a [T]>,
    h0: &'a [T],
) -> LayerContext<'a, Gru, T> {
    let input = LayerInput::Features(schedule.features());
    LayerContext { schedule, input, weights: *weights, initial: Some(h0) }
}

impl<T: Real> TreeTape<T> {
    /// `h0` has one row per tree.
    pub fn forward(
        schedule: &Schedule,
        weights: &TreeWeights<&[T]>,
        h0: &[T],
        (features, hidden): (usize, usize),
    ) -> Self {
        let layer = Gru { input: features, hidden };
        let tape = layer.forward(&context(schedule, weights, h0));
        Self { layer, tape }
    }

    /// The states of all rows.
    pub fn states(&self) -> &[T] {
        self.tape.states()
    }

    /// The gradient of h₀ and, if wanted, those of the weights. `grad` is the gradient of the states.
    pub fn backward(
        &self,
        schedule: &Schedule,
        weights: &TreeWeights<&[T]>,
        h0: &[T],
        grad: Buffer<T>,
        weights_wanted: bool,
    ) -> (Buffer<T>, Option<TreeWeights<Vec<T>>>) {
        debug_assert_eq!(grad.len(), schedule.rows() * self.layer.hidden);
        let cx = context(schedule, weights, h0);
        let gradients = self.tape.backward(&cx, grad);
        let to_weights = weights_wanted.then(|| gradients.weights(&cx));
        let mut to_h0 = Buffer::zeros(h0.len());
        to_h0.copy_from_slice(gradients.initial(&cx).unwrap_or_default());
        (to_h0, to_weights)
    }
}

/// Generation: the weights as one step reads them.
pub struct TreeStep {
    /// `[hidden, 2 hidden]`: gates and values of messages.
    pub gate_map: Weight<f32>,
    pub gate_bias: Vec<f32>,
    /// `[hidden, 3 hidden]`: from a message to the gates.
    pub recurrent: Weight<f32>,
}

impl TreeStep {
    pub fn new(weights: &TreeWeights<Vec<f32>>, hidden: usize) -> Self {
        Self {
            gate_map: Weight::new(transposed(&[&weights.gate, &weights.map], hidden).to_vec(), hidden),
            gate_bias: weights.gate_bias.clone(),
            recurrent: Weight::new(transposed(&[&weights.recurrent], 3 * hidden).to_vec(), hidden),
        }
    }

    /// The messages of senders, from the products of their states with `gate_map`.
    pub fn messages<'a>(&'a self, gated: &'a [f32], hidden: usize) -> impl Iterator<Item = f32> + 'a {
        gated.chunks_exact(2 * hidden).flat_map(move |line| {
            let (gate, map) = line.split_at(hidden);
            gate.iter().zip(&self.gate_bias).zip(map).map(|((&g, &b), &m)| Real::sigmoid(g + b) * m)
        })
    }
}

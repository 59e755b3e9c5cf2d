//! The decoder's weights as generation reads them: on the host, by column, and joined where they multiply the
//! same states.

use std::sync::{Arc, Mutex, PoisonError};

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::Linear;
use logicvae_compute::{OneHot, Real, WeightSet, gru_forward, simd, transposed, with_slices};
use logicvae_gnn::Vocabulary;

use crate::config::GraphState;
use crate::decoder::Decoder;
use crate::decoder::joined::Joined;
use crate::decoder::state::StateWeights;
use crate::decoder::state::prefix::PrefixColumns;
use crate::decoder::state::tree::TreeStep;
use crate::decoder::type_network::{HiddenColumns, TypeNetworkStep, TypeNetworkWeights};

/// All weights of a decoder. In the comments, *types* stands for the 4 h columns of the type network's hidden
/// layer, *gates* for the 3 h columns of the GRU's gates r, z and n.
pub(crate) struct GenerationWeights {
    /// The number of inputs of h₀: those of z and y.
    pub inputs: usize,
    pub vocabulary: Vocabulary,
    pub graph_state: GraphState,
    pub hidden: usize,
    pub classes: usize,
    has_marks: bool,
    /// From z and y to h₀, before tanh.
    from_latent: Joined,
    latent_bias: Vec<f32>,
    /// The GRU's input weight, by column: 3h numbers per feature.
    features: Vec<f32>,
    input_bias: Vec<f32>,
    recurrent_bias: Vec<f32>,
    /// From the graph state: types.
    pub(super) newest: Joined,
    /// From a parent's state: types and, for prefix decoders, gates.
    pub(super) parent: Joined,
    /// From START to the types of all nodes, if that is an input.
    pub(super) tree: Option<Joined>,
    pub(super) state: StateStep,
    pub(super) types: TypeNetworkStep,
}

/// How the state of the next node is computed.
pub(super) enum StateStep {
    Tree(TreeStep),
    Prefix(PrefixStep),
}

/// The products of prefix decoders with the newest state.
pub(super) struct PrefixStep {
    /// To the gates.
    pub recurrent: Joined,
    /// To the gates, from a state that is both the parent's and the previous one, such as h₀ for START. r and
    /// z only read the sum of both products, so their weights are added up: first r, z and the parent's n,
    /// then the recurrent n.
    pub both: Joined,
    /// To types, from a newest node that is also the parent.
    pub only_child: Joined,
}

impl PrefixStep {
    fn new(columns: &PrefixColumns, types: &HiddenColumns, hidden: usize) -> Self {
        let mut gates = columns.from_parent.clone();
        let mut n = Vec::with_capacity(hidden * hidden);
        for (to, from) in gates.chunks_exact_mut(3 * hidden).zip(columns.recurrent.chunks_exact(3 * hidden)) {
            to[..2 * hidden].iter_mut().zip(from).for_each(|(to, &u)| *to += u);
            n.extend_from_slice(&from[2 * hidden..]);
        }
        let sum: Vec<f32> = types.by_graph.iter().zip(&types.by_parent).map(|(a, b)| a + b).collect();
        Self {
            recurrent: Joined::new(&[(&columns.recurrent, 3 * hidden)], hidden),
            both: Joined::new(&[(&gates, 3 * hidden), (&n, hidden)], hidden),
            only_child: Joined::new(&[(&sum, 4 * hidden)], hidden),
        }
    }
}

/// What a node's state is computed from, besides its features.
pub(super) struct CellInput<'a> {
    /// The part of the gates that comes from the parent's state; only for prefix decoders.
    pub from_parent: Option<&'a [f32]>,
    pub recurrent: Recurrent<'a>,
    /// h: the previous state, or the message of the parent.
    pub previous: &'a [f32],
}

/// U h: the product of the previous state with the recurrent weight.
pub(super) enum Recurrent<'a> {
    /// For all gates.
    Gates(&'a [f32]),
    /// For n; what r and z read is part of [`CellInput::from_parent`].
    OnlyN(&'a [f32]),
}

/// Memory that is used again for every node.
pub(super) struct Scratch {
    gates: Vec<f32>,
    reset: Vec<f32>,
    /// Zeros for r and z, and n of [`Recurrent::OnlyN`].
    recurrent: Vec<f32>,
}

impl Scratch {
    pub fn new(hidden: usize) -> Self {
        Self { gates: vec![0.0; 3 * hidden], reset: vec![0.0; hidden], recurrent: vec![0.0; 3 * hidden] }
    }
}

/// Weights on the host.
struct HostWeights {
    from_latent: Vec<f32>,
    latent_bias: Vec<f32>,
    state: StateWeights<Vec<f32>>,
    types: TypeNetworkWeights<Vec<f32>>,
}

impl HostWeights {
    fn new(decoder: &Decoder, from_latent: &Linear) -> Result<Self> {
        let numbers =
            |t: &Tensor| t.to_device(&Device::Cpu)?.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>();
        let mut failure = Ok(());
        let mut host = |t: &Tensor| {
            numbers(t).unwrap_or_else(|error| {
                failure = Err(error);
                Vec::new()
            })
        };
        let (state, types) = (decoder.state.map(&mut host), decoder.types.map(&mut host));
        let latent_bias = from_latent.bias().map_or_else(Vec::new, &mut host);
        let from_latent = host(from_latent.weight());
        failure.map(|()| Self { from_latent, latent_bias, state, types })
    }

    /// Whether these are the weights of a decoder and of the layer before it.
    fn equals(&self, decoder: &Decoder, from_latent: &Linear) -> Result<bool> {
        let tensors: Vec<&Tensor> = std::iter::once(from_latent.weight())
            .chain(from_latent.bias())
            .chain(decoder.state.fields())
            .chain(decoder.types.fields())
            .collect();
        let mut ours = [&self.from_latent, &self.latent_bias]
            .into_iter()
            .chain(self.state.fields())
            .chain(self.types.fields());
        let in_place = tensors.iter().all(|t| t.device().is_cpu() && t.dtype() == DType::F32);
        if in_place && tensors.iter().all(|t| t.is_contiguous()) {
            return with_slices(&tensors, |slices: &[&[f32]]| {
                Ok(slices.iter().all(|&s| ours.next().is_some_and(|o| o == s)))
            });
        }
        let host = Self::new(decoder, from_latent)?;
        let theirs = [&host.from_latent, &host.latent_bias].into_iter();
        Ok(ours.eq(theirs.chain(host.state.fields()).chain(host.types.fields())))
    }
}

/// The weights of the last generation. They are arranged anew only if training has changed them since.
#[derive(Clone, Default)]
pub(crate) struct KeptWeights(Arc<Mutex<Option<Kept>>>);

struct Kept {
    source: HostWeights,
    weights: Arc<GenerationWeights>,
}

impl KeptWeights {
    /// The weights of a decoder, and of the layer before it.
    pub fn get(&self, decoder: &Decoder, from_latent: &Linear) -> Result<Arc<GenerationWeights>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Kept { source, weights }) = &*kept
            && source.equals(decoder, from_latent)?
        {
            return Ok(weights.clone());
        }
        let source = HostWeights::new(decoder, from_latent)?;
        let weights = Arc::new(GenerationWeights::new(decoder, &source));
        *kept = Some(Kept { source, weights: weights.clone() });
        Ok(weights)
    }
}

impl GenerationWeights {
    fn new(decoder: &Decoder, host: &HostWeights) -> Self {
        let h = decoder.hidden;
        let HostWeights { from_latent, latent_bias, state, types } = host;
        let columns = HiddenColumns::new(types, decoder.type_inputs);
        let mut parent = vec![(&columns.by_parent[..], 4 * h)];
        let prefix;
        let (features, input_bias, recurrent_bias, state) = match state {
            StateWeights::Tree(weights) => {
                let features = transposed(&[&weights.input], 3 * h).to_vec();
                let step = StateStep::Tree(TreeStep::new(weights, h));
                (features, &weights.input_bias, &weights.recurrent_bias, step)
            }
            StateWeights::Prefix(weights) => {
                prefix = PrefixColumns::new(weights, h);
                parent.push((&prefix.from_parent, 3 * h));
                let step = StateStep::Prefix(PrefixStep::new(&prefix, &columns, h));
                (prefix.features.clone(), &weights.input_bias, &weights.recurrent_bias, step)
            }
        };
        let inputs = from_latent.len() / h;
        Self {
            inputs,
            vocabulary: decoder.vocabulary,
            graph_state: decoder.graph_state,
            hidden: h,
            classes: decoder.classes,
            has_marks: decoder.marks > 0,
            from_latent: Joined::new(&[(&transposed(&[from_latent], h), h)], inputs),
            latent_bias: latent_bias.clone(),
            features,
            input_bias: input_bias.clone(),
            recurrent_bias: recurrent_bias.clone(),
            newest: Joined::new(&[(&columns.by_graph, 4 * h)], h),
            parent: Joined::new(&parent, h),
            tree: columns.by_start.as_ref().map(|by_start| Joined::new(&[(by_start, 4 * h)], h)),
            state,
            types: TypeNetworkStep::new(types, &columns, decoder.type_inputs.goal),
        }
    }

    /// h₀ = tanh(W x + b), where x is z and, in a conditional model, y: one row per vector.
    pub(super) fn start_inputs(&self, latent: &[f32]) -> Vec<f32> {
        let mut products = Vec::new();
        self.from_latent.append(&mut products, latent);
        let mut h0 = Vec::with_capacity(products.len() / self.from_latent.width * self.hidden);
        simd(
            #[inline(always)]
            || {
                for line in products.chunks_exact(self.from_latent.width) {
                    h0.extend(line.iter().zip(&self.latent_bias).map(|(&x, &b)| Real::tanh(x + b)));
                }
            },
        );
        h0
    }

    /// The state of one node.
    pub(super) fn cell(
        &self,
        kind: u32,
        mark: u32,
        input: &CellInput<'_>,
        scratch: &mut Scratch,
        state: &mut [f32],
    ) {
        let Scratch { gates, reset, recurrent: only_n } = scratch;
        let marks = [mark];
        let features = OneHot { types: &[kind], marks: if self.has_marks { &marks } else { &[] } };
        let recurrent = match input.recurrent {
            Recurrent::Gates(gates) => gates,
            Recurrent::OnlyN(n) => {
                only_n[2 * self.hidden..].copy_from_slice(n);
                only_n
            }
        };
        simd(
            #[inline(always)]
            || {
                features.look_up(&self.features, 0, gates);
                if let Some(from_parent) = input.from_parent {
                    gates.iter_mut().zip(from_parent).for_each(|(g, &p)| *g += p);
                }
                let (input_bias, recurrent_bias) = (&self.input_bias, &self.recurrent_bias);
                gru_forward(gates, recurrent, reset, state, input.previous, input_bias, recurrent_bias);
            },
        );
    }
}

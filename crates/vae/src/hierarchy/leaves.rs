//! The network that says which variable each leaf is.

use candle_core::{D, DType, Device, Tensor};
use candle_nn::ops::{log_softmax, softmax_last_dim};
use candle_nn::{Linear, Module, linear};
use logicvae_gnn::fused::Features;
use logicvae_gnn::{Direction, Parameters, Vocabulary};
use logicvae_kernel::Embedding;
use logicvae_logic::Formula;

use crate::config::Config;
use crate::error::VaeError;
use crate::hierarchy::pass::{Order, Pass};
use crate::hierarchy::{Semantics, indices, shape, with_indices};

/// An asynchronous network on shapes. It goes through the tree in rounds, upward and then downward: after a round a leaf has
/// heard of every other leaf's place. Inputs of the first upward pass are node types; of every other pass, also the states of
/// the pass before, and going down the semantic vector that the formula shall have. The leaf's last state and the vector give
/// the probabilities of its index.
#[derive(Clone)]
pub struct LeafModel {
    vocabulary: Vocabulary,
    variables: usize,
    parameters: Parameters,
    rounds: Vec<Round>,
    context: Linear,
    hidden_head: Linear,
    head: Linear,
    /// One over the standard deviation of each component: all are told alike.
    scale: Tensor,
    semantics: Semantics,
}

#[derive(Clone)]
struct Round {
    up: Pass,
    down: Pass,
}

/// Shapes that are ready for the network, and the indices that belong to their leaves. Cheap to clone.
#[derive(Clone)]
pub struct LeafBatch {
    shapes: Vec<Formula>,
    /// For each leaf: its variable.
    indices: Vec<u32>,
    /// Leaves of each shape.
    counts: Vec<usize>,
    features: Tensor,
    up: Order,
    down: Order,
    /// The shape of each node.
    owner: Tensor,
    /// The node of each leaf.
    leaf: Tensor,
    /// The shape of each leaf.
    leaf_owner: Tensor,
    /// One over the number of leaves of its shape, for each leaf.
    share: Tensor,
}

impl LeafBatch {
    /// The number of shapes.
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Whether there are none; never, since an empty batch is refused.
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// The variable of each leaf, all shapes' from left to right, x1 being 0.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }
}

/// The loss of a batch, summed over its formulae.
pub struct LeafLoss {
    /// `entropy + λ · distance`, differentiable.
    pub total: Tensor,
    /// The cross-entropy of a leaf, mean over the leaves of a formula.
    pub entropy: Tensor,
    /// The distance between the semantic vectors of prediction and truth.
    pub distance: Tensor,
}

impl LeafModel {
    /// A model with first weights; the embedding is what gives its contexts.
    pub fn on(
        config: &Config,
        embedding: &Embedding,
        dtype: DType,
        device: &Device,
    ) -> Result<Self, VaeError> {
        config.check()?;
        let (model, width) = (&config.model, config.context_width());
        let vocabulary = Vocabulary { variables: 1, constant: false, positional: model.positional };
        let parameters = Parameters::new(config.seed);
        let vb = parameters.builder(dtype, device);
        let features = vocabulary.features();
        let h = model.hidden;
        let rounds: Result<Vec<Round>, VaeError> = (0..model.encoder.layers)
            .map(|number| {
                let vb = vb.pp("round").pp(number);
                let above = if number == 0 { 0 } else { h };
                Ok(Round {
                    up: Pass::new(features + above, h, &vb.pp("up"))?,
                    down: Pass::new(features + 2 * h, h, &vb.pp("down"))?,
                })
            })
            .collect();
        let deviations = embedding.variances().iter().map(|v| 1.0 / v.sqrt().max(1e-6)).collect::<Vec<f64>>();
        Ok(Self {
            vocabulary,
            variables: model.variables as usize,
            rounds: rounds?,
            context: linear(width, h, vb.pp("context"))?,
            hidden_head: linear(2 * h, h, vb.pp("head.0"))?,
            head: linear(h, model.variables as usize, vb.pp("head.1"))?,
            scale: Tensor::from_vec(deviations, (1, width), &Device::Cpu)?
                .to_dtype(dtype)?
                .to_device(device)?,
            semantics: Semantics::new(embedding, dtype, device)?,
            parameters,
        })
    }

    /// The weights.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// How many variables it chooses from.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// The type of the weights.
    pub fn dtype(&self) -> DType {
        self.head.weight().dtype()
    }

    /// Where the weights are.
    pub fn device(&self) -> &Device {
        self.head.weight().device()
    }

    /// Takes formulae apart and orders their shapes for the network.
    pub fn prepare(&self, formulae: &[Formula]) -> Result<LeafBatch, VaeError> {
        let shapes: Vec<Formula> = formulae.iter().map(shape).collect();
        let trees = self.vocabulary.trees(&shapes)?;
        let (device, dtype) = (self.device(), self.dtype());
        let number = |list: Vec<u32>| Tensor::new(list, device);
        let (up, down) =
            (Order::new(&trees, Direction::Up, device)?, Order::new(&trees, Direction::Down, device)?);
        let features = Features { types: trees.types(), marks: trees.marks() };
        let features = features.one_hot(0..trees.nodes(), self.vocabulary.features(), dtype, device)?;
        let starts = trees.starts();
        let owner = (0..trees.nodes() as u32)
            .map(|node| starts.partition_point(|&s| s <= node) as u32 - 1)
            .collect::<Vec<u32>>();
        let is_leaf = |node: &usize| trees.types()[*node] >= Vocabulary::FIRST_VARIABLE;
        let leaf: Vec<u32> = (0..trees.nodes()).filter(is_leaf).map(|node| node as u32).collect();
        let leaf_owner: Vec<u32> = leaf.iter().map(|&node| owner[node as usize]).collect();
        let mut counts = vec![0; shapes.len()];
        leaf_owner.iter().for_each(|&shape| counts[shape as usize] += 1);
        let share: Vec<f64> = leaf_owner.iter().map(|&shape| 1.0 / counts[shape as usize] as f64).collect();
        let indices = formulae.iter().map(indices).collect::<Result<Vec<Vec<u32>>, _>>()?.concat();
        if let Some(beyond) = indices.iter().find(|&&index| index as usize >= self.variables) {
            let message = format!(
                "x{} is beyond the model's variables, which end with x{}",
                beyond + 1,
                self.variables
            );
            return Err(VaeError::Input(message));
        }
        Ok(LeafBatch {
            share: Tensor::from_vec(share, leaf.len(), &Device::Cpu)?.to_dtype(dtype)?.to_device(device)?,
            owner: number(owner)?,
            leaf: number(leaf)?,
            leaf_owner: number(leaf_owner)?,
            shapes,
            indices,
            counts,
            features,
            up,
            down,
        })
    }

    /// Scores of the indices of each leaf: `[leaves, variables]`.
    fn scores(&self, batch: &LeafBatch, context: &Tensor) -> Result<Tensor, VaeError> {
        let context =
            self.context.forward(&context.to_device(self.device())?.broadcast_mul(&self.scale)?)?.tanh()?;
        let at_nodes = context.index_select(&batch.owner, 0)?;
        let mut state: Option<Tensor> = None;
        for round in &self.rounds {
            let inputs: Vec<&Tensor> = std::iter::once(&batch.features).chain(state.as_ref()).collect();
            let up = round.up.run(&inputs, &batch.up)?;
            state = Some(round.down.run(&[&batch.features, &up, &at_nodes], &batch.down)?);
        }
        let state = state.ok_or_else(|| VaeError::Input("a leaf network has at least one layer".into()))?;
        let seen = Tensor::cat(
            &[state.index_select(&batch.leaf, 0)?, context.index_select(&batch.leaf_owner, 0)?],
            D::Minus1,
        )?;
        Ok(self.head.forward(&self.hidden_head.forward(&seen)?.relu()?)?)
    }

    /// The probabilities of the indices of each leaf, `[leaves, variables]`, for formulae with these semantic vectors.
    pub fn probabilities(&self, batch: &LeafBatch, context: &Tensor) -> Result<Tensor, VaeError> {
        Ok(softmax_last_dim(&self.scores(batch, context)?)?)
    }

    /// The loss of a batch; `context` holds the semantic vectors of its formulae.
    pub fn loss(&self, batch: &LeafBatch, context: &Tensor, lambda: f64) -> Result<LeafLoss, VaeError> {
        let scores = self.scores(batch, context)?;
        let logs = log_softmax(&scores, D::Minus1)?;
        let right = Tensor::new(batch.indices.as_slice(), self.device())?.unsqueeze(1)?;
        let entropy = (logs.gather(&right, 1)?.squeeze(1)? * &batch.share)?.neg()?.sum_all()?;
        let vectors = self.semantics.vectors(&batch.shapes, &logs.exp()?)?;
        // A root has no slope at 0.
        let squares = (vectors - context.to_device(self.device())?)?.sqr()?.sum(1)?;
        let distance = (squares + 1e-8)?.sqrt()?.sum_all()?;
        Ok(LeafLoss { total: (&entropy + (&distance * lambda)?)?, entropy, distance })
    }

    /// For each shape, the formula with the most probable index at every leaf.
    pub fn predict(&self, batch: &LeafBatch, context: &Tensor) -> Result<Vec<Formula>, VaeError> {
        let best = self.scores(batch, context)?.argmax(D::Minus1)?.to_vec1::<u32>()?;
        self.assemble(batch, &best)
    }

    /// The formulae of a batch's shapes with these indices.
    pub(crate) fn assemble(&self, batch: &LeafBatch, indices: &[u32]) -> Result<Vec<Formula>, VaeError> {
        let mut rest = indices;
        let parts = batch.shapes.iter().zip(&batch.counts).map(|(shape, &count)| {
            let (own, after) = rest.split_at(count);
            rest = after;
            with_indices(shape, own)
        });
        parts.collect()
    }
}

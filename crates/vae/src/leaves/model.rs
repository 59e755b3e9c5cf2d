//! The network that predicts the variables of leaves.

use std::sync::Arc;

use candle_core::{D, DType, Device, Tensor};
use candle_nn::ops::{log_softmax, softmax_last_dim};
use candle_nn::{Linear, Module, linear};
use logicvae_compute::{OneHot, Parameters};
use logicvae_gnn::{Direction, Vocabulary};
use logicvae_kernel::Embedding;
use logicvae_logic::Formula;

use super::pass::{Order, Pass};
use crate::config::Config;
use crate::error::VaeError;
use crate::model::check_embedding;
use crate::semantics::{DifferentiableEmbedding, semantic_vectors};
use crate::shape::{leaf_indices, shape, with_leaf_indices};

/// An asynchronous network on shapes. It passes messages through the tree in rounds, first upward and then
/// downward. After one round, every leaf has received information about all other leaves. The input of the
/// first upward pass are node types. Every later pass also receives the states of the pass before, and
/// downward passes the semantic vector that the formula should have. A leaf's last state and that vector give
/// the probabilities of its variable.
#[derive(Clone)]
pub struct LeafModel {
    vocabulary: Vocabulary,
    variables: usize,
    parameters: Parameters,
    rounds: Vec<Round>,
    condition: Linear,
    hidden_head: Linear,
    head: Linear,
    /// One over the standard deviation of each component of semantic vectors.
    scale: Tensor,
    embedding: Arc<Embedding>,
    differentiable: DifferentiableEmbedding,
}

#[derive(Clone)]
struct Round {
    up: Pass,
    down: Pass,
}

/// Shapes that are ready for the network, with the variables of their leaves and their semantic vectors.
/// Cheap to clone.
#[derive(Clone)]
pub struct LeafBatch {
    shapes: Vec<Formula>,
    /// The variable of each leaf.
    indices: Vec<u32>,
    /// The number of leaves of each shape.
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
    /// The semantic vector of each formula.
    conditions: Tensor,
}

impl LeafBatch {
    /// The number of shapes.
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Always false: an empty batch is an error.
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// The variable of each leaf, shape by shape and from left to right, where x1 has index 0.
    pub(crate) fn indices(&self) -> &[u32] {
        &self.indices
    }
}

/// The loss of a batch, summed over its formulae.
pub struct LeafLoss {
    /// `cross_entropy + λ · semantic_distance`, differentiable.
    pub total: Tensor,
    /// The cross-entropy of the leaves, averaged over those of a formula.
    pub cross_entropy: Tensor,
    /// The distance between the semantic vectors of prediction and truth.
    pub semantic_distance: Tensor,
}

impl LeafModel {
    /// A model with initial weights. The embedding gives the semantic vectors that it is conditioned on.
    pub fn initial(
        config: &Config,
        embedding: Arc<Embedding>,
        dtype: DType,
        device: &Device,
    ) -> Result<Self, VaeError> {
        Self::build(config, embedding, Parameters::new(config.seed), dtype, device)
    }

    /// A model with the weights of a safetensors file.
    pub(crate) fn from_weights(
        config: &Config,
        embedding: Arc<Embedding>,
        weights: &[u8],
        device: &Device,
    ) -> Result<Self, VaeError> {
        Self::build(config, embedding, Parameters::from_safetensors(weights)?, DType::F32, device)
    }

    fn build(
        config: &Config,
        embedding: Arc<Embedding>,
        parameters: Parameters,
        dtype: DType,
        device: &Device,
    ) -> Result<Self, VaeError> {
        config.check()?;
        check_embedding(config, Some(&embedding))?;
        let (model, width) = (&config.model, config.context_width());
        let vocabulary = Vocabulary { variables: 1, constant: false, positional: model.positional };
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
            condition: linear(width, h, vb.pp("context"))?,
            hidden_head: linear(2 * h, h, vb.pp("head.0"))?,
            head: linear(h, model.variables as usize, vb.pp("head.1"))?,
            scale: Tensor::from_vec(deviations, (1, width), &Device::Cpu)?
                .to_dtype(dtype)?
                .to_device(device)?,
            differentiable: DifferentiableEmbedding::new(&embedding, dtype, device)?,
            embedding,
            parameters,
        })
    }

    /// The weights.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The semantic embedding.
    pub fn embedding(&self) -> &Embedding {
        &self.embedding
    }

    /// The number of variables that it chooses from.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// The type of the weights.
    pub fn dtype(&self) -> DType {
        self.head.weight().dtype()
    }

    /// Where the weights are.
    pub(crate) fn device(&self) -> &Device {
        self.head.weight().device()
    }

    /// Splits formulae into shapes and leaves, and orders the shapes for the network.
    pub fn prepare(&self, formulae: &[Formula]) -> Result<LeafBatch, VaeError> {
        let shapes: Vec<Formula> = formulae.iter().map(shape).collect();
        let trees = self.vocabulary.trees(&shapes)?;
        let (device, dtype) = (self.device(), self.dtype());
        let tensor = |indices: Vec<u32>| Tensor::new(indices, device);
        let (up, down) =
            (Order::new(&trees, Direction::Up, device)?, Order::new(&trees, Direction::Down, device)?);
        let features = OneHot { types: trees.types(), marks: trees.marks() };
        let features = features.to_tensor(0..trees.nodes(), self.vocabulary.features(), dtype, device)?;
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
        let indices = formulae.iter().map(leaf_indices).collect::<Result<Vec<Vec<u32>>, _>>()?.concat();
        if let Some(beyond) = indices.iter().find(|&&index| index as usize >= self.variables) {
            let message = format!(
                "a formula has the variable x{}, but the model knows x1 to x{}",
                beyond + 1,
                self.variables
            );
            return Err(VaeError::Input(message));
        }
        Ok(LeafBatch {
            share: Tensor::from_vec(share, leaf.len(), &Device::Cpu)?.to_dtype(dtype)?.to_device(device)?,
            owner: tensor(owner)?,
            leaf: tensor(leaf)?,
            leaf_owner: tensor(leaf_owner)?,
            shapes,
            indices,
            counts,
            features,
            up,
            down,
            conditions: semantic_vectors(&self.embedding, formulae, dtype, device)?,
        })
    }

    /// The logits of each leaf's variable: `[leaves, variables]`.
    fn logits(&self, batch: &LeafBatch) -> Result<Tensor, VaeError> {
        let condition = self.condition.forward(&batch.conditions.broadcast_mul(&self.scale)?)?.tanh()?;
        let at_nodes = condition.index_select(&batch.owner, 0)?;
        let mut state: Option<Tensor> = None;
        for round in &self.rounds {
            let inputs: Vec<&Tensor> = std::iter::once(&batch.features).chain(state.as_ref()).collect();
            let up = round.up.run(&inputs, &batch.up)?;
            state = Some(round.down.run(&[&batch.features, &up, &at_nodes], &batch.down)?);
        }
        let state = state.ok_or_else(|| VaeError::Input("a leaf model needs at least one layer".into()))?;
        let seen = Tensor::cat(
            &[state.index_select(&batch.leaf, 0)?, condition.index_select(&batch.leaf_owner, 0)?],
            D::Minus1,
        )?;
        Ok(self.head.forward(&self.hidden_head.forward(&seen)?.relu()?)?)
    }

    /// The probabilities of each leaf's variable: `[leaves, variables]`.
    pub(crate) fn probabilities(&self, batch: &LeafBatch) -> Result<Tensor, VaeError> {
        Ok(softmax_last_dim(&self.logits(batch)?)?)
    }

    /// The loss of a batch.
    pub fn loss(&self, batch: &LeafBatch, lambda: f64) -> Result<LeafLoss, VaeError> {
        let logs = log_softmax(&self.logits(batch)?, D::Minus1)?;
        let truth = Tensor::new(batch.indices.as_slice(), self.device())?.unsqueeze(1)?;
        let cross_entropy = (logs.gather(&truth, 1)?.squeeze(1)? * &batch.share)?.neg()?.sum_all()?;
        let vectors = self.differentiable.vectors(&batch.shapes, &logs.exp()?)?;
        let squares = (vectors - &batch.conditions)?.sqr()?.sum(1)?;
        // The square root has no derivative at 0.
        let semantic_distance = (squares + 1e-8)?.sqrt()?.sum_all()?;
        let total = (&cross_entropy + (&semantic_distance * lambda)?)?;
        Ok(LeafLoss { total, cross_entropy, semantic_distance })
    }

    /// For each shape, the formula with the most probable variable at every leaf.
    pub(crate) fn predict(&self, batch: &LeafBatch) -> Result<Vec<Formula>, VaeError> {
        let best = self.logits(batch)?.argmax(D::Minus1)?.to_vec1::<u32>()?;
        self.assemble(batch, &best)
    }

    /// The formulae of a batch's shapes with these variables.
    pub(crate) fn assemble(&self, batch: &LeafBatch, indices: &[u32]) -> Result<Vec<Formula>, VaeError> {
        let mut rest = indices;
        let parts = batch.shapes.iter().zip(&batch.counts).map(|(shape, &count)| {
            let (own, after) = rest.split_at(count);
            rest = after;
            with_leaf_indices(shape, own)
        });
        parts.collect()
    }
}

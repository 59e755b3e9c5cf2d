//! The teacher-forced decoder in candle operations: the reference, and what runs on a GPU.

use candle_core::{Result, Tensor};

use super::Decoder;
use super::forest::{Forest, Order};
use super::goals::Goal;
use super::state::{StateWeights, prefix, tree};

/// The negative log-likelihood of every tree: `[graphs]`.
pub(super) fn negative_log_likelihood(
    decoder: &Decoder,
    forest: &Forest,
    h0: &Tensor,
    goals: &[Goal],
) -> Result<Tensor> {
    let (device, features) = (h0.device(), decoder.features());
    let mut values = Vec::with_capacity(forest.shards.len());
    let mut order = Vec::with_capacity(forest.graphs);
    for shard in &forest.shards {
        let graphs: Vec<u32> = shard.graphs.iter().map(|&g| g as u32).collect();
        let h0 = h0.index_select(&Tensor::new(graphs, device)?, 0)?;
        let states = match (&shard.order, &decoder.state) {
            (Order::Tree(schedule), StateWeights::Tree(weights)) => {
                tree::reference(weights, features, schedule, &h0)?
            }
            (Order::Prefix(order), StateWeights::Prefix(weights)) => {
                prefix::reference(weights, features, shard, order, &h0)?
            }
            _ => unreachable!("the order of a shard suits the decoder's graph state"),
        };
        let inputs = decoder.type_inputs;
        values.push(decoder.types.reference(shard, decoder.graph_state, &states, goals, inputs)?);
        order.extend_from_slice(&shard.graphs);
    }
    let mut index = vec![0u32; forest.graphs];
    order.iter().enumerate().for_each(|(at, &graph)| index[graph] = at as u32);
    Tensor::cat(&values, 0)?.index_select(&Tensor::new(index, device)?, 0)
}

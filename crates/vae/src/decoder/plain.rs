//! The teacher-forced decoder by the tensor library's operations alone: the reference, and what runs on a GPU.

use candle_core::{Result, Tensor};
use candle_nn::ops::{log_softmax, sigmoid};
use logicvae_gnn::fused::Features;

use crate::config::GraphState;
use crate::decoder::Decoder;
use crate::decoder::forest::{Forest, Order, Prefix, Shard};
use crate::decoder::goals::Goal;

/// The negative log-likelihood of every tree: `[graphs]`.
pub(super) fn negative_log_likelihood(
    decoder: &Decoder,
    forest: &Forest,
    h0: &Tensor,
    goals: &[Goal],
) -> Result<Tensor> {
    let device = h0.device();
    let mut values = Vec::with_capacity(forest.shards.len());
    let mut order = Vec::with_capacity(forest.graphs);
    for shard in &forest.shards {
        let graphs: Vec<u32> = shard.graphs.iter().map(|&g| g as u32).collect();
        let h0 = h0.index_select(&Tensor::new(graphs, device)?, 0)?;
        let states = match &shard.order {
            Order::Tree(schedule) => {
                let parents = |row: usize| schedule.predecessors(row).next().map(|(parent, _)| parent);
                let levels: Vec<usize> = schedule
                    .levels()
                    .iter()
                    .map(|l| l.rows.start)
                    .chain([schedule.levels().last().map_or(0, |l| l.rows.end)])
                    .collect();
                tree_states(decoder, &schedule.features(), &levels, parents, &h0)?
            }
            Order::Prefix(prefix) => prefix_states(decoder, shard, prefix, &h0)?,
        };
        values.push(score(decoder, shard, &states, goals)?);
        order.extend_from_slice(&shard.graphs);
    }
    let mut place = vec![0u32; forest.graphs];
    order.iter().enumerate().for_each(|(at, &graph)| place[graph] = at as u32);
    Tensor::cat(&values, 0)?.index_select(&Tensor::new(place, device)?, 0)
}

/// `x Wᵀ + b`.
fn linear(x: &Tensor, weight: &Tensor, bias: &Tensor) -> Result<Tensor> {
    x.matmul(&weight.t()?)?.broadcast_add(bias)
}

/// A gated recurrent unit.
fn cell(weights: &[Tensor], x: &Tensor, s: &Tensor) -> Result<Tensor> {
    let h = s.dim(1)?;
    let (from_input, from_state) =
        (linear(x, &weights[0], &weights[2])?, linear(s, &weights[1], &weights[3])?);
    let part = |t: &Tensor, number: usize| t.narrow(1, number * h, h);
    let r = sigmoid(&(part(&from_input, 0)? + part(&from_state, 0)?)?)?;
    let z = sigmoid(&(part(&from_input, 1)? + part(&from_state, 1)?)?)?;
    let n = (part(&from_input, 2)? + (r * part(&from_state, 2)?)?)?.tanh()?;
    &n + (z * (s - &n)?)?
}

/// One-hot types and marks of rows: `[rows, features]`.
fn features(
    decoder: &Decoder,
    all: &Features<'_>,
    rows: std::ops::Range<usize>,
    like: &Tensor,
) -> Result<Tensor> {
    all.one_hot(rows, decoder.features(), like.dtype(), like.device())
}

/// Level by level: `h_v = GRU(x_v, σ(G h_parent + b) ⊙ M h_parent)`.
fn tree_states(
    decoder: &Decoder,
    all: &Features<'_>,
    levels: &[usize],
    parent: impl Fn(usize) -> Option<usize>,
    h0: &Tensor,
) -> Result<Tensor> {
    let weights = &decoder.states;
    let mut states: Option<Tensor> = None;
    for range in levels.windows(2) {
        let rows = range[0]..range[1];
        let x = features(decoder, all, rows.clone(), h0)?;
        let new = match &states {
            None => cell(weights, &x, h0)?,
            Some(states) => {
                let parents: Vec<u32> = rows.filter_map(&parent).map(|p| p as u32).collect();
                let h = states.index_select(&Tensor::new(parents, h0.device())?, 0)?;
                let message =
                    (sigmoid(&linear(&h, &weights[4], &weights[6])?)? * h.matmul(&weights[5].t()?)?)?;
                cell(weights, &x, &message)?
            }
        };
        states = Some(match states {
            None => new,
            Some(states) => Tensor::cat(&[&states, &new], 0)?,
        });
    }
    states.ok_or_else(|| candle_core::Error::Msg("a forest has a tree".into()))
}

/// Position by position: `h_t = GRU([x_t; h_parent], h_(t-1))`.
fn prefix_states(decoder: &Decoder, shard: &Shard, order: &Prefix, h0: &Tensor) -> Result<Tensor> {
    let mut states: Option<Tensor> = None;
    let mut before = h0.clone();
    for range in order.steps.windows(2) {
        let rows = range[0]..range[1];
        let count = rows.len();
        let parents = match &states {
            None => h0.clone(),
            Some(states) => {
                let parents: Vec<u32> =
                    rows.clone().map(|row| shard.parents[order.parent[row] as usize]).collect();
                states.index_select(&Tensor::new(parents, h0.device())?, 0)?
            }
        };
        let x = Tensor::cat(&[&features(decoder, &order.features(), rows, h0)?, &parents], 1)?;
        before = cell(&decoder.states, &x, &before.narrow(0, 0, count)?)?;
        states = Some(match states {
            None => before.clone(),
            Some(states) => Tensor::cat(&[&states, &before], 0)?,
        });
    }
    states.ok_or_else(|| candle_core::Error::Msg("a forest has a tree".into()))
}

/// The negative log-likelihood of each tree of a shard, in its order.
fn score(decoder: &Decoder, shard: &Shard, states: &Tensor, goals: &[Goal]) -> Result<Tensor> {
    let device = states.device();
    let pick = |rows: Vec<u32>| states.index_select(&Tensor::new(rows, device)?, 0);
    let mut graph = pick(shard.targets.iter().map(|t| t.before).collect())?;
    if decoder.state == GraphState::Sum {
        let trees: Result<Vec<Tensor>> = shard
            .starts
            .windows(2)
            .map(|range| graph.narrow(0, range[0], range[1] - range[0])?.cumsum(0))
            .collect();
        graph = Tensor::cat(&trees?, 0)?;
    }
    let parents = pick(shard.targets.iter().map(|t| shard.parents[t.parent as usize]).collect())?;
    let mut inputs = vec![graph, parents];
    if decoder.goals > 0 {
        let goals = shard.goal_features::<f64>(goals, decoder.goals).to_vec();
        inputs.push(
            Tensor::from_vec(goals, (shard.targets.len(), decoder.goals), device)?
                .to_dtype(states.dtype())?,
        );
    }
    let hidden = linear(&Tensor::cat(&inputs, 1)?, &decoder.score[0], &decoder.score[1])?.relu()?;
    let logits = linear(&hidden, &decoder.score[2], &decoder.score[3])?;
    let classes: Vec<u32> = shard.targets.iter().map(|t| t.class).collect();
    let classes = Tensor::new(classes, device)?.unsqueeze(1)?;
    let of_targets = log_softmax(&logits, 1)?.gather(&classes, 1)?.squeeze(1)?.neg()?; // [targets]
    let sums: Result<Vec<Tensor>> = shard
        .starts
        .windows(2)
        .map(|range| of_targets.narrow(0, range[0], range[1] - range[0])?.sum_keepdim(0))
        .collect();
    Tensor::cat(&sums?, 0)
}

//! How the time and memory of a training step grow with the number of graphs and their size.

use anyhow::{Context, Result, bail};
use candle_core::{DType, Device};
use logicvae_compute::Parameters;
use logicvae_gnn::{Encoder, EncoderConfig, Schedule, Vocabulary};
use logicvae_logic::{Formula, x};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::Serialize;

use crate::scaling::peak_kibibytes;
use crate::timing::seconds;

const VARIABLES: u32 = 5;
/// Narrower than in the paper, so that two million nodes fit in memory.
const HIDDEN: usize = 32;

/// The result of one run. Each run has its own process, so that its memory peak can be measured.
#[derive(Serialize)]
pub struct Cell {
    kind: String,
    batch: usize,
    tree_nodes: usize,
    /// Nodes of all graphs, including START and END.
    nodes: usize,
    levels: usize,
    /// Rows computed, in both directions together.
    rows: usize,
    /// The median of several steps.
    seconds: f64,
    peak_mebibytes: f64,
    /// Peak memory before the first step.
    base_mebibytes: f64,
}

/// A random tree with this many nodes (one more if the number is even), by joining random pairs of parts.
fn tree(nodes: usize, rng: &mut ChaCha8Rng) -> Result<Formula> {
    let mut parts: Vec<Formula> = (0..nodes / 2 + 1).map(|_| x(1 + rng.next_u32() % VARIABLES)).collect();
    while parts.len() > 1 {
        let other = parts.swap_remove(rng.next_u32() as usize % parts.len());
        let at = rng.next_u32() as usize % parts.len();
        let part = parts.swap_remove(at);
        parts.push(if rng.next_u32().is_multiple_of(2) { part & other } else { part | other });
    }
    parts.pop().context("a tree has a leaf")
}

pub fn run(kind: &str, batch: usize, tree_nodes: usize) -> Result<Cell> {
    let vocabulary = Vocabulary::new(VARIABLES);
    let config = match kind {
        "gru" => EncoderConfig::gru(vocabulary.types(), HIDDEN),
        "gcn" => EncoderConfig::gcn(vocabulary.types(), HIDDEN),
        "gat" => {
            EncoderConfig { head_dim: Some(HIDDEN / 3), ..EncoderConfig::gat(vocabulary.types(), HIDDEN) }
        }
        other => bail!("{other} is not gru, gcn or gat"),
    };
    let parameters = Parameters::new(1);
    let encoder = Encoder::new(&config, parameters.builder(DType::F32, &Device::Cpu))?;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let formulae: Vec<Formula> = (0..batch).map(|_| tree(tree_nodes, &mut rng)).collect::<Result<_>>()?;
    let graphs = vocabulary.graphs(&formulae)?;
    let prepared = encoder.prepare(&graphs)?;
    let (rows, levels) = (
        prepared.schedules().map(Schedule::rows).sum(),
        prepared.schedules().map(|s| s.levels().len()).sum(),
    );
    drop(prepared);
    let base_mebibytes = peak_kibibytes() / 1024.0;
    let mut times = Vec::new();
    // Repeat small steps often and large steps a few times.
    for _ in 0..(2_000_000 / graphs.nodes()).clamp(3, 101) {
        let (time, done) = seconds(|| {
            encoder.forward(&encoder.prepare(&graphs)?)?.sum_all()?.backward().map_err(anyhow::Error::from)
        });
        done?;
        times.push(time);
    }
    times.sort_by(f64::total_cmp);
    Ok(Cell {
        kind: kind.into(),
        batch,
        tree_nodes,
        nodes: graphs.nodes(),
        levels,
        rows,
        seconds: times[times.len() / 2],
        peak_mebibytes: peak_kibibytes() / 1024.0,
        base_mebibytes,
    })
}

//! Whole training steps (collate, encode, decode, backward, clip, Adam) compared with the PyTorch model: the
//! paper's models for 5 variables, width 250 and batches of 32 formulae.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use candle_core::{DType, Device, Tensor};
use logicvae_compute::{Adam, StepSize};
use logicvae_gnn::Readout;
use logicvae_logic::Formula;
use logicvae_vae::{Config, GraphState, Model};

use crate::cores;
use crate::peer::Peer;
use crate::timing::{Row, compare};

const FORMULAE: usize = 128;
/// Many short rounds, so that noise that lasts for seconds affects both sides.
const ROUNDS: usize = 11;
const TARGET: f64 = 3.0;
/// Formulae per second of the authors' published Python code in training, on two threads. These are reported
/// values; the code is not run here.
const PUBLISHED: [(&str, f64); 3] = [("gru", 36.0), ("gcn", 18.0), ("gat", 9.0)];
const PUBLISHED_TARGET: f64 = 20.0;

/// Our side: a model, its optimiser, and formulae in batches.
struct Ours {
    config: Config,
    model: Model,
    adam: Adam,
    formulae: Vec<Formula>,
}

impl Ours {
    fn new(config: Config, formulae: &[Formula]) -> Result<Self> {
        let model = Model::new(&config)?;
        let adam = Adam::new(model.parameters().vars())?;
        Ok(Self { config, model, adam, formulae: formulae.to_vec() })
    }

    /// Runs one step per batch, after a warm-up step. Returns the seconds per step.
    fn steps(&mut self) -> Result<f64> {
        let batch = self.config.training.batch;
        let noise = Tensor::ones((batch, self.config.model.latent), DType::F32, &Device::Cpu)?;
        let parts: Vec<Vec<Formula>> = self.formulae.chunks(batch).map(<[Formula]>::to_vec).collect();
        let mut start = Instant::now();
        for (number, part) in std::iter::once(&parts[0]).chain(&parts).enumerate() {
            if number == 1 {
                start = Instant::now();
            }
            let loss = self.model.loss(&self.model.prepare(part)?, &noise, self.config.training.beta)?;
            let size = StepSize { rate: 1e-3, decay: 0.0, l2: 0.0, clip: 10.0 };
            self.adam.step(&loss.total.backward()?, 1.0 / batch as f64, size)?;
            loss.nll.to_scalar::<f32>()?;
        }
        Ok(start.elapsed().as_secs_f64() / parts.len() as f64)
    }
}

pub fn run(python: &Path) -> Result<Vec<Row>> {
    let first = Config::preset("gru-5").context("a preset")?;
    let variables = first.model.variables as usize;
    let formulae = first.data.set.sampler.check()?.distinct(1, FORMULAE)?;
    let mut peer = Peer::start(python, "train_peer.py")?;
    peer.load(variables, &formulae)?;
    let mut rows = Vec::new();
    for (kind, published) in PUBLISHED {
        let config = Config::preset(&format!("{kind}-5")).context("a preset")?;
        let model = &config.model;
        let state = match model.graph_state {
            GraphState::Last => "last",
            GraphState::Sum => "sum",
            GraphState::Recurrent => "recurrent",
        };
        let readout = if model.encoder.readout == Readout::End { "end" } else { "sum" };
        let batch = config.training.batch;
        let head_dim = model.encoder.head_dim.unwrap_or(0);
        let batches =
            peer.ask(&format!("model {kind} {} {head_dim} {batch} {state} {readout}", model.hidden))?.check;
        ensure!(batches as usize == FORMULAE / batch, "the peer has {batches} batches");
        let mut ours = Ours::new(config, &formulae)?;
        for threads in [2, 1] {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads).start_handler(cores::bind).build()?;
            peer.ask(&format!("threads {threads}"))?;
            let row = compare(
                &format!(
                    "{} training step, {threads} thread{}",
                    kind.to_uppercase(),
                    if threads == 1 { "" } else { "s" }
                ),
                "PyTorch",
                Some(TARGET),
                ROUNDS,
                || pool.install(|| ours.steps()),
                || Ok(peer.ask(&format!("steps {batches}"))?.seconds),
            )?;
            eprintln!("  {kind}, {threads} threads: {:.0} formulae per second", batch as f64 / row.ours);
            if threads == 2 {
                let theirs = batch as f64 / published;
                let name = format!("{} training step, 2 threads", kind.to_uppercase());
                rows.push(Row::new(
                    &name,
                    "the published Python's reported figure",
                    row.ours,
                    theirs,
                    Some(PUBLISHED_TARGET),
                ));
            }
            rows.push(row);
        }
    }
    Ok(rows)
}

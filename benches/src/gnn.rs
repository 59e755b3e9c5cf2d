//! Encoders compared with the PyTorch model and with our own reference in candle operations: a training step
//! with a linear head, for 5 variables, width 250 and batches of 32 formulae.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use candle_core::{DType, Device};
use candle_nn::{Linear, Module, linear};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use logicvae_compute::Parameters;
use logicvae_gnn::{Batch, Encoder, EncoderConfig, Implementation, Vocabulary};
use logicvae_logic::{DatasetSpec, Formula};

use crate::cores;
use crate::peer::Peer;
use crate::timing::{Row, compare, seconds};

const FORMULAE: usize = 128;
const BATCH: usize = 32;
const HIDDEN: usize = 250;
const HEAD_DIM: usize = 84;
const LATENT: usize = 56;
const VARIABLES: u32 = 5;
/// Many short rounds, so that noise that lasts for seconds affects both sides.
const ROUNDS: usize = 15;
const TARGET: f64 = 4.0;

/// Our side: an encoder, a linear head and batches.
struct Ours {
    encoder: Encoder,
    head: Linear,
    formulae: Vec<Formula>,
    batches: Vec<Batch>,
}

impl Ours {
    fn new(config: &EncoderConfig, formulae: &[Formula]) -> Result<Self> {
        let parameters = Parameters::new(1);
        let builder = parameters.builder(DType::F32, &Device::Cpu);
        let encoder = Encoder::new(config, builder.clone())?;
        let head = linear(config.output(), LATENT, builder.pp("head"))?;
        let mut ours = Self { encoder, head, formulae: formulae.to_vec(), batches: Vec::new() };
        ours.batches = (0..FORMULAE / BATCH).map(|number| ours.prepare(number)).collect::<Result<_>>()?;
        Ok(ours)
    }

    fn prepare(&self, number: usize) -> Result<Batch> {
        let graphs = Vocabulary::new(VARIABLES).graphs(&self.formulae[number * BATCH..][..BATCH])?;
        Ok(self.encoder.prepare(&graphs)?)
    }

    /// Runs one step per batch, after a warm-up step. Returns the seconds per step.
    fn steps(&self, collated: bool, implementation: Implementation) -> Result<f64> {
        let encoder = self.encoder.with_implementation(implementation);
        let step = |number: usize| -> Result<()> {
            let batch = if collated { self.batches[number].clone() } else { self.prepare(number)? };
            self.head.forward(&encoder.forward(&batch)?)?.sqr()?.sum_all()?.backward()?;
            Ok(())
        };
        step(0)?;
        let start = Instant::now();
        (0..self.batches.len()).try_for_each(step)?;
        Ok(start.elapsed().as_secs_f64() / self.batches.len() as f64)
    }
}

pub fn run(python: &Path) -> Result<Vec<Row>> {
    let formulae =
        DatasetSpec::preset("paper-5").context("a preset")?.sampler.check()?.distinct(1, FORMULAE)?;
    let mut peer = Peer::start(python, "gnn_peer.py")?;
    peer.load(VARIABLES as usize, &formulae)?;
    let types = Vocabulary::new(VARIABLES).types();
    let rate = multiply_rate(&mut peer)?;
    let mut rows = Vec::new();
    for (name, config) in [
        ("gcn", EncoderConfig::gcn(types, HIDDEN)),
        ("gru", EncoderConfig::gru(types, HIDDEN)),
        ("gat", EncoderConfig { head_dim: Some(HEAD_DIM), ..EncoderConfig::gat(types, HIDDEN) }),
    ] {
        let ours = Ours::new(&config, &formulae)?;
        let batches = peer.ask(&format!("model {name} {HIDDEN} {HEAD_DIM} {BATCH}"))?.check;
        ensure!(batches == ours.batches.len() as u64, "the peer has {batches} batches");
        for threads in [2, 1] {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads).start_handler(cores::bind).build()?;
            peer.ask(&format!("threads {threads}"))?;
            let variants = [("", true), (", graphs included", false)];
            for (suffix, collated) in &variants[..if threads == 2 { 2 } else { 1 }] {
                let request = format!("steps {} {batches}", if *collated { "collated" } else { "raw" });
                rows.push(compare(
                    &format!(
                        "{} step, {threads} thread{}{suffix}",
                        name.to_uppercase(),
                        if threads == 1 { "" } else { "s" }
                    ),
                    "PyTorch",
                    (threads == 2).then_some(TARGET),
                    ROUNDS,
                    || pool.install(|| ours.steps(*collated, Implementation::Fused)),
                    || Ok(peer.ask(&request)?.seconds),
                )?);
            }
        }
        let row = compare(
            &format!("{} step, 2 threads", name.to_uppercase()),
            "our own candle operations",
            Some(TARGET),
            ROUNDS,
            || ours.steps(true, Implementation::Fused),
            || ours.steps(true, Implementation::Reference),
        )?;
        let work: u64 = ours.batches.iter().map(|batch| ours.encoder.multiplications(batch)).sum();
        let reached = 2.0 * work as f64 / ours.batches.len() as f64 / row.ours / 1e9;
        eprintln!(
            "  {name}: {:.0} formulae per second; matrix products at {reached:.0} GFLOP/s, {:.0} % of the \
             measured {rate:.0}",
            BATCH as f64 / row.ours,
            100.0 * reached / rate
        );
        rows.push(row);
    }
    Ok(rows)
}

/// The speed of two threads in products of 512 × 512 matrices, with our library or PyTorch's, whichever is
/// faster, in GFLOP/s.
fn multiply_rate(peer: &mut Peer) -> Result<f64> {
    const SIZE: usize = 512;
    const TIMES: usize = 50;
    let work = (2 * SIZE * SIZE * SIZE * TIMES) as f64;
    let one = || {
        let (a, b) =
            (Mat::<f32>::from_fn(SIZE, SIZE, |i, j| (i + j) as f32), Mat::<f32>::identity(SIZE, SIZE));
        let mut c = Mat::<f32>::zeros(SIZE, SIZE);
        for _ in 0..TIMES {
            matmul(&mut c, Accum::Replace, &a, &b, 1.0, Par::Seq);
        }
        c
    };
    let mut best = 0.0f64;
    for _ in 0..5 {
        let (ours, _) = seconds(|| rayon::join(one, one));
        let theirs = peer.ask(&format!("multiply {SIZE} {TIMES}"))?.seconds;
        best = best.max(2.0 * work / ours / 1e9).max(work / theirs / 1e9);
    }
    Ok(best)
}

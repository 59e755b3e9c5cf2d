//! Encoding and decoding with the built-in model, compared with the same model and weights in PyTorch.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use candle_core::Tensor;
use logicvae_kernel::{NpyWriter, Precision};
use logicvae_logic::{Formula, SamplerParams};
use logicvae_vae::{Codes, Decoding, Model};

use crate::cores;
use crate::peer::Peer;
use crate::timing::{Row, compare};

const FORMULAE: usize = 1024;
/// The number of formulae in one pass of PyTorch: as many as in one of ours.
const BATCH: usize = 256;
const ROUNDS: usize = 7;
const TARGET: f64 = 5.0;

pub fn run(python: &Path) -> Result<Vec<Row>> {
    let model = Model::built_in()?;
    let variables = model.config().variables;
    let formulae = SamplerParams::new(variables).check()?.distinct(1, FORMULAE)?;
    let mut peer = Peer::start(python, "embedding_peer.py")?;
    peer.load(variables as usize, &formulae)?;
    // Semantic vectors are an input of the peer; we compute ours.
    let mut vectors = tempfile::Builder::new().suffix(".npy").tempfile()?;
    let y = model.embedding().context("the model is conditional")?.transform(&formulae)?;
    let mut writer = NpyWriter::new(&mut vectors, y.dim(), Precision::F64)?;
    writer.rows(y.view())?;
    writer.finish()?;
    vectors.flush()?;
    let weights = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/vae/models/general-5/model.safetensors");
    let rows = peer.ask(&format!("model {weights} {}", vectors.path().display()))?.check;
    ensure!(rows as usize == FORMULAE, "the peer has {rows} semantic vectors");
    let codes = model.encode(&formulae)?;
    let (encoded, decoded) = (sum(&codes.z)?, exact(&model, &codes, &formulae)?);
    let mut table = Vec::new();
    for threads in [2, 1] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).start_handler(cores::bind).build()?;
        peer.ask(&format!("threads {threads}"))?;
        let name = |what: &str| format!("{what}, {threads} thread{}", if threads == 1 { "" } else { "s" });
        table.push(compare(
            &name("encode a formula"),
            "PyTorch",
            Some(TARGET),
            ROUNDS,
            || {
                let start = Instant::now();
                pool.install(|| model.encode(&formulae))?;
                Ok(start.elapsed().as_secs_f64() / FORMULAE as f64)
            },
            || {
                let answer = peer.ask(&format!("encode {BATCH}"))?;
                let difference = (answer.value - encoded).abs() / encoded;
                ensure!(difference < 1e-4, "the peer encodes differently: {} and {encoded}", answer.value);
                Ok(answer.seconds / FORMULAE as f64)
            },
        )?);
        table.push(compare(
            &name("decode a vector"),
            "PyTorch",
            Some(TARGET),
            ROUNDS,
            || {
                let start = Instant::now();
                pool.install(|| model.decode(&codes, Decoding::Greedy))?;
                Ok(start.elapsed().as_secs_f64() / FORMULAE as f64)
            },
            || {
                let answer = peer.ask(&format!("decode {BATCH}"))?;
                // Rounding may turn a few close decisions.
                let close = answer.check.abs_diff(decoded) <= 2;
                ensure!(close, "the peer reconstructs {} formulae, we reconstruct {decoded}", answer.check);
                Ok(answer.seconds / FORMULAE as f64)
            },
        )?);
    }
    Ok(table)
}

/// The sum of all absolute values.
fn sum(z: &Tensor) -> Result<f64> {
    Ok(f64::from(z.abs()?.sum_all()?.to_scalar::<f32>()?))
}

/// The number of formulae that are reconstructed.
fn exact(model: &Model, codes: &Codes, formulae: &[Formula]) -> Result<u64> {
    let decoded = model.decode(codes, Decoding::Greedy)?;
    let same = decoded.iter().zip(formulae).filter(|(list, f)| list[0].formula.as_ref() == Some(f));
    Ok(same.count() as u64)
}

//! Encoding and decoding with the built-in model, compared with the same model and weights in PyTorch.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use candle_core::Tensor;
use faer::Accum;
use logicvae_compute::{Weight, matrix, matrix_mut};
use logicvae_kernel::{NpyWriter, Precision};
use logicvae_logic::{Formula, SamplerParams};
use logicvae_vae::{Codes, Decoding, Model};

use crate::cores;
use crate::peer::Peer;
use crate::timing::{Row, compare, median_of, seconds};

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
    let rate = product_rate(model.config().hidden)?;
    eprintln!("products: {:.0} billion operations per second and thread", rate / 1e9);
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

/// The floating-point operations per second of one thread, in products as large as those of the decoder. Both
/// directions are bound by it: see docs/speed.md.
fn product_rate(hidden: usize) -> Result<f64> {
    const ROWS: usize = 192;
    const PRODUCTS: usize = 1000;
    let weight = Weight::new(vec![0.5; hidden * ROWS], hidden);
    let (rows, mut to) = (vec![0.5_f32; ROWS * hidden], vec![0.0; ROWS * ROWS]);
    let time = median_of(ROUNDS, || {
        let mut multiply = || weight.multiply(matrix_mut(&mut to, ROWS), Accum::Replace, matrix(&rows, ROWS));
        Ok(seconds(|| (0..PRODUCTS).for_each(|_| multiply())).0)
    })?;
    Ok((2 * ROWS * hidden * ROWS * PRODUCTS) as f64 / time)
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

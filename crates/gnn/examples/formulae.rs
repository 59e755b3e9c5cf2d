//! Encodes formulae as graphs: what an encoder can tell apart, and how much work merging equal nodes saves.
//!
//! The weights are random. Training them is the job of `logicvae-vae`.
//!
//! ```sh
//! cargo run -p logicvae-gnn --example formulae
//! ```

use std::error::Error;

use candle_core::{DType, Device};
use logicvae_compute::Parameters;
use logicvae_gnn::{Encoder, EncoderConfig, Vocabulary};
use logicvae_logic::{Formula, SamplerParams};

/// The first formula, and the others that are compared with it.
const FORMULAE: [&str; 5] =
    ["x1 & (x2 | !x3)", "x1 & (x2 | !x3)", "(x2 | !x3) & x1", "x1 & (x2 | x3)", "x3 | x2 & x1"];

fn main() -> Result<(), Box<dyn Error>> {
    let formulae: Vec<Formula> = FORMULAE.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;

    for positional in [false, true] {
        // With `positional`, right children are marked, so the order of children matters.
        let vocabulary = Vocabulary { positional, ..Vocabulary::new(3) };
        let config = EncoderConfig { positional, ..EncoderConfig::gru(vocabulary.types(), 32) };
        let encoder = Encoder::new(&config, Parameters::new(1).builder(DType::F32, &Device::Cpu))?;

        let graphs = vocabulary.graphs(&formulae)?;
        let vectors = encoder.forward(&encoder.prepare(&graphs)?)?;
        println!(
            "{} children: {} nodes and {} edges -> vectors of shape {:?}",
            if positional { "ordered" } else { "unordered" },
            graphs.nodes(),
            graphs.edges(),
            vectors.dims()
        );
        println!("  distance  from {}", FORMULAE[0]);
        for (number, formula) in formulae.iter().enumerate().skip(1) {
            let difference = (vectors.get(0)? - vectors.get(number)?)?;
            let distance = difference.sqr()?.sum_all()?.sqrt()?.to_scalar::<f32>()?;
            println!("  {distance:8.4}  {formula}");
        }
        println!();
    }

    // Nodes with the same subtree (going up) or the same ancestors (going down) have the same state. It is
    // computed once per batch.
    let vocabulary = Vocabulary::new(5);
    let formulae = SamplerParams::new(5).check()?.distinct(1, 500)?;
    let config = EncoderConfig::gcn(vocabulary.types(), 32);
    let encoder = Encoder::new(&config, Parameters::new(1).builder(DType::F32, &Device::Cpu))?;
    let graphs = vocabulary.graphs(&formulae)?;
    for (direction, schedule) in ["down", "up"].into_iter().zip(encoder.prepare(&graphs)?.schedules()) {
        let (states, levels) = (schedule.rows(), schedule.levels().len());
        println!("{direction:<4}  {} nodes, {states} different states in {levels} levels", graphs.nodes());
    }
    Ok(())
}

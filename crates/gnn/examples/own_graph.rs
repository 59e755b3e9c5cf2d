//! Encodes graphs that are not formulae: three build pipelines, with a GCN and a GAT encoder, and gradients.
//!
//! The first two pipelines are the same graph with the nodes in another order, so they have the same vector.
//! The third one lacks an edge.
//!
//! ```sh
//! cargo run -p logicvae-gnn --example own_graph
//! ```

use std::error::Error;

use candle_core::{DType, Device, Tensor};
use logicvae_compute::Parameters;
use logicvae_gnn::{Dag, Encoder, EncoderConfig, Readout};

/// The types of nodes.
const SOURCE: u32 = 0;
const COMPILE: u32 = 1;
const TEST: u32 = 2;
const RELEASE: u32 = 3;
const TYPES: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    // Edges are pairs of node numbers. Any graph without cycles works: nodes may have several predecessors.
    let types = vec![SOURCE, COMPILE, COMPILE, TEST, RELEASE];
    let first = Dag::new(types.clone(), vec![(0, 1), (0, 2), (1, 3), (2, 3), (1, 4), (3, 4)])?;
    let reordered = vec![RELEASE, TEST, COMPILE, COMPILE, SOURCE];
    let second = Dag::new(reordered, vec![(4, 2), (4, 3), (2, 1), (3, 1), (2, 0), (1, 0)])?;
    let third = Dag::new(types, vec![(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)])?;
    let graphs = Dag::batch([&first, &second, &third])?;

    for (name, config) in [("GCN", EncoderConfig::gcn(TYPES, 16)), ("GAT", EncoderConfig::gat(TYPES, 16))] {
        // Sum the states of all inner nodes instead of reading those of the last node only.
        let config = EncoderConfig { readout: Readout::Sum, ..config };
        let parameters = Parameters::new(1);
        let encoder = Encoder::new(&config, parameters.builder(DType::F32, &Device::Cpu))?;
        let batch = encoder.prepare(&graphs)?;
        let vectors = encoder.forward(&batch)?;
        println!("{name}: {} graphs -> vectors of shape {:?}", batch.graphs(), vectors.dims());
        println!("  distance of the first two (same graph)  {:.4}", distance(&vectors, 0, 1)?);
        println!("  distance of the first and the third     {:.4}", distance(&vectors, 0, 2)?);

        // The encoder is differentiable: every weight has a gradient.
        let gradients = vectors.sqr()?.sum_all()?.backward()?;
        let weights = parameters.vars();
        let numbers: usize = weights.iter().map(|(_, weight)| weight.elem_count()).sum();
        println!("  {} weights with {numbers} numbers; the norms of the first gradients:", weights.len());
        for (name, weight) in weights.iter().take(3) {
            let gradient = gradients.get(weight).ok_or("a weight without a gradient")?;
            println!("    {name:<28}{:.4}", gradient.sqr()?.sum_all()?.sqrt()?.to_scalar::<f32>()?);
        }
    }

    // A cycle is an error that names one of its nodes.
    let circle = Dag::new(vec![SOURCE, COMPILE, TEST], vec![(0, 1), (1, 2), (2, 1)])?;
    let encoder =
        Encoder::new(&EncoderConfig::gcn(TYPES, 16), Parameters::new(1).builder(DType::F32, &Device::Cpu))?;
    if let Err(error) = encoder.prepare(&circle) {
        println!("\na graph with a cycle: {error}");
    }
    Ok(())
}

/// The Euclidean distance of two rows.
fn distance(vectors: &Tensor, a: usize, b: usize) -> candle_core::Result<f32> {
    (vectors.get(a)? - vectors.get(b)?)?.sqr()?.sum_all()?.sqrt()?.to_scalar()
}

//! What the tests share: small batches, encoders of every kind, gradients by name.

use std::collections::BTreeMap;

use candle_core::{DType, Device, Tensor};
use logicvae_gnn::{Batch, Dag, Encoder, EncoderConfig, Kind, Parameters, Readout, Vocabulary};
use logicvae_logic::{Formula, SamplerParams};

pub fn formulae(variables: u32, count: usize) -> Vec<Formula> {
    SamplerParams::new(variables).check().unwrap().distinct(5, count).unwrap()
}

pub fn graphs(variables: u32, count: usize, positional: bool) -> Dag {
    Vocabulary { positional, ..Vocabulary::new(variables) }.graphs(&formulae(variables, count)).unwrap()
}

/// Settings of every kind, with one to five layers, in one and two directions, with both read-outs, with and without marks.
pub fn configs(types: usize, hidden: usize) -> Vec<EncoderConfig> {
    let mut all = Vec::new();
    for kind in [Kind::Gru, Kind::Gcn, Kind::Gat] {
        for layers in 1..=5 {
            for (bidirectional, positional) in [(true, false), (false, true)] {
                for readout in [Readout::End, Readout::Sum] {
                    let config = match kind {
                        Kind::Gru => EncoderConfig::gru(types, hidden),
                        Kind::Gcn => EncoderConfig::gcn(types, hidden),
                        Kind::Gat => EncoderConfig {
                            head_dim: Some(hidden / 2 + 1),
                            ..EncoderConfig::gat(types, hidden)
                        },
                    };
                    all.push(EncoderConfig {
                        bidirectional,
                        positional,
                        readout,
                        ..config.with_layers(layers)
                    });
                }
            }
        }
    }
    all
}

/// An encoder with its weights, all of one type.
pub fn encoder(config: &EncoderConfig, dtype: DType) -> (Encoder, Parameters) {
    let parameters = Parameters::new(3);
    let encoder = Encoder::new(config, parameters.builder(dtype, &Device::Cpu)).unwrap();
    (encoder, parameters)
}

/// A fixed tensor of irregular numbers between -1 and 1.
pub fn probe(rows: usize, columns: usize, dtype: DType) -> Tensor {
    let values: Vec<f64> = (0..rows * columns).map(|i| (i as f64 * 12.9898 + 1.0).sin()).collect();
    Tensor::from_vec(values, (rows, columns), &Device::Cpu).unwrap().to_dtype(dtype).unwrap()
}

pub fn numbers(tensor: &Tensor) -> Vec<f64> {
    tensor.flatten_all().unwrap().to_dtype(DType::F64).unwrap().to_vec1().unwrap()
}

/// The encoded batch, and the gradient of its product with the probe for every weight.
pub fn outcome(
    encoder: &Encoder,
    parameters: &Parameters,
    batch: &Batch,
    probe: &Tensor,
) -> (Vec<f64>, BTreeMap<String, Vec<f64>>) {
    let output = encoder.forward(batch).unwrap();
    let gradients = (&output * probe).unwrap().sum_all().unwrap().backward().unwrap();
    let by_name = parameters.vars().into_iter().map(|(name, var)| {
        let gradient = gradients.get(&var).unwrap_or_else(|| panic!("{name} gets no gradient"));
        (name, numbers(gradient))
    });
    (numbers(&output), by_name.collect())
}

/// Whether two lists are equal to `tolerance` relative to the largest number of the second.
pub fn assert_close(what: &str, found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    let scale = wanted.iter().fold(0.0f64, |top, w| top.max(w.abs()));
    for (i, (f, w)) in found.iter().zip(wanted).enumerate() {
        assert!(
            (f - w).abs() <= tolerance * scale.max(1e-30),
            "{what}[{i}]: {f}, but {w} is right (scale {scale})"
        );
    }
}

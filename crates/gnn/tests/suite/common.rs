//! Helpers of the tests: small batches, encoders of every kind, gradients by name.

use std::collections::BTreeMap;

use candle_core::{DType, Device, Tensor};
use logicvae_compute::Parameters;
use logicvae_gnn::{Batch, Dag, Encoder, EncoderConfig, Kind, Readout, Vocabulary};
use logicvae_logic::{Formula, SamplerParams};

pub use crate::tensors::{assert_close, numbers, probe};

pub fn formulae(variables: u32, count: usize) -> Vec<Formula> {
    SamplerParams::new(variables).check().unwrap().distinct(5, count).unwrap()
}

pub fn graphs(variables: u32, count: usize, positional: bool) -> Dag {
    Vocabulary { positional, ..Vocabulary::new(variables) }.graphs(&formulae(variables, count)).unwrap()
}

/// Settings of every kind of layer: one to five layers, one and two directions, both readouts, with and
/// without marks.
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
    let one_pass =
        EncoderConfig { bidirectional: false, one_pass: true, ..EncoderConfig::gcn(types, hidden) };
    all.extend([2, 3].map(|layers| one_pass.clone().with_layers(layers)));
    all
}

/// An encoder and its weights, all of type `dtype`.
pub fn encoder(config: &EncoderConfig, dtype: DType) -> (Encoder, Parameters) {
    let parameters = Parameters::new(3);
    let encoder = Encoder::new(config, parameters.builder(dtype, &Device::Cpu)).unwrap();
    (encoder, parameters)
}

/// The encoded batch, and the gradient of its scalar product with `probe` for every weight.
pub fn outcome(
    encoder: &Encoder,
    parameters: &Parameters,
    batch: &Batch,
    probe: &Tensor,
) -> (Vec<f64>, BTreeMap<String, Vec<f64>>) {
    let output = encoder.forward(batch).unwrap();
    let gradients = (&output * probe).unwrap().sum_all().unwrap().backward().unwrap();
    let by_name = parameters.vars().into_iter().map(|(name, var)| {
        let gradient = gradients.get(&var).unwrap_or_else(|| panic!("{name} has no gradient"));
        (name, numbers(gradient))
    });
    (numbers(&output), by_name.collect())
}

//! Every implementation agrees with the PyTorch model, with and without merging of equal nodes.

use std::collections::BTreeMap;

use candle_core::{DType, Device, Tensor};
use logicvae_compute::Parameters;
use logicvae_gnn::{Dag, Encoder, EncoderConfig, Implementation, Readout, Vocabulary};
use logicvae_logic::Formula;
use serde_json::Value;

use crate::common::{assert_close, configs, encoder, graphs, numbers, outcome, probe};

const IMPLEMENTATIONS: [Implementation; 3] =
    [Implementation::Fused, Implementation::Reference, Implementation::EdgeOps];
const TOLERANCE: f64 = 1e-4;

fn config(listing: &Value, case: &Value) -> EncoderConfig {
    let number = |key: &str| listing[key].as_u64().unwrap() as usize;
    let types = number("variables") + 5;
    let config = match case["kind"].as_str().unwrap() {
        "gru" => EncoderConfig::gru(types, number("hidden")),
        "gcn" => EncoderConfig::gcn(types, number("hidden")),
        _ => EncoderConfig {
            head_dim: Some(number("head_dim")),
            ..EncoderConfig::gat(types, number("hidden"))
        },
    };
    EncoderConfig {
        bidirectional: case["bidirectional"].as_bool().unwrap(),
        positional: case["positional"].as_bool().unwrap(),
        readout: if case["readout"] == "sum" { Readout::Sum } else { Readout::End },
        ..config.with_layers(case["layers"].as_u64().unwrap() as usize)
    }
}

fn check(device: &Device, implementations: &[Implementation]) {
    let listing: Value = serde_json::from_str(include_str!("../fixtures/cases.json")).unwrap();
    let files: BTreeMap<&str, BTreeMap<String, Tensor>> = [
        ("gru", include_bytes!("../fixtures/gru.safetensors").as_slice()),
        ("gcn", include_bytes!("../fixtures/gcn.safetensors")),
        ("gat", include_bytes!("../fixtures/gat.safetensors")),
    ]
    .into_iter()
    .map(|(kind, bytes)| {
        (kind, candle_core::safetensors::load_buffer(bytes, &Device::Cpu).unwrap().into_iter().collect())
    })
    .collect();
    let formulae: Vec<Formula> = listing["formulae"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f.as_str().unwrap().parse().unwrap())
        .collect();
    let cases = listing["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 30, "three encoders, one to five layers, one and two directions");
    for case in cases {
        let name = case["case"].as_str().unwrap();
        let file = &files[case["kind"].as_str().unwrap()];
        let config = config(&listing, case);
        let parameters = Parameters::new(0);
        let encoder = Encoder::new(&config, parameters.builder(DType::F32, device)).unwrap();
        // Weights are loaded from a safetensors file, as users would do it.
        let prefix = format!("{name}/weight.");
        let weights: Vec<(&str, &Tensor)> =
            file.iter().filter_map(|(key, tensor)| Some((key.strip_prefix(&prefix)?, tensor))).collect();
        assert_eq!(
            weights.len(),
            parameters.vars().len(),
            "{name}: PyTorch has a different number of weights"
        );
        parameters.load_safetensors(&safetensors::serialize(weights, None).unwrap()).unwrap();

        let vocabulary = Vocabulary { positional: config.positional, ..Vocabulary::new(3) };
        let dag = vocabulary.graphs(&formulae).unwrap();
        let probe = file[&format!("{name}/probe")].to_device(device).unwrap();
        for &implementation in implementations {
            for merge in [true, false] {
                let encoder = encoder.with_implementation(implementation).with_merging(merge);
                let batch = encoder.prepare(&dag).unwrap();
                let (output, gradients) = outcome(&encoder, &parameters, &batch, &probe);
                let what = format!("{name}, {implementation:?}, merge {merge}");
                assert_close(&what, &output, &numbers(&file[&format!("{name}/output")]), TOLERANCE);
                for (weight, gradient) in gradients {
                    let wanted = numbers(&file[&format!("{name}/grad.{weight}")]);
                    assert_close(&format!("{what}, gradient of {weight}"), &gradient, &wanted, TOLERANCE);
                }
            }
        }
    }
}

#[test]
fn every_implementation_matches_pytorch() {
    check(&Device::Cpu, &IMPLEMENTATIONS);
}

/// Needs a GPU, and does nothing without one: `cargo test --features cuda -p logicvae-gnn`.
#[cfg(feature = "cuda")]
#[test]
fn the_gpu_matches_pytorch() {
    match Device::new_cuda(0) {
        Ok(device) => check(&device, &[Implementation::Fused, Implementation::Reference]),
        Err(error) => eprintln!("skipped: no usable GPU ({error})"),
    }
}

#[test]
fn implementations_agree_on_larger_batches() {
    for config in [
        EncoderConfig::gru(10, 40),
        EncoderConfig::gcn(10, 40),
        EncoderConfig { bidirectional: false, one_pass: true, ..EncoderConfig::gcn(10, 40) },
        EncoderConfig { head_dim: Some(17), ..EncoderConfig::gat(10, 40) },
    ] {
        let (kind, one_pass) = (config.kind, config.one_pass);
        let (encoder, parameters) = encoder(&config, DType::F32);
        let dag = graphs(5, 50, false);
        let probe = probe(50, config.output(), DType::F32);
        let reference = encoder.with_implementation(Implementation::Reference).with_merging(false);
        let (output, gradients) = outcome(&reference, &parameters, &reference.prepare(&dag).unwrap(), &probe);
        for implementation in IMPLEMENTATIONS {
            let encoder = encoder.with_implementation(implementation);
            let (found, found_gradients) =
                outcome(&encoder, &parameters, &encoder.prepare(&dag).unwrap(), &probe);
            let what = format!("{kind:?} {implementation:?}, one pass: {one_pass}");
            assert_close(&what, &found, &output, TOLERANCE);
            for (name, gradient) in &gradients {
                assert_close(&format!("{what} {name}"), &found_gradients[name], gradient, TOLERANCE);
            }
        }
    }
}

#[test]
fn every_weight_has_a_gradient_in_every_configuration() {
    for config in configs(8, 12) {
        let (encoder, parameters) = encoder(&config, DType::F32);
        let dag = graphs(3, 20, config.positional);
        for implementation in IMPLEMENTATIONS {
            let encoder = encoder.with_implementation(implementation);
            let batch = encoder.prepare(&dag).unwrap();
            let (_, gradients) =
                outcome(&encoder, &parameters, &batch, &probe(20, config.output(), DType::F32));
            for (name, gradient) in gradients {
                assert!(
                    gradient.iter().any(|g| *g != 0.0),
                    "{implementation:?}, {config:?}: the gradient of {name} is zero"
                );
            }
        }
    }
}

#[test]
fn weights_can_be_saved_and_loaded() {
    let config = EncoderConfig::gcn(8, 4);
    let (_, saved) = encoder(&config, DType::F32);
    let other = Parameters::new(99);
    let _ = Encoder::new(&config, other.builder(DType::F32, &Device::Cpu)).unwrap();
    assert_ne!(saved.to_safetensors().unwrap(), other.to_safetensors().unwrap());
    other.load_safetensors(&saved.to_safetensors().unwrap()).unwrap();
    assert_eq!(saved.to_safetensors().unwrap(), other.to_safetensors().unwrap());

    let wider = Parameters::new(0);
    let _ = Encoder::new(&EncoderConfig::gcn(8, 5), wider.builder(DType::F32, &Device::Cpu)).unwrap();
    let error = wider.load_safetensors(&saved.to_safetensors().unwrap()).unwrap_err().to_string();
    assert!(error.contains("down.stack.0.neigh.weight") && error.contains("[4, 4]"), "{error}");
    let gru = Parameters::new(0);
    let _ = Encoder::new(&EncoderConfig::gru(8, 4), gru.builder(DType::F32, &Device::Cpu)).unwrap();
    let error = gru.load_safetensors(&saved.to_safetensors().unwrap()).unwrap_err().to_string();
    assert!(error.contains("no weight `down.stack.0.cell.bias_hh`"), "{error}");
    assert!(saved.load_safetensors(b"nonsense").is_err());
}

/// A chain of three nodes, computed by hand. In the second layer, a node receives its predecessor's state in
/// this layer and its successor's in the layer below, with the same weight.
#[test]
fn one_pass_reads_successors_from_the_layer_below() {
    let config = EncoderConfig {
        bidirectional: false,
        one_pass: true,
        readout: Readout::Sum,
        ..EncoderConfig::gcn(1, 1)
    };
    let (encoder, parameters) = encoder(&config, DType::F64);
    for (name, var) in parameters.vars() {
        let value = if name.ends_with("bias") { 0.0 } else { 1.0 };
        var.set(&Tensor::full(value, var.shape(), &Device::Cpu).unwrap()).unwrap();
    }
    let batch = encoder.prepare(&Dag::new(vec![0; 3], vec![(0, 1), (1, 2)]).unwrap()).unwrap();
    // One plus the degree is 2, 3 and 2.
    let edge = 1.0 / 6f64.sqrt();
    let (own, inner) = (1.0 / 2.0, 1.0 / 3.0);
    let first = own;
    let second = inner + edge * first;
    let third = own + edge * second;
    let above = own * first + edge * second;
    let expected = inner * second + edge * above + edge * third;
    // Weights of edges are in single precision.
    for implementation in IMPLEMENTATIONS {
        let found = encoder.with_implementation(implementation).forward(&batch).unwrap();
        assert_close(&format!("{implementation:?}"), &numbers(&found), &[expected], 1e-6);
    }
}

//! Gradients agree with central differences in double precision.

use candle_core::{DType, Device, Result, Tensor, Var};
use logicvae_gnn::edge_ops::{Csr, attention, gated_sum, gather, gru_gates};
use logicvae_gnn::{EncoderConfig, Implementation, Kind, Readout};

use crate::common::{assert_close, encoder, graphs, numbers, outcome, probe};

const STEP: f64 = 1e-5;
const TOLERANCE: f64 = 1e-6;

/// The derivative of `value` with respect to every number of `var`, by central differences.
fn differences(var: &Var, value: impl Fn() -> f64) -> Vec<f64> {
    let start = numbers(var);
    let set =
        |values: Vec<f64>| var.set(&Tensor::from_vec(values, var.shape(), &Device::Cpu).unwrap()).unwrap();
    let slopes = (0..start.len())
        .map(|i| {
            let at = |x: f64| {
                let mut moved = start.clone();
                moved[i] = x;
                set(moved);
                value()
            };
            (at(start[i] + STEP) - at(start[i] - STEP)) / (2.0 * STEP)
        })
        .collect();
    set(start);
    slopes
}

/// Checks the gradients of an operation with respect to all its inputs.
fn check_op(name: &str, inputs: &[(usize, usize)], op: impl Fn(&[Tensor]) -> Result<Tensor>) {
    let vars: Vec<Var> = inputs
        .iter()
        .enumerate()
        .map(|(i, &(rows, columns))| {
            let values = (probe(rows, columns, DType::F64) * (1.3 + i as f64)).unwrap();
            Var::from_tensor(&values).unwrap()
        })
        .collect();
    let value = || {
        let tensors: Vec<Tensor> = vars.iter().map(|v| v.as_tensor().clone()).collect();
        let output = op(&tensors).unwrap();
        let (rows, columns) = output.dims2().unwrap();
        (output * probe(rows, columns, DType::F64).cos().unwrap()).unwrap().sum_all().unwrap()
    };
    let gradients = value().backward().unwrap();
    for (i, var) in vars.iter().enumerate() {
        let wanted = differences(var, || value().to_scalar().unwrap());
        assert_close(
            &format!("{name}, input {i}"),
            &numbers(gradients.get(var).unwrap()),
            &wanted,
            TOLERANCE,
        );
    }
}

/// Edges to receivers with no sender, one sender, several senders, and a repeated sender.
fn edges() -> Csr {
    let (offsets, sources) = ([0, 0, 1, 4, 6], [2, 0, 1, 2, 3, 3]);
    Csr::new(&offsets, &sources, &[1.0, 0.5, 2.0, 1.5, 1.0, 3.0], 5, &Device::Cpu).unwrap()
}

#[test]
fn gradients_of_operations_on_edges() {
    let edges = edges();
    check_op("gather", &[(5, 3)], |x| gather(&x[0], &edges));
    check_op("gated_sum", &[(5, 6)], |x| gated_sum(&x[0], &edges));
    check_op("gru_gates", &[(4, 9), (4, 9), (4, 3)], |x| gru_gates(&x[0], &x[1], &x[2]));
    for (heads, dim) in [(1, 4), (3, 2)] {
        let width = heads * dim;
        check_op("attention", &[(4, width), (5, width), (heads, dim)], |x| {
            attention(&x[0], &x[1], &x[2], &edges)
        });
    }
}

#[test]
fn operations_explain_invalid_input() {
    let edges = edges();
    let x = probe(4, 3, DType::F64);
    for error in [
        gather(&x, &edges).unwrap_err(),
        gated_sum(&probe(5, 3, DType::F64), &edges).unwrap_err(),
        gru_gates(&x, &x, &x).unwrap_err(),
        Csr::new(&[0, 1], &[7], &[1.0], 5, &Device::Cpu).unwrap_err(),
        Csr::new(&[0, 2], &[0], &[1.0], 5, &Device::Cpu).unwrap_err(),
    ] {
        let message = error.to_string();
        assert!(
            ["expected", "even", "sender 7", "offsets"].iter().any(|part| message.contains(part)),
            "{message}"
        );
    }
}

#[test]
fn gradients_of_encoders() {
    for (kind, one_pass) in [(Kind::Gru, false), (Kind::Gcn, false), (Kind::Gcn, true), (Kind::Gat, false)] {
        for (positional, readout) in [(false, Readout::End), (true, Readout::Sum)] {
            let config = match kind {
                Kind::Gcn if one_pass => EncoderConfig {
                    bidirectional: false,
                    one_pass,
                    ..EncoderConfig::gcn(7, 3).with_layers(3)
                },
                Kind::Gru => EncoderConfig::gru(7, 3).with_layers(2),
                Kind::Gcn => EncoderConfig::gcn(7, 3),
                Kind::Gat => EncoderConfig {
                    heads: vec![2, 3],
                    head_dim: Some(2),
                    layers: 2,
                    ..EncoderConfig::gat(7, 3)
                },
            };
            let config = EncoderConfig { positional, readout, ..config };
            let dag = graphs(2, 4, positional);
            for implementation in [Implementation::Fused, Implementation::EdgeOps] {
                let (encoder, parameters) = encoder(&config, DType::F64);
                let encoder = encoder.with_implementation(implementation);
                let batch = encoder.prepare(&dag).unwrap();
                let probe = probe(4, config.output(), DType::F64);
                let (_, gradients) = outcome(&encoder, &parameters, &batch, &probe);
                for (name, var) in parameters.vars() {
                    let value = || {
                        let output = encoder.forward(&batch).unwrap();
                        (output * &probe).unwrap().sum_all().unwrap().to_scalar::<f64>().unwrap()
                    };
                    let wanted = differences(&var, value);
                    assert_close(
                        &format!("{config:?}, {implementation:?}, {name}"),
                        &gradients[&name],
                        &wanted,
                        TOLERANCE,
                    );
                }
            }
        }
    }
}

//! Decoding agrees with the likelihood that training computes.

use std::collections::BTreeMap;

use candle_core::{DType, Tensor};
use logicvae_logic::Formula;
use logicvae_vae::{Codes, Conditions, Config, Decoded, Decoding, GraphState, Model};
use proptest::prelude::*;

use crate::common::{DECODERS, conditions, config, decoder, numbers, probe, with_probe};

fn log_likelihood(model: &Model, formula: &Formula, codes: &Codes) -> f64 {
    let batch = model.prepare_with(std::slice::from_ref(formula), codes.conditions.clone()).unwrap();
    -numbers(&model.negative_log_likelihood(&batch, &codes.z).unwrap())[0]
}

/// Latent vectors without conditions.
fn codes(z: &Tensor) -> Codes {
    Codes::unconditional(z.clone()).unwrap()
}

/// A model whose initial weights are multiplied by `factor`, so that it is far from where training starts.
fn scaled(config: &Config, factor: f64) -> Model {
    let model = Model::new(config).unwrap();
    for (_, var) in model.parameters().vars() {
        var.set(&(var.as_tensor() * factor).unwrap()).unwrap();
    }
    with_probe(model)
}

#[test]
fn log_probabilities_of_decodings_match_the_training_likelihood() {
    for state in DECODERS {
        for (conditional, constrained) in [(true, true), (false, false), (false, true)] {
            let mut config = decoder(state, conditional);
            (config.model.constrained, config.model.budget) = (constrained, false);
            config.model.goal_conditioned &= constrained;
            config.model.positional = conditional && !config.model.parent_index;
            let model = scaled(&config, 2.0);
            let (z, y) = (probe(7, 5, DType::F32), probe(7, 3, DType::F32));
            let given = if conditional { conditions(&y) } else { Conditions::none(7) };
            let codes = Codes { z, conditions: given };
            for decoding in [Decoding::Greedy, Decoding::samples(40, 3), Decoding::Beam { width: 6 }] {
                let mut seen = 0;
                for (row, list) in model.decode(&codes, decoding).unwrap().into_iter().enumerate() {
                    for Decoded { formula, log_probability, .. } in list {
                        let Some(formula) = formula else { continue };
                        let wanted = log_likelihood(&model, &formula, &codes.select(&[row]).unwrap());
                        assert!(
                            (log_probability - wanted).abs() < 2e-5 * wanted.abs().max(1.0),
                            "{state:?} {decoding:?} {formula}: {log_probability}, but training gives {wanted}"
                        );
                        seen += 1;
                    }
                }
                // Without constraints, the most probable sequences may all be invalid.
                assert!(
                    seen > 0 || !matches!(decoding, Decoding::Sampled { .. }),
                    "{state:?}: no valid formula was decoded"
                );
            }
        }
    }
}

#[test]
fn sampled_frequencies_match_probabilities() {
    for state in DECODERS {
        let model = scaled(&decoder(state, false), 2.0);
        let z = probe(2, 5, DType::F32);
        let samples = 20_000;
        for list in model.decode(&codes(&z), Decoding::samples(samples, 11)).unwrap() {
            assert_eq!(list.iter().map(|d| d.count).sum::<usize>(), samples);
            // The budget changes probabilities only near its limit, and common formulae are far below it.
            let common =
                list.iter().filter(|d| d.formula.as_ref().is_some_and(|f| f.size() <= 4) && d.count > 100);
            let mut compared = 0;
            for d in common {
                let p = d.log_probability.exp();
                let sigma = (p * (1.0 - p) * samples as f64).sqrt();
                let off = (d.count as f64 - p * samples as f64) / sigma;
                assert!(
                    off.abs() < 5.0,
                    "{state:?} {:?}: {} times, expected {:.1}",
                    d.formula,
                    d.count,
                    p * samples as f64
                );
                compared += 1;
            }
            assert!(compared >= 3, "{state:?}: too few common formulae to compare");
        }
    }
}

/// Every formula of at most three nodes over two variables.
fn small_formulae() -> Vec<Formula> {
    let texts = ["x1", "x2", "!x1", "!x2", "!!x1", "!!x2"];
    let pairs = ["x1", "x2"].into_iter().flat_map(|a| ["x1", "x2"].map(|b| (a, b)));
    let binary = pairs.flat_map(|(a, b)| [format!("{a} & {b}"), format!("{a} | {b}")]);
    texts.into_iter().map(str::to_owned).chain(binary).map(|f| f.parse().unwrap()).collect()
}

#[test]
fn a_wide_beam_finds_all_formulae_in_order_of_probability() {
    for state in DECODERS {
        let mut config = decoder(state, false);
        (config.model.variables, config.model.max_nodes) = (2, 3);
        (config.data.set.sampler.variables, config.data.set.sampler.max_nodes) = (2, 3);
        let model = scaled(&config, 2.0);
        let z = probe(1, 5, DType::F32);
        let found = model.decode(&codes(&z), Decoding::Beam { width: 100 }).unwrap().remove(0);
        let mut wanted: Vec<(f64, Formula)> =
            small_formulae().into_iter().map(|f| (log_likelihood(&model, &f, &codes(&z)), f)).collect();
        wanted.sort_by(|a, b| b.0.total_cmp(&a.0));
        let formulae: Vec<&Formula> = found.iter().filter_map(|d| d.formula.as_ref()).collect();
        assert_eq!(formulae, wanted.iter().map(|(_, f)| f).collect::<Vec<_>>(), "{state:?}");
        // A narrow beam returns as many formulae as its width, and never a more probable one.
        let narrow = model.decode(&codes(&z), Decoding::Beam { width: 2 }).unwrap().remove(0);
        assert_eq!(narrow.len(), 2);
        assert!(narrow[0].log_probability <= found[0].log_probability + 1e-6);
    }
}

#[test]
fn decoding_does_not_depend_on_the_batch_or_on_threads() {
    let model = scaled(&config(GraphState::Recurrent, false), 3.0);
    let z = probe(300, 5, DType::F32);
    let run = |threads, decoding| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| model.decode(&codes(&z), decoding).unwrap())
    };
    for decoding in [Decoding::Greedy, Decoding::samples(7, 5), Decoding::Beam { width: 3 }] {
        assert_eq!(run(1, decoding), run(3, decoding));
    }
    let all = run(2, Decoding::Greedy);
    for row in [0, 100, 299] {
        let alone = model.decode(&codes(&z.narrow(0, row, 1).unwrap()), Decoding::Greedy).unwrap();
        assert_eq!(alone[0][0].formula, all[row][0].formula);
    }
}

#[test]
fn temperature_and_top_k_narrow_the_choice() {
    let model = scaled(&config(GraphState::Recurrent, false), 2.0);
    let z = probe(3, 5, DType::F32);
    let decode = |temperature, top_k| {
        let decoding = Decoding::Sampled { samples: 200, temperature, top_k, seed: 1 };
        model.decode(&codes(&z), decoding).unwrap()
    };
    let greedy = model.decode(&codes(&z), Decoding::Greedy).unwrap();
    for (narrow, greedy) in
        [decode(1.0, Some(1)), decode(1e-3, None)].iter().flat_map(|lists| lists.iter().zip(&greedy))
    {
        assert_eq!((narrow.len(), &narrow[0].formula), (1, &greedy[0].formula));
    }
    let different = |lists: Vec<Vec<Decoded>>| lists.iter().map(Vec::len).sum::<usize>();
    assert!(different(decode(2.0, None)) > different(decode(0.5, None)));
}

#[test]
fn invalid_requests_are_rejected() {
    let model = Model::new(&config(GraphState::Sum, true)).unwrap();
    let (z, y) = (probe(2, 5, DType::F32), probe(2, 3, DType::F32));
    let message = |z: &Tensor, y: Option<&Tensor>, d| {
        let given = y.map_or(Conditions::none(2), conditions);
        model.decode(&Codes { z: z.clone(), conditions: given }, d).unwrap_err().to_string()
    };
    assert!(message(&z, None, Decoding::Greedy).contains("conditional"));
    assert!(message(&z, Some(&probe(2, 4, DType::F32)), Decoding::Greedy).contains("needs 3 numbers"));
    assert!(message(&probe(2, 4, DType::F32), Some(&y), Decoding::Greedy).contains("5 numbers"));
    assert!(message(&z, Some(&y), Decoding::samples(0, 1)).contains("samples"));
    assert!(message(&z, Some(&y), Decoding::Beam { width: 0 }).contains("beam"));
    let cold = Decoding::Sampled { samples: 1, temperature: 0.0, top_k: None, seed: 0 };
    assert!(message(&z, Some(&y), cold).contains("temperature"));
    let unconditional = Model::new(&config(GraphState::Sum, false)).unwrap();
    assert!(
        unconditional
            .decode(&Codes { z, conditions: conditions(&y) }, Decoding::Greedy)
            .unwrap_err()
            .to_string()
            .contains("not conditional")
    );
    assert!(model.prepare(&[]).is_err());
    assert!(
        unconditional.prepare(&["x5".parse().unwrap()]).map(drop).unwrap_err().to_string().contains("x5")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// The theorem in the documentation of generation, tested on random weights.
    #[test]
    fn with_a_budget_every_decoding_is_valid(
        seed in 0u64..1000,
        factor in 0.1f64..30.0,
        max_nodes in 2usize..20,
        state in 0usize..6,
        operators in -5f32..5.0,
    ) {
        let mut config = decoder(DECODERS[state], false);
        (config.seed, config.model.max_nodes, config.model.budget) = (seed, max_nodes, true);
        config.data.set.sampler.max_nodes = max_nodes;
        let model = scaled(&config, factor);
        // Favour operators or leaves.
        let vars: BTreeMap<String, _> = model.parameters().vars().into_iter().collect();
        let bias = &vars["score.2.bias"];
        let mut values: Vec<f32> = bias.to_vec1().unwrap();
        values[..3].iter_mut().for_each(|b| *b += operators);
        bias.set(&Tensor::new(values, &candle_core::Device::Cpu).unwrap()).unwrap();
        let z = (probe(9, 5, DType::F32) * 3.0).unwrap();
        for decoding in [Decoding::Greedy, Decoding::samples(5, seed), Decoding::Beam { width: 3 }] {
            for decoded in model.decode(&codes(&z), decoding).unwrap().into_iter().flatten() {
                let formula = decoded.formula.expect("valid");
                prop_assert!(formula.size() <= max_nodes);
            }
        }
    }
}

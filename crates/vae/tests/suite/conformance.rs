//! The model agrees with PyTorch, the implementations agree with each other, and gradients agree with finite
//! differences.

use std::collections::BTreeMap;
use std::sync::Arc;

use candle_core::{DType, Device, Tensor};
use logicvae_gnn::{EncoderConfig, Implementation, Kind, Readout};
use logicvae_logic::Formula;
use logicvae_vae::{Conditions, Config, EncoderChoice, GraphState, Model, fit_embedding};
use serde::Deserialize;

use crate::common::{
    DECODERS, assert_close, conditions, config, decoder, formulae, numbers, outcome, probe, with_probe,
};

#[derive(Deserialize)]
struct Listing {
    variables: u32,
    hidden: usize,
    latent: usize,
    head_dim: usize,
    beta: f64,
    formulae: Vec<Formula>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    case: String,
    kind: Kind,
    state: GraphState,
    context: usize,
    positional: bool,
    readout: Readout,
}

impl Listing {
    fn config(&self, case: &Case) -> Config {
        let mut config = config(case.state, case.context > 0);
        let encoder = match case.kind {
            Kind::Gru => EncoderConfig::gru(0, 0),
            Kind::Gcn => EncoderConfig::gcn(0, 0),
            Kind::Gat => EncoderConfig::gat(0, 0),
        };
        let model = &mut config.model;
        (model.variables, model.hidden, model.latent) = (self.variables, self.hidden, self.latent);
        (model.positional, model.noise) = (case.positional, 1.0);
        model.encoder = EncoderChoice {
            kind: case.kind,
            layers: encoder.layers,
            heads: encoder.heads,
            head_dim: (case.kind == Kind::Gat).then_some(self.head_dim),
            bidirectional: true,
            one_pass: false,
            readout: case.readout,
        };
        config
    }
}

#[test]
fn losses_and_gradients_match_pytorch() {
    let listing: Listing = serde_json::from_str(include_str!("../fixtures/cases.json")).unwrap();
    let file =
        candle_core::safetensors::load_buffer(include_bytes!("../fixtures/cases.safetensors"), &Device::Cpu)
            .unwrap();
    let file: BTreeMap<String, Tensor> = file.into_iter().collect();
    for case in &listing.cases {
        let get = |name: &str| file.get(&format!("{}/{name}", case.case));
        let model = Model::new(&listing.config(case)).unwrap();
        let prefix = format!("{}/weight.", case.case);
        let weights: Vec<(&str, Tensor)> =
            file.iter().filter_map(|(name, t)| Some((name.strip_prefix(&prefix)?, t.clone()))).collect();
        let bytes = safetensors::serialize(weights, None).unwrap();
        model.parameters().load_safetensors(&bytes).unwrap();
        let count = listing.formulae.len();
        let given = get("context").map_or(Conditions::none(count), conditions);
        let batch = model.prepare_with(&listing.formulae, given.clone()).unwrap();
        let posterior = model.posterior(&batch).unwrap();
        assert_close("mean", &numbers(&posterior.mean), &numbers(get("mean").unwrap()), 1e-5);
        assert_close(
            "log variance",
            &numbers(&posterior.log_variance),
            &numbers(get("log_variance").unwrap()),
            1e-5,
        );
        for implementation in [Implementation::Fused, Implementation::Reference, Implementation::EdgeOps] {
            let (nll, kl, gradients) = outcome(
                &model,
                implementation,
                &listing.formulae,
                get("noise").unwrap(),
                &given,
                listing.beta,
            );
            let what = |part: &str| format!("{} {implementation:?} {part}", case.case);
            assert_close(&what("nll"), &[nll], &numbers(get("nll").unwrap()), 1e-5);
            assert_close(&what("kl"), &[kl], &numbers(get("kl").unwrap()), 1e-5);
            for (name, gradient) in gradients {
                assert_close(&what(&name), &gradient, &numbers(get(&format!("grad.{name}")).unwrap()), 1e-4);
            }
        }
    }
}

#[test]
fn gradients_match_finite_differences() {
    let formulae = formulae(3, 20);
    for state in DECODERS {
        for constrained in [true, false] {
            let mut config = decoder(state, true);
            (config.model.constrained, config.model.budget) = (constrained, constrained);
            config.model.goal_conditioned &= constrained;
            let model = {
                let embedding = fit_embedding(&config).unwrap().map(Arc::new);
                with_probe(Model::initial(&config, embedding, DType::F64, &Device::Cpu).unwrap())
            };
            let (noise, given) = (probe(20, 5, DType::F64), conditions(&probe(20, 3, DType::F64)));
            let run = |implementation| outcome(&model, implementation, &formulae, &noise, &given, 0.3);
            let (nll, kl, gradients) = run(Implementation::Fused);
            let (plain_nll, plain_kl, plain) = run(Implementation::Reference);
            assert_close("losses", &[nll, kl], &[plain_nll, plain_kl], 1e-10);
            for (name, gradient) in &plain {
                assert_close(&format!("{state:?} {name}"), &gradients[name], gradient, 1e-9);
            }
            for (name, var) in
                model.parameters().vars().into_iter().filter(|(name, _)| gradients.contains_key(name))
            {
                let value = var.as_tensor().copy().unwrap();
                let all = numbers(&value);
                // A few numbers of each weight.
                for at in (0..all.len()).step_by(all.len() / 3 + 1) {
                    let loss_at = |change: f64| {
                        let mut moved = all.clone();
                        moved[at] += change;
                        var.set(&Tensor::from_vec(moved, value.shape(), &Device::Cpu).unwrap()).unwrap();
                        let batch = model.prepare_with(&formulae, given.clone()).unwrap();
                        numbers(&model.loss(&batch, &noise, 0.3).unwrap().total)[0]
                    };
                    let difference = (loss_at(1e-5) - loss_at(-1e-5)) / 2e-5;
                    let scale = gradients[&name].iter().fold(1e-2f64, |top, g| top.max(g.abs()));
                    let found = gradients[&name][at];
                    assert!(
                        (found - difference).abs() < 2e-6 * scale,
                        "{state:?} {name}[{at}]: {found}, but finite differences give {difference}"
                    );
                }
                var.set(&value).unwrap();
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let formulae = formulae(3, 70);
    for state in DECODERS {
        let model = Model::new(&decoder(state, false)).unwrap();
        let noise = probe(70, 5, DType::F32);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                outcome(&model, Implementation::Fused, &formulae, &noise, &Conditions::none(70), 0.1)
            })
        };
        let single = run(1);
        assert_eq!(single, run(2));
        assert_eq!(single, run(5));
    }
}

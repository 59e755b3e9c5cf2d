//! The hierarchical model: fuzzy semantics agrees with logic, gradients agree with finite differences, and
//! the leaf network learns.

use std::sync::Arc;

use candle_core::{DType, Device, Tensor, Var};
use logicvae_kernel::{Domain, Embedding, EmbeddingParams, Form, Method};
use logicvae_logic::Formula;
use logicvae_vae::leaves::LeafModel;
use logicvae_vae::metrics::{agreement, leaves};
use logicvae_vae::{
    Config, ContextConfig, DifferentiableEmbedding, Learner, Trainer, fit_embedding, fuzzy, leaf_indices,
    shape,
};

use crate::common::{assert_close, formulae, numbers, probe};

fn embedding(form: Form) -> Embedding {
    let params = EmbeddingParams { form, ..EmbeddingParams::new(6) };
    Embedding::fit(Domain::exact(3).unwrap(), &formulae(3, 40), &params).unwrap()
}

const FORMS: [Form; 2] = [Form::Plain, Form::Gaussian { sigma2: 0.44 }];

/// Leaves that are certain, as one-hot rows.
fn one_hot(samples: &[Formula], variables: usize) -> Tensor {
    let all: Vec<u32> = samples.iter().flat_map(|f| leaf_indices(f).unwrap()).collect();
    let rows: Vec<f64> =
        all.iter().flat_map(|&i| (0..variables as u32).map(move |v| f64::from(u8::from(v == i)))).collect();
    Tensor::from_vec(rows, (all.len(), variables), &Device::Cpu).unwrap()
}

#[test]
fn fuzzy_semantics_of_certain_leaves_is_classical_logic() {
    let samples = formulae(3, 30);
    let shapes: Vec<Formula> = samples.iter().map(shape).collect();
    for form in FORMS {
        let embedding = embedding(form);
        let semantics = DifferentiableEmbedding::new(&embedding, DType::F64, &Device::Cpu).unwrap();
        let found = semantics.vectors(&shapes, &one_hot(&samples, 3)).unwrap();
        let wanted = embedding.transform(&samples).unwrap();
        assert_close("vectors", &numbers(&found), &wanted.iter().copied().collect::<Vec<f64>>(), 1e-9);
    }
}

/// Compares the gradient of a loss with finite differences, at every `stride`-th number of `var`.
fn check_gradient(what: &str, var: &Var, loss: impl Fn() -> Tensor, stride: usize) {
    let gradients = loss().backward().unwrap();
    let found = numbers(gradients.get(var).unwrap());
    let value = var.as_tensor().copy().unwrap();
    let all = numbers(&value);
    let scale = found.iter().fold(1e-3f64, |top, g| top.max(g.abs()));
    for at in (0..all.len()).step_by(stride) {
        let at_change = |change: f64| {
            let mut moved = all.clone();
            moved[at] += change;
            var.set(&Tensor::from_vec(moved, value.shape(), &Device::Cpu).unwrap()).unwrap();
            numbers(&loss())[0]
        };
        let difference = (at_change(1e-6) - at_change(-1e-6)) / 2e-6;
        var.set(&value).unwrap();
        assert!(
            (found[at] - difference).abs() < 1e-5 * scale,
            "{what}[{at}]: {}, but finite differences give {difference}",
            found[at]
        );
    }
}

#[test]
fn fuzzy_gradients_match_finite_differences() {
    let samples = formulae(3, 10);
    let leaves: usize = samples.iter().map(|f| leaf_indices(f).unwrap().len()).sum();
    let var = Var::from_tensor(&probe(leaves, 4, DType::F64).affine(0.5, 0.5).unwrap()).unwrap();
    let loss = || {
        fuzzy::values(&samples, var.as_tensor())
            .unwrap()
            .mul(&probe(10, 4, DType::F64))
            .unwrap()
            .sum_all()
            .unwrap()
    };
    check_gradient("fuzzy", &var, loss, 1);
    for form in FORMS {
        let semantics = DifferentiableEmbedding::new(&embedding(form), DType::F64, &Device::Cpu).unwrap();
        let var = Var::from_tensor(&probe(leaves, 3, DType::F64).affine(0.5, 0.5).unwrap()).unwrap();
        let loss = || semantics.vectors(&samples, var.as_tensor()).unwrap().sqr().unwrap().sum_all().unwrap();
        check_gradient("vectors", &var, loss, 3);
    }
}

fn small_config(variables: u32) -> Config {
    let mut config = Config::preset(&format!("leaves-{variables}")).unwrap();
    config.model.hidden = 12;
    config.context = Some(ContextConfig {
        pool: 60,
        pool_seed: 7,
        components: 8,
        gaussian: Some(0.44),
        projected_gaussian: None,
        method: Method::GramPca,
        shifted: false,
    });
    config
}

#[test]
fn gradients_of_the_leaf_network_match_finite_differences() {
    let config = small_config(3);
    let embedding = Arc::new(fit_embedding(&config).unwrap().unwrap());
    let model = LeafModel::initial(&config, embedding, DType::F64, &Device::Cpu).unwrap();
    let samples = formulae(3, 8);
    let batch = model.prepare(&samples).unwrap();
    for (name, var) in model.parameters().vars() {
        let count = numbers(var.as_tensor()).len();
        check_gradient(&name, &var, || model.loss(&batch, 0.7).unwrap().total, count / 3 + 1);
    }
}

#[test]
fn agreement_is_a_fraction_of_assignments() {
    let parse = |text: &str| text.parse::<Formula>().unwrap();
    let shares = agreement(&[parse("x1"), parse("x1 & x2")], &[parse("!x1"), parse("x1 | x2")], 2).unwrap();
    assert_eq!(shares, [0.0, 0.5]);
}

#[test]
fn the_leaf_network_learns_and_candidates_improve_it() {
    let mut config = small_config(3);
    config.model.hidden = 32;
    config.data.set.train = 500;
    config.data.set.test = 60;
    config.data.set.valid = 40;
    config.training.epochs = 12;
    config.training.validate_every = 6;
    let data = config.dataset().unwrap();
    let mut trainer = Trainer::new(&config, &data, &Device::Cpu).unwrap();
    trainer.run(&mut ()).unwrap();
    let Learner::Leaves(model) = trainer.learner() else { panic!("not a leaf network") };
    let found = leaves(model, &data.test, 30, 1, |_| {}).unwrap();
    assert!(
        found.disagreement < found.guessing - 0.02,
        "{} is not below guessing: {}",
        found.disagreement,
        found.guessing
    );
    assert!(found.searched_disagreement < found.disagreement, "{found:?}");
    assert_eq!(found.disagreements.len(), 60);
}

#[test]
fn models_with_many_variables_can_be_trained() {
    let mut config = Config::preset("leaves-16").unwrap();
    config.model.hidden = 16;
    config.context = Some(ContextConfig {
        pool: 50,
        pool_seed: 7,
        components: 20,
        gaussian: Some(0.44),
        projected_gaussian: None,
        method: Method::GramPca,
        shifted: false,
    });
    (config.data.set.train, config.data.set.valid, config.data.set.test) = (64, 8, 8);
    (config.training.epochs, config.training.batch) = (1, 32);
    let data = config.dataset().unwrap();
    assert!(data.test.iter().all(|f| f.variables().len() == 16), "the paper's rule: every variable occurs");
    let outcome = Trainer::new(&config, &data, &Device::Cpu).unwrap().run(&mut ()).unwrap();
    assert_eq!(outcome.epochs, 1);
    let mut config =
        Config::preset("shapes-16").unwrap().with(&["model.hidden=16", "training.epochs=1"]).unwrap();
    (config.data.set.train, config.data.set.valid, config.data.set.test) = (64, 8, 8);
    let data = config.dataset().unwrap();
    assert!(data.test.iter().all(|f| f.max_variable() == 1));
    assert_eq!(Trainer::new(&config, &data, &Device::Cpu).unwrap().run(&mut ()).unwrap().epochs, 1);
}

//! What the tests share.

use std::collections::BTreeMap;

use candle_core::{DType, Device, Tensor};
use logicvae_gnn::Implementation;
use logicvae_logic::{Formula, SamplerParams};
use logicvae_vae::{Config, ContextConfig, GraphState, Model, Prior};

/// The kinds of decoders: graph state, and whether nodes are told their parent's index.
pub const DECODERS: [(GraphState, bool); 6] = [
    (GraphState::Last, false),
    (GraphState::Last, true),
    (GraphState::Sum, false),
    (GraphState::Sum, true),
    (GraphState::Recurrent, false),
    (GraphState::Recurrent, true),
];

pub fn formulae(variables: u32, count: usize) -> Vec<Formula> {
    SamplerParams { max_nodes: 14, ..SamplerParams::new(variables) }
        .check()
        .unwrap()
        .distinct(5, count)
        .unwrap()
}

/// The tiny preset with another decoder; the recurrent one has the prior and the goals that our own conditional models have.
pub fn decoder((state, indices): (GraphState, bool), conditional: bool) -> Config {
    let mut config = config(state, conditional);
    config.model.parent_index = indices;
    config.model.positional &= !indices;
    if conditional && state == GraphState::Recurrent {
        config.model.prior = Prior::Network;
        config.model.goals = true;
    }
    config
}

/// The tiny preset with another graph state, and a context of three numbers if wanted.
pub fn config(state: GraphState, conditional: bool) -> Config {
    let mut config = Config::preset("tiny").unwrap();
    config.model.graph_state = state;
    config.model.hidden = 12;
    config.model.latent = 5;
    if conditional {
        config.context = Some(ContextConfig { pool: 10, pool_seed: 1, components: 3, gaussian: None });
        config.model.prior = Prior::Learned;
    }
    config
}

/// Sets what reads tables from contexts, and is not trained, to something.
pub fn with_readout(model: Model) -> Model {
    for (_, var) in model.parameters().vars().iter().filter(|(name, _)| name.starts_with("readout.")) {
        let values = probe(1, var.elem_count(), var.dtype());
        var.set(&values.reshape(var.shape()).unwrap()).unwrap();
    }
    model
}

/// A fixed tensor of irregular numbers between -1 and 1.
pub fn probe(rows: usize, columns: usize, dtype: DType) -> Tensor {
    let values: Vec<f64> = (0..rows * columns).map(|i| (i as f64 * 12.9898 + 1.0).sin()).collect();
    Tensor::from_vec(values, (rows, columns), &Device::Cpu).unwrap().to_dtype(dtype).unwrap()
}

pub fn numbers(tensor: &Tensor) -> Vec<f64> {
    tensor.flatten_all().unwrap().to_dtype(DType::F64).unwrap().to_vec1().unwrap()
}

/// Negative log-likelihood, divergence, and the gradient of nll + beta kl for every weight.
pub fn outcome(
    model: &Model,
    implementation: Implementation,
    formulae: &[Formula],
    noise: &Tensor,
    context: Option<&Tensor>,
    beta: f64,
) -> (f64, f64, BTreeMap<String, Vec<f64>>) {
    let model = model.with_implementation(implementation);
    let loss = model.loss(&model.prepare(formulae).unwrap(), noise, context, beta).unwrap();
    let gradients = loss.total.backward().unwrap();
    let trained = model.parameters().vars().into_iter().filter(|(name, _)| !name.starts_with("readout."));
    let by_name = trained.map(|(name, var)| {
        let gradient = gradients.get(&var).unwrap_or_else(|| panic!("{name} gets no gradient"));
        (name, numbers(gradient))
    });
    (numbers(&loss.nll)[0], numbers(&loss.kl)[0], by_name.collect())
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

//! Helpers of the tests: small models, formulae, gradients by name.

use std::collections::BTreeMap;

use candle_core::Tensor;
use logicvae_gnn::Implementation;
use logicvae_kernel::Method;
use logicvae_logic::{Formula, SamplerParams};
use logicvae_vae::{Conditions, Config, ContextConfig, GraphState, Model, Prior};

pub use crate::tensors::{assert_close, numbers, probe};

/// The kinds of decoders: graph state, and whether nodes know the index of their parent.
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

/// The tiny preset with another decoder. The recurrent one has the prior and the goals of our own conditional
/// models.
pub fn decoder((state, indices): (GraphState, bool), conditional: bool) -> Config {
    let mut config = config(state, conditional);
    config.model.parent_index = indices;
    config.model.positional &= !indices;
    if conditional && state == GraphState::Recurrent {
        config.model.prior = Prior::Network;
        config.model.goal_conditioned = true;
        config.model.reads_start = true;
    }
    config
}

/// The tiny preset with another graph state and, if wanted, semantic vectors of three numbers.
pub fn config(state: GraphState, conditional: bool) -> Config {
    let mut config = Config::preset("tiny").unwrap();
    config.model.graph_state = state;
    config.model.hidden = 12;
    config.model.latent = 5;
    if conditional {
        config.context = Some(ContextConfig {
            pool: 10,
            pool_seed: 1,
            components: 3,
            gaussian: None,
            projected_gaussian: None,
            method: Method::GramPca,
            shifted: false,
        });
        config.model.prior = Prior::Learned;
    }
    config
}

/// Sets the table probe, which is not trained, to fixed values.
pub fn with_probe(model: Model) -> Model {
    for (_, var) in model.parameters().vars().iter().filter(|(name, _)| name.starts_with("readout.")) {
        let values = probe(1, var.elem_count(), var.dtype());
        var.set(&values.reshape(var.shape()).unwrap()).unwrap();
    }
    model
}

/// The negative log-likelihood, the KL divergence, and the gradient of nll + beta kl for every weight.
pub fn outcome(
    model: &Model,
    implementation: Implementation,
    formulae: &[Formula],
    noise: &Tensor,
    conditions: &Conditions,
    beta: f64,
) -> (f64, f64, BTreeMap<String, Vec<f64>>) {
    let model = model.with_implementation(implementation);
    let batch = model.prepare_with(formulae, conditions.clone()).unwrap();
    let loss = model.loss(&batch, noise, beta).unwrap();
    let gradients = loss.total.backward().unwrap();
    let trained = model.parameters().vars().into_iter().filter(|(name, _)| !name.starts_with("readout."));
    let by_name = trained.map(|(name, var)| {
        let gradient = gradients.get(&var).unwrap_or_else(|| panic!("{name} has no gradient"));
        (name, numbers(gradient))
    });
    (numbers(&loss.nll)[0], numbers(&loss.kl)[0], by_name.collect())
}

/// Semantic vectors as conditions.
pub fn conditions(vectors: &Tensor) -> Conditions {
    Conditions::from_vectors(vectors.clone()).unwrap()
}

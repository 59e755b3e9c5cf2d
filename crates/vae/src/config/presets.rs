//! Presets: the paper's models, its ablations, and our own models.

use logicvae_gnn::{EncoderConfig, Kind, Readout};
use logicvae_kernel::{Method, PAPER_SIGMA2};
use logicvae_logic::{DatasetSpec, SamplerParams};

use crate::config::{
    Children, Config, ContextConfig, DataConfig, Decay, EncoderChoice, GraphState, ModelConfig, Prior, Task,
    TrainingConfig,
};

impl Config {
    /// The names of the presets. `{kind}` is `gru`, `gcn` or `gat`, and `{n}` is the number of variables: 3,
    /// 4 or 5.
    pub const PRESETS: [(&str, &str); 14] = [
        ("{kind}-{n}", "the paper's model: fixed data, noise scale 0.01, unordered children"),
        ("cvae-{gcn,gat}-{n}", "the paper's conditional model"),
        ("{gcn,gat}-{n}-unconstrained", "ablation: any type may follow at any step"),
        ("{gcn,gat}-{n}-unidirectional", "ablation: downward messages only"),
        ("gcn-{n}-one-pass", "ablation: one pass over parents and children with the same weights"),
        ("{gcn,gat}-{n}-layers-{1..5}", "ablation: the number of layers"),
        ("{gcn,gat}-{n}-end", "ablation: the readout of the paper's text instead of its code"),
        (
            "published-...",
            "one of the above on the data that the authors' program draws, with a standard normal prior",
        ),
        ("best-{n}", "ours: fresh formulae, ordered children, a recurrent graph state, noise scale 1"),
        ("cvae-best-{n}", "ours, conditional"),
        (
            "general-5",
            "ours: any formula of at most five variables and 30 nodes; one vector of meaning and syntax",
        ),
        (
            "shapes-{n}",
            "the hierarchical model's first half: trees without variables; n may be 3, 4, 5, 10 or 16",
        ),
        ("leaves-{n}", "its second half: the variable of each leaf, from tree and meaning; n as for shapes"),
        ("tiny", "a small model on small data, for tests: learns in seconds"),
    ];

    /// The settings of a preset, by name.
    pub fn preset(name: &str) -> Option<Self> {
        if name == "tiny" {
            return Some(tiny());
        }
        if name == "general-5" {
            return Some(general(name, 5));
        }
        for (family, make) in [("shapes-", shapes as fn(&str, u32) -> Config), ("leaves-", leaves)] {
            if let Some(variables) = name.strip_prefix(family) {
                return variables
                    .parse()
                    .ok()
                    .filter(|n| [3, 4, 5, 10, 16].contains(n))
                    .map(|n| make(name, n));
            }
        }
        if let Some(model) = name.strip_prefix("published-") {
            return published(name, Self::preset(model)?);
        }
        let (conditional, rest) = match name.strip_prefix("cvae-") {
            Some(rest) => (true, rest),
            None => (false, name),
        };
        let (family, rest) = rest.split_once('-')?;
        let (variables, ablation) =
            rest.split_once('-').map_or((rest, None), |(n, ablation)| (n, Some(ablation)));
        let variables: u32 = variables.parse().ok().filter(|n| (3..=5).contains(n))?;
        let kind = match family {
            "best" if ablation.is_none() => {
                return Some(if conditional {
                    conditional_best(name, variables)
                } else {
                    best(name, variables)
                });
            }
            "gru" if !conditional => Kind::Gru,
            "gcn" => Kind::Gcn,
            "gat" => Kind::Gat,
            _ => return None,
        };
        let mut config = paper(name, kind, variables, conditional);
        match ablation {
            None => {}
            Some(_) if conditional => return None,
            Some("end") if kind != Kind::Gru => config.model.encoder.readout = Readout::End,
            Some("unconstrained") if kind != Kind::Gru => config.model.constrained = false,
            Some("unidirectional") if kind != Kind::Gru => config.model.encoder.bidirectional = false,
            Some("one-pass") if kind == Kind::Gcn => {
                config.model.encoder.bidirectional = false;
                config.model.encoder.one_pass = true;
            }
            Some(other) => {
                let layers: usize = other
                    .strip_prefix("layers-")?
                    .parse()
                    .ok()
                    .filter(|n| (1..=5).contains(n) && kind != Kind::Gru)?;
                let encoder = config.model.encoder_config().with_layers(layers);
                config.model.encoder.layers = layers;
                config.model.encoder.heads = encoder.heads;
            }
        }
        Some(config)
    }
}

/// The paper's data: 4,000 training formulae and 300 test formulae in which every variable occurs. The same
/// rule is used for other numbers of variables.
fn paper_data(variables: u32) -> DatasetSpec {
    let name = format!("paper-{variables}");
    let sampler = SamplerParams { all_variables: true, ..SamplerParams::new(variables) };
    DatasetSpec::preset(&name).unwrap_or(DatasetSpec::new(sampler))
}

fn encoder_choice(config: EncoderConfig, readout: Readout) -> EncoderChoice {
    EncoderChoice {
        kind: config.kind,
        layers: config.layers,
        heads: config.heads,
        head_dim: None,
        bidirectional: true,
        one_pass: false,
        readout,
    }
}

fn context() -> ContextConfig {
    ContextConfig {
        pool: 5000,
        pool_seed: 7,
        components: 100,
        gaussian: Some(PAPER_SIGMA2),
        projected_gaussian: None,
        method: Method::GramPca,
        shifted: false,
    }
}

/// The paper's model. Where the paper's code differs from its text, it follows the code: GCN and GAT sum
/// states in the readout, and their decoder sees the sum of all states so far. Two augmentations are ours.
/// Children are sorted, since the encoders cannot see their order and accuracy does not depend on it.
/// Symmetries are applied, since a model soon memorises 4,000 formulae. With more than three variables there
/// are also a curriculum and crossover. What each of them contributes is in `results/REPORT.md`.
fn paper(name: &str, kind: Kind, variables: u32, conditional: bool) -> Config {
    let (hidden, types) = (250, 0);
    let (encoder, graph_state) = match kind {
        Kind::Gru => (encoder_choice(EncoderConfig::gru(types, hidden), Readout::End), GraphState::Last),
        Kind::Gcn => (encoder_choice(EncoderConfig::gcn(types, hidden), Readout::Sum), GraphState::Sum),
        Kind::Gat => {
            let choice = encoder_choice(EncoderConfig::gat(types, hidden), Readout::Sum);
            (EncoderChoice { head_dim: Some(84), ..choice }, GraphState::Sum)
        }
    };
    let model = ModelConfig {
        task: Task::Autoencoder,
        variables,
        constant: false,
        positional: false,
        hidden,
        latent: 56,
        noise: 0.01,
        prior: if conditional { Prior::Learned } else { Prior::Standard },
        graph_state,
        parent_index: kind == Kind::Gru,
        constrained: true,
        budget: false,
        max_nodes: 30,
        goal_conditioned: false,
        reads_start: false,
        candidates: 1,
        encoder,
    };
    let training = TrainingConfig {
        epochs: if conditional { 600 } else { 300 },
        batch: 32,
        learning_rate: 1e-3,
        decay: Decay::Half,
        warm_up: 0,
        weight_decay: 0.0,
        l2: 0.0,
        cycle_epochs: 0,
        cycle_peak: 0.0,
        clip: 10.0,
        beta: 1e-3,
        lambda: None,
        hybrid: 0.0,
        short_answers: false,
        hardest_of: 1,
        validate_every: 30,
        patience: 3,
        improvement: 1e-3,
        checkpoint_every: 5,
        fine_tune_epochs: 0,
        fine_tune_learning_rate: 0.0,
        fine_tune_beta: 0.0,
    };
    Config {
        name: name.into(),
        seed: 1,
        model,
        data: DataConfig {
            set: paper_data(variables),
            fresh: false,
            general: false,
            small: 0.0,
            children: Children::Sort,
            symmetries: true,
            curriculum: if variables > 3 { 60 } else { 0 },
            crossover: if variables > 3 { 0.8 } else { 0.0 },
            as_given: 0.0,
            shapes: false,
        },
        context: conditional.then(context),
        training,
    }
}

/// σ² of the pool's decomposition in the authors' program.
const PUBLISHED_POOL_SIGMA2: f64 = 0.2;

/// A model of the paper on data as the authors' program draws them: smaller formulae, and test formulae of
/// which most are training formulae. Half of the training formulae are used as given, so that these are
/// memorised. As in that program, the prior of conditional models is N(0, I), and the pool is
/// decomposed with another σ² than that of the formulae which are embedded.
fn published(name: &str, config: Config) -> Option<Config> {
    // Only the paper's models are trained on given formulae in which every variable occurs.
    if config.data.fresh || !config.data.set.sampler.all_variables {
        return None;
    }
    let set = DatasetSpec::preset(&format!("published-{}", config.model.variables))?;
    let data = DataConfig { set, curriculum: 20, crossover: 0.8, as_given: 0.5, ..config.data };
    let model = ModelConfig { prior: Prior::Standard, ..config.model };
    let context = config.context.map(|context| ContextConfig {
        gaussian: Some(PUBLISHED_POOL_SIGMA2),
        projected_gaussian: Some(PAPER_SIGMA2),
        ..context
    });
    Some(Config { name: name.into(), model, data, context, ..config })
}

/// What our models have in common. Every training formula is new, so nothing can be memorised.
fn ours(name: &str, variables: u32) -> Config {
    let mut config = paper(name, Kind::Gru, variables, false);
    config.model.positional = true;
    config.model.parent_index = false;
    config.model.graph_state = GraphState::Recurrent;
    config.model.noise = 1.0;
    config.model.budget = true;
    config.data = DataConfig {
        fresh: true,
        children: Children::Keep,
        symmetries: false,
        crossover: 0.0,
        ..config.data
    };
    config.training = TrainingConfig {
        epochs: 400,
        batch: 64,
        warm_up: 200,
        validate_every: 20,
        patience: 0,
        ..config.training
    };
    // Longer formulae need more steps and a curriculum: without one, nothing is reconstructed for the first
    // few hundred thousand formulae.
    if variables > 3 {
        let epochs = if variables == 4 { 400 } else { 700 };
        config.training = TrainingConfig { epochs, batch: 32, decay: Decay::Cosine, ..config.training };
    }
    config
}

/// Our autoencoder. Where formulae are long it has a fine-tuning phase: by then only β causes the remaining
/// errors.
fn best(name: &str, variables: u32) -> Config {
    let mut config = ours(name, variables);
    let (fine_tune_epochs, fine_tune_learning_rate) = match variables {
        4 => (120, 2e-4),
        5 => (300, 3e-4),
        _ => return config,
    };
    let epochs = config.training.epochs + fine_tune_epochs;
    config.training = TrainingConfig {
        epochs,
        fine_tune_epochs,
        fine_tune_learning_rate,
        fine_tune_beta: 2e-4,
        ..config.training
    };
    config
}

/// Our conditional model: latent vectors encode what the condition leaves open, and part of the training
/// decodes vectors of the prior.
fn conditional_best(name: &str, variables: u32) -> Config {
    let mut config = ours(name, variables);
    config.context = Some(context());
    config.model =
        ModelConfig { prior: Prior::Network, goal_conditioned: true, candidates: 10, ..config.model };
    config.training = TrainingConfig { epochs: 450, hybrid: 0.1, ..config.training };
    config
}

/// One embedding that does both: y is the meaning, without loss, and z is how the formula is written.
/// Training starts from the weights of `best-5`.
fn general(name: &str, variables: u32) -> Config {
    let mut config = ours(name, variables);
    let max_nodes = 30;
    let sampler = SamplerParams { max_nodes, ..SamplerParams::new(variables) };
    config.data = DataConfig {
        set: DatasetSpec { seed: 31, train: 16_000, valid: 1000, test: 2000, ..DatasetSpec::new(sampler) },
        general: true,
        curriculum: 0,
        ..config.data
    };
    // One component per assignment of the plain kernel: distances are those of the kernel.
    let components = 1 << variables;
    config.context =
        Some(ContextConfig { components, gaussian: None, method: Method::KernelPca, ..context() });
    config.model = ModelConfig {
        constant: true,
        max_nodes,
        prior: Prior::Network,
        goal_conditioned: true,
        reads_start: true,
        ..config.model
    };
    config.training = TrainingConfig {
        epochs: 1200,
        batch: 64,
        learning_rate: 5e-4,
        beta: 1e-4,
        hybrid: 0.15,
        short_answers: true,
        hardest_of: 4,
        validate_every: 10,
        fine_tune_epochs: 400,
        fine_tune_learning_rate: 2e-4,
        fine_tune_beta: 2e-5,
        ..config.training
    };
    config
}

/// The first half of the hierarchical model: our autoencoder on trees whose leaves are all x1. Held-out
/// formulae are held out as shapes.
fn shapes(name: &str, variables: u32) -> Config {
    let mut config = ours(name, variables);
    let nodes = config.data.set.sampler.max_nodes;
    config.model.variables = 1;
    config.model.max_nodes = config.model.max_nodes.max(nodes);
    config.data.shapes = true;
    config.data.curriculum = 0;
    config.training.epochs = 100;
    config
}

/// The second half, with the paper's λ and its width of semantic vectors, on fresh formulae.
fn leaves(name: &str, variables: u32) -> Config {
    let mut config = ours(name, variables);
    let nodes = config.data.set.sampler.max_nodes;
    config.model.task = Task::Leaves;
    config.model.max_nodes = config.model.max_nodes.max(nodes);
    config.model.encoder.layers = 2;
    config.data.curriculum = 0;
    config.context = Some(ContextConfig { components: if variables <= 5 { 100 } else { 500 }, ..context() });
    config.training = TrainingConfig { epochs: 100, beta: 0.0, lambda: Some(0.7), ..config.training };
    config
}

/// Small enough to memorise its formulae in seconds.
fn tiny() -> Config {
    let mut config = ours("tiny", 3);
    let sampler = SamplerParams { max_nodes: 10, all_variables: false, ..SamplerParams::new(3) };
    config.data = DataConfig {
        set: DatasetSpec { seed: 1, train: 100, valid: 20, test: 20, ..DatasetSpec::new(sampler) },
        fresh: false,
        general: false,
        small: 0.0,
        children: Children::Keep,
        symmetries: false,
        curriculum: 0,
        crossover: 0.0,
        as_given: 0.0,
        shapes: false,
    };
    config.model = ModelConfig { hidden: 64, latent: 24, noise: 0.1, max_nodes: 12, ..config.model };
    config.training = TrainingConfig {
        epochs: 150,
        batch: 20,
        learning_rate: 3e-3,
        warm_up: 20,
        validate_every: 50,
        checkpoint_every: 25,
        ..config.training
    };
    config
}

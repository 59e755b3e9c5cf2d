//! Named settings: the paper's models, its ablations, and ours.

use logicvae_gnn::{EncoderConfig, Kind, Readout};
use logicvae_kernel::PAPER_SIGMA2;
use logicvae_logic::{DatasetSpec, SamplerParams};

use crate::config::{
    Children, Config, ContextConfig, DataConfig, Decay, EncoderChoice, GraphState, ModelConfig, Prior, Task,
    TrainingConfig,
};
use crate::error::VaeError;

impl Config {
    /// Names of the presets. `{kind}` is `gru`, `gcn` or `gat`; `{n}` is the number of variables: 3, 4 or 5.
    pub const PRESETS: [(&str, &str); 11] = [
        ("{kind}-{n}", "the paper's model: fixed data, noise scale 0.01, children in no order"),
        ("cvae-{gcn,gat}-{n}", "the paper's conditional model"),
        ("{gcn,gat}-{n}-unconstrained", "ablation: any type may follow at any step"),
        ("{gcn,gat}-{n}-unidirectional", "ablation: downward messages alone"),
        ("{gcn,gat}-{n}-layers-{1..5}", "ablation: the number of layers"),
        ("{gcn,gat}-{n}-end", "ablation: the other read-out than the paper's code"),
        ("best-{n}", "ours: fresh formulae, ordered children, a recurrent graph state, noise scale 1"),
        ("cvae-best-{n}", "ours, conditional"),
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
        for (family, make) in [("shapes-", shapes as fn(&str, u32) -> Config), ("leaves-", leaves)] {
            if let Some(variables) = name.strip_prefix(family) {
                return variables
                    .parse()
                    .ok()
                    .filter(|n| [3, 4, 5, 10, 16].contains(n))
                    .map(|n| make(name, n));
            }
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

/// The paper's data: 4,000 formulae to learn from, 300 to test on. By its rule, that every variable occurs, for other numbers
/// of variables too.
fn paper_data(variables: u32) -> DatasetSpec {
    let name = format!("paper-{variables}");
    DatasetSpec::preset(&name).unwrap_or(DatasetSpec {
        sampler: SamplerParams { all_variables: true, ..SamplerParams::new(variables) },
        seed: 2023,
        train: 4000,
        valid: 500,
        test: 300,
    })
}

fn encoder_choice(config: EncoderConfig, readout: Readout) -> EncoderChoice {
    EncoderChoice {
        kind: config.kind,
        layers: config.layers,
        heads: config.heads,
        head_dim: None,
        bidirectional: true,
        readout,
    }
}

fn context() -> ContextConfig {
    ContextConfig { pool: 5000, pool_seed: 7, components: 100, gaussian: Some(PAPER_SIGMA2) }
}

/// The paper's model. What its code does where its text says otherwise: GCN and GAT read out the sum of states, and their
/// decoder sees the sum of all states so far. What neither has: formulae are seen with sorted children, since the encoders
/// cannot tell their order and the measure does not ask for it, and under symmetries, since 4,000 formulae are soon learned
/// by heart; those of more than three variables also grow and exchange parts (`results/REPORT.md` shows what each is worth).
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
        task: Task::Formulae,
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
        goals: false,
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
        clip: 10.0,
        beta: 1e-3,
        hybrid: 0.0,
        focus: 1,
        validate_every: 30,
        patience: 3,
        improvement: 1e-3,
        checkpoint_every: 5,
        polish: 0,
        polish_rate: 0.0,
        polish_beta: 0.0,
    };
    Config {
        name: name.into(),
        seed: 1,
        model,
        data: DataConfig {
            set: paper_data(variables),
            fresh: false,
            children: Children::Sort,
            symmetries: true,
            curriculum: if variables > 3 { 60 } else { 0 },
            crossing: if variables > 3 { 0.8 } else { 0.0 },
            shapes: false,
        },
        context: conditional.then(context),
        training,
    }
}

/// What our models have in common. Formulae never come twice, so nothing can be learned by heart.
fn ours(name: &str, variables: u32) -> Config {
    let mut config = paper(name, Kind::Gru, variables, false);
    config.model.positional = true;
    config.model.parent_index = false;
    config.model.graph_state = GraphState::Recurrent;
    config.model.noise = 1.0;
    config.model.budget = true;
    config.data =
        DataConfig { fresh: true, children: Children::Keep, symmetries: false, crossing: 0.0, ..config.data };
    config.training = TrainingConfig {
        epochs: 400,
        batch: 64,
        warm_up: 200,
        validate_every: 20,
        patience: 0,
        ..config.training
    };
    // Longer formulae need more steps, and to grow: without that nothing comes back for the first hundreds of thousands.
    if variables > 3 {
        let epochs = if variables == 4 { 400 } else { 700 };
        config.training = TrainingConfig { epochs, batch: 32, decay: Decay::Cosine, ..config.training };
    }
    config
}

/// Ours. With a polish, where formulae are long: by then it is β alone that keeps the last of them from coming back.
fn best(name: &str, variables: u32) -> Config {
    let mut config = ours(name, variables);
    let (polish, polish_rate) = match variables {
        4 => (120, 2e-4),
        5 => (300, 3e-4),
        _ => return config,
    };
    let epochs = config.training.epochs + polish;
    config.training = TrainingConfig { epochs, polish, polish_rate, polish_beta: 2e-4, ..config.training };
    config
}

/// Ours, conditional: encodings carry what the context leaves open, and vectors of the prior are decoded as well as encodings.
fn conditional_best(name: &str, variables: u32) -> Config {
    let mut config = ours(name, variables);
    config.context = Some(context());
    config.model = ModelConfig { prior: Prior::Network, goals: true, candidates: 10, ..config.model };
    config.training = TrainingConfig { epochs: 450, hybrid: 0.1, ..config.training };
    config
}

/// The hierarchical model's first half: ours, on trees whose leaves are all x1. What is held out is held out as a shape.
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

/// Its second half, with the paper's λ. Fresh formulae here too; semantic vectors as wide as the paper's.
fn leaves(name: &str, variables: u32) -> Config {
    let mut config = ours(name, variables);
    let nodes = config.data.set.sampler.max_nodes;
    config.model.task = Task::Leaves;
    config.model.max_nodes = config.model.max_nodes.max(nodes);
    config.model.encoder.layers = 2;
    config.data.curriculum = 0;
    config.context = Some(ContextConfig { components: if variables <= 5 { 100 } else { 500 }, ..context() });
    config.training = TrainingConfig { epochs: 100, beta: 0.7, ..config.training };
    config
}

/// Small enough to learn its formulae by heart in seconds.
fn tiny() -> Config {
    let mut config = ours("tiny", 3);
    let sampler = SamplerParams { max_nodes: 10, all_variables: false, ..SamplerParams::new(3) };
    config.data = DataConfig {
        set: DatasetSpec { sampler, seed: 1, train: 100, valid: 20, test: 20 },
        fresh: false,
        children: Children::Keep,
        symmetries: false,
        curriculum: 0,
        crossing: 0.0,
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

/// Sets `section.key=value` in a table; the value is read as TOML, or as text if it is none.
pub(super) fn set(table: &mut toml::Table, change: &str) -> Result<(), VaeError> {
    let wrong = |reason: &str| VaeError::Setting { setting: change.into(), reason: reason.into() };
    let (path, value) = change
        .split_once('=')
        .ok_or_else(|| wrong("give a setting as key=value, such as training.epochs=50"))?;
    let value = value.trim();
    let value = match format!("value = {value}").parse::<toml::Table>() {
        Ok(mut parsed) => parsed.remove("value").ok_or_else(|| wrong("there is no value"))?,
        Err(_) => toml::Value::String(value.into()),
    };
    let (sections, key) = path.trim().rsplit_once('.').unwrap_or(("", path.trim()));
    let mut place = table;
    for section in sections.split('.').filter(|s| !s.is_empty()) {
        let next = place.entry(section).or_insert_with(|| toml::Table::new().into());
        place = next.as_table_mut().ok_or_else(|| wrong(&format!("`{section}` is no section")))?;
    }
    place.insert(key.into(), value);
    Ok(())
}

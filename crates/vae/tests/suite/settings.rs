//! Inconsistent settings are rejected with an error that names the setting.

use logicvae_vae::{Config, Model};

/// Checks that a preset with these changes is rejected with an error that contains `expected`.
fn expect_error(name: &str, changes: &[&str], expected: &str) {
    let error = Config::preset(name).unwrap().with(changes).unwrap_err().to_string();
    assert!(error.contains(expected), "{changes:?}: {error}");
}

#[test]
fn errors_name_the_invalid_setting() {
    expect_error("cvae-gat-5", &["context.pool=0"], "context.pool");
    expect_error("gat-5", &["model.prior=\"learned\""], "model.prior");
    expect_error("gcn-5", &["model.encoder.heads=[3, 3]"], "model.encoder.heads");
    expect_error("gat-5", &["model.encoder.heads=[3]"], "model.encoder.heads");
    expect_error("gat-5", &["model.variables=4"], "data.set.sampler.variables");
    expect_error("gat-5-unconstrained", &["model.budget=true"], "model.budget");
    expect_error("gat-5", &["model.latent=0"], "model.latent");
    expect_error("gat-5", &["model.noise=-1.0"], "model.noise");
    expect_error("gat-5", &["training.batch=0"], "training.batch");
    expect_error("gat-5", &["training.clip=0.0"], "training.clip");
    expect_error("gat-5", &["training.learning_rate=nan"], "training.learning_rate");
    expect_error("gat-5", &["data.set.valid=0"], "training.patience");
    expect_error("gat-5", &["data.set.sampler.p_leaf=1.5"], "p_leaf");
    expect_error("cvae-gat-5", &["context.components=6000"], "context.components");
    expect_error("gat-5", &["model.kind=gat"], "kind");
    expect_error("cvae-gat-5", &["model.goals=true", "model.constrained=false"], "model.goal_conditioned");
    expect_error("gat-5", &["model.goals=true"], "model.goal_conditioned");
    expect_error("gat-5", &["model.candidates=10"], "model.candidates");
    expect_error("cvae-gat-5", &["model.candidates=0"], "model.candidates");
    expect_error("gat-5", &["training.hybrid=0.5"], "training.hybrid");
    expect_error("cvae-gat-5", &["training.hybrid=1.0"], "training.hybrid");
    expect_error("best-3", &["training.focus=0"], "training.hardest_of");
    expect_error("leaves-3", &["training.focus=2"], "training.hardest_of");
    expect_error("best-3", &["training.polish=400"], "training.fine_tune_epochs");
    expect_error("best-3", &["training.polish=4"], "training.fine_tune_learning_rate");
    expect_error("gat-5", &["training.epochs"], "key=value");
    expect_error("gat-5", &["training.decay=slow"], "slow");
    expect_error("gat-5", &["training.decay=cyclic"], "training.cycle_epochs");
    expect_error("gat-5", &["training.cycle_peak=0.003"], "training.decay");
    expect_error("gat-5", &["training.l2=-1.0"], "training.l2");
    expect_error("gat-5", &["data.as_given=1.5"], "data.as_given");
    expect_error("best-5", &["data.as_given=0.5"], "data.as_given");
    expect_error("gat-5", &["data.set.names=alphabetical"], "alphabetical");
    expect_error("published-gat-5", &["data.set.sampler.operators.not=0.0"], "data.set.sampler");
    expect_error("general-5", &["context.projected_gaussian=0.44"], "context.projected_gaussian");
    expect_error("gat-5", &["training.improvement=1.0"], "training.improvement");
    expect_error("gat-5", &["model.max_nodes=20"], "data.set.sampler.max_nodes");
    expect_error("gat-5", &["model.hidden=1000000000"], "model.hidden");
    expect_error("gat-5", &["model.variables=4294967295"], "model.variables");
    expect_error("gat-5", &["training.epochs=9223372036854775807"], "training.epochs");
}

#[test]
fn every_preset_builds_a_model_and_round_trips_through_toml() {
    let mut names = vec!["tiny".to_owned()];
    for n in 3..=5 {
        names.extend(
            ["gru", "gcn", "gat", "cvae-gcn", "cvae-gat", "best", "cvae-best"]
                .map(|kind| format!("{kind}-{n}")),
        );
        for kind in ["gcn", "gat"] {
            names.extend(["end", "unconstrained", "unidirectional"].map(|what| format!("{kind}-{n}-{what}")));
            names.extend((1..=5).map(|layers| format!("{kind}-{n}-layers-{layers}")));
        }
    }
    let published =
        names.iter().filter(|name| ["gru", "gcn", "gat", "cvae-g"].iter().any(|k| name.starts_with(k)));
    let published: Vec<String> = published.map(|name| format!("published-{name}")).collect();
    names.extend(published);
    for name in names {
        let config = Config::preset(&name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(config.name, name);
        assert_eq!(Config::from_toml(&config.to_toml().unwrap()).unwrap(), config, "{name}");
        // The pool is small, since fitting the embedding is tested elsewhere.
        let small = match config.context {
            Some(_) => config.with(&["context.pool=200", "context.components=20"]).unwrap(),
            None => config,
        };
        Model::new(&small).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    for unknown in [
        "",
        "gat",
        "gat-6",
        "cvae-gru-3",
        "gru-3-layers-2",
        "gat-5-layers-6",
        "best-3-end",
        "nonsense-3",
        "published-best-3",
        "published-tiny",
        "published-published-gat-5",
    ] {
        assert!(Config::preset(unknown).is_none(), "{unknown}");
    }
}

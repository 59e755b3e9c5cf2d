//! Settings that do not go together are refused, each with its name.

use logicvae_vae::{Config, Model};

fn refused(name: &str, changes: &[&str], wanted: &str) {
    let error = Config::preset(name).unwrap().with(changes).unwrap_err().to_string();
    assert!(error.contains(wanted), "{changes:?}: {error}");
}

#[test]
fn each_wrong_setting_is_named() {
    refused("cvae-gat-5", &["context.pool=0"], "context.pool");
    refused("gat-5", &["model.prior=\"learned\""], "model.prior");
    refused("gcn-5", &["model.encoder.heads=[3, 3]"], "model.encoder.heads");
    refused("gat-5", &["model.encoder.heads=[3]"], "model.encoder.heads");
    refused("gat-5", &["model.variables=4"], "data.set.sampler.variables");
    refused("gat-5-unconstrained", &["model.budget=true"], "model.budget");
    refused("gat-5", &["model.latent=0"], "model.latent");
    refused("gat-5", &["model.noise=-1.0"], "model.noise");
    refused("gat-5", &["training.batch=0"], "training.batch");
    refused("gat-5", &["training.clip=0.0"], "training.clip");
    refused("gat-5", &["training.learning_rate=nan"], "training.learning_rate");
    refused("gat-5", &["data.set.valid=0"], "training.patience");
    refused("gat-5", &["data.set.sampler.p_leaf=1.5"], "p_leaf");
    refused("cvae-gat-5", &["context.components=6000"], "context.components");
    refused("gat-5", &["model.kind=gat"], "kind");
    refused("cvae-gat-5", &["model.goals=true", "model.constrained=false"], "model.goals");
    refused("gat-5", &["model.goals=true"], "model.goals");
    refused("gat-5", &["model.candidates=10"], "model.candidates");
    refused("cvae-gat-5", &["model.candidates=0"], "model.candidates");
    refused("gat-5", &["training.hybrid=0.5"], "training.hybrid");
    refused("cvae-gat-5", &["training.hybrid=1.0"], "training.hybrid");
    refused("best-3", &["training.focus=0"], "training.focus");
    refused("leaves-3", &["training.focus=2"], "training.focus");
    refused("best-3", &["training.polish=400"], "training.polish");
    refused("best-3", &["training.polish=4"], "training.polish_rate");
    refused("gat-5", &["training.epochs"], "key=value");
    refused("gat-5", &["training.decay=slow"], "slow");
    refused("gat-5", &["training.improvement=1.0"], "training.improvement");
    refused("gat-5", &["model.max_nodes=20"], "data.set.sampler.max_nodes");
    refused("gat-5", &["model.hidden=1000000000"], "model.hidden");
    refused("gat-5", &["model.variables=4294967295"], "model.variables");
    refused("gat-5", &["training.epochs=9223372036854775807"], "training.epochs");
}

#[test]
fn every_preset_makes_a_model_and_survives_toml() {
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
    for name in names {
        let config = Config::preset(&name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(config.name, name);
        assert_eq!(Config::from_toml(&config.to_toml().unwrap()).unwrap(), config, "{name}");
        Model::new(&config).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    for wrong in
        ["", "gat", "gat-6", "cvae-gru-3", "gru-3-layers-2", "gat-5-layers-6", "best-3-end", "nonsense-3"]
    {
        assert!(Config::preset(wrong).is_none(), "{wrong}");
    }
}

//! Exported models, training from the weights of another run, and the hierarchical model.

use std::path::Path;

use crate::support::{Folder, done, logicvae, logicvae_with_backtrace, refused};

#[test]
fn an_exported_model_can_be_used_like_its_run() {
    let folder = Folder::new();
    let (run, out) = (folder.path("run"), folder.path("export"));
    done(&["train", "--preset", "tiny", "--set=training.epochs=40", "--out", &run]);
    let report = done(&["export", &run, "--out", &out, "--json"]).json();
    let whole = std::fs::metadata(format!("{run}/best.safetensors")).unwrap().len();
    assert!(report["bytes"].as_u64().unwrap() < whole * 6 / 10, "{report} of {whole}");
    assert!(!Path::new(&out).join("last.state").exists() && !Path::new(&out).join("lock").exists());

    let measured = |run: &str| done(&["evaluate", run, "--quick", "--json"]).json();
    let (before, after) = (measured(&run), measured(&out));
    for key in ["nll", "accuracy", "novelty"] {
        let (a, b) = (before[key].as_f64().unwrap(), after[key].as_f64().unwrap());
        assert!((a - b).abs() < 0.05 * a.abs().max(0.2), "{key}: {a}, exported {b}");
    }
    done(&["encode", "--model", &out, "x1 & x2"]);

    // Exports are deterministic, do not overwrite files, and cannot be exported or resumed.
    let again = folder.path("again");
    done(&["export", &run, "--out", &again]);
    assert_eq!(folder.read("again/model.safetensors"), folder.read("export/model.safetensors"));
    refused(&logicvae(&["export", &run, "--out", &out]), &["--force"]);
    refused(&logicvae(&["export", &out, "--out", &folder.path("third")]), &["is an export already"]);
    refused(&logicvae(&["train", "--resume", "--out", &out]), &["is an export"]);

    let mut weights = folder.read("export/model.safetensors");
    let middle = weights.len() / 2;
    weights[middle] ^= 1;
    std::fs::write(format!("{out}/model.safetensors"), weights).unwrap();
    refused(&logicvae(&["evaluate", &out, "--quick"]), &["is damaged"]);
}

#[test]
fn a_training_starts_from_the_weights_of_another_run() {
    let folder = Folder::new();
    let (run, model, tuned) = (folder.path("run"), folder.path("model"), folder.path("tuned"));
    done(&["train", "--preset", "tiny", "--set=training.epochs=40", "--out", &run]);
    done(&["export", &run, "--out", &model]);
    let train_from = |from: &str, out: &str, more: &[&str]| {
        let base = [
            "train",
            "--preset",
            "tiny",
            "--epochs=2",
            "--set=training.learning_rate=1e-4",
            "--from",
            from,
            "--out",
            out,
        ];
        logicvae(&[&base, more].concat())
    };
    let loss = |run: &str| {
        let text = std::fs::read_to_string(format!("{run}/metrics.jsonl")).unwrap();
        serde_json::from_str::<serde_json::Value>(text.lines().next().unwrap()).unwrap()["loss"]
            .as_f64()
            .unwrap()
    };
    assert_eq!(train_from(&model, &tuned, &[]).code, 0);
    assert!(
        loss(&tuned) < 0.5 * loss(&run),
        "loss {} with the trained weights, {} without",
        loss(&tuned),
        loss(&run)
    );
    let about = String::from_utf8(folder.read("tuned/run.json")).unwrap();
    assert!(about.contains("\"from\": \"tiny "), "{about}");

    // With a learning rate of 0, the weights do not change.
    let same = folder.path("same");
    assert_eq!(train_from(&run, &same, &["--set=training.learning_rate=0.0"]).code, 0);
    let weight_files = |run: &str| {
        let names =
            std::fs::read_dir(run).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("last-")).collect::<Vec<_>>()
    };
    assert_eq!(weight_files(&same), weight_files(&run));

    // What differs is said in the words of the settings, without a stack trace, even if one is asked for.
    for (out, set, wanted) in [
        ("a", "model.hidden=32", "model.hidden is 32, but 64 there"),
        ("a", "model.latent=5", "model.latent is 5, but 24 there"),
        ("b", "model.positional=false", "model.positional is false, but true there"),
        ("b", "model.encoder.layers=3", "model.encoder.layers is 3, but"),
    ] {
        let args = ["train", "--preset", "tiny", "--epochs=2", "--from", &model, "--out", &folder.path(out)];
        let run = logicvae_with_backtrace(&[&args[..], &["--set", set]].concat());
        refused(&run, &["the weights in", wanted, "leave out --from", "config.toml"]);
        assert_eq!(
            run.err.trim_end().lines().filter(|line| !line.starts_with("note:")).count(),
            1,
            "{}",
            run.err
        );
    }
    refused(&train_from(&folder.path("none"), &folder.path("c"), &[]), &["does not exist"]);
    assert!(["a", "b", "c"].iter().all(|name| !Path::new(&folder.path(name)).exists()));
}

#[test]
fn a_budget_makes_every_decoding_valid() {
    let folder = Folder::new();
    let run = folder.path("run");
    done(&[
        "train",
        "--preset",
        "tiny",
        "--set=training.epochs=3",
        "--set=model.budget=false",
        "--set=model.max_nodes=10",
        "--out",
        &run,
    ]);
    let validity = |more: &[&str]| {
        let args = [&["evaluate", &run, "--quick", "--json"], more].concat();
        done(&args).json()["validity"].as_f64().unwrap()
    };
    assert!(validity(&[]) < 1.0);
    assert_eq!(validity(&["--budget", "true"]), 1.0);
}

#[test]
fn leaf_and_shape_models_are_trained_and_evaluated() {
    let folder = Folder::new();
    let run = folder.path("run");
    let small = [
        "model.hidden=16",
        "data.set.train=64",
        "data.set.valid=10",
        "data.set.test=10",
        "training.epochs=2",
    ];
    let pool = ["context.pool=50", "context.components=8"];
    let mut args =
        vec!["train".to_owned(), "--preset".into(), "leaves-3".into(), "--out".into(), run.clone()];
    args.extend(small.iter().chain(&pool).map(|set| format!("--set={set}")));
    done(&args.iter().map(String::as_str).collect::<Vec<&str>>());
    let found = done(&["evaluate", &run, "--json"]).json();
    for key in ["disagreement", "searched_disagreement", "guessing", "leaf_accuracy", "equivalent"] {
        let share = found[key].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&share), "{key}: {share}");
    }
    assert_eq!(found["disagreements"].as_array().unwrap().len(), 10);
    refused(&logicvae(&["encode", "--model", &run, "x1 & x2"]), &["predicts the variables of leaves"]);
    refused(&logicvae(&["evaluate", &run, "--prior-noise", "0.1"]), &["decodes nothing", "--prior-noise"]);

    let run = folder.path("shapes");
    let mut args =
        vec!["train".to_owned(), "--preset".into(), "shapes-3".into(), "--out".into(), run.clone()];
    args.extend(small.iter().map(|set| format!("--set={set}")));
    done(&args.iter().map(String::as_str).collect::<Vec<&str>>());
    let test = String::from_utf8(folder.read("shapes/test.txt")).unwrap();
    assert!(test.contains("x1") && !test.contains("x2"), "{test}");
}

//! Run folders and exports: what is read, when, and under which names. The models of the repository stay
//! readable.

use std::fs;
use std::path::{Path, PathBuf};

use candle_core::Device;
use logicvae_logic::{Dataset, Formula, Split};
use logicvae_vae::{Checkpoint, Config, Decoding, Model, Observer, Run, Task, Trainer, VaeError, Weights};
use tempfile::TempDir;

const FORMULAE: [&str; 8] = [
    "x1 & x2",
    "x1 | !x3",
    "!(x1 & x3)",
    "x2 & (x1 | x3)",
    "x3 | x2 & !x1",
    "!x1 & !x2",
    "x1 & x2 & x3",
    "!x3",
];

/// Saves every checkpoint.
struct Saver<'a>(&'a Run);

impl Observer for Saver<'_> {
    fn checkpoint(&mut self, checkpoint: &Checkpoint, best: bool) -> Result<(), VaeError> {
        self.0.save(checkpoint, best)
    }
}

fn formulae() -> Vec<Formula> {
    FORMULAE.iter().map(|text| text.parse().unwrap()).collect()
}

/// A run that has been trained on [`FORMULAE`] for some epochs, and its folder.
fn trained(epochs: usize) -> (TempDir, Run) {
    let folder = tempfile::tempdir().unwrap();
    let changes = [format!("training.epochs={epochs}"), "training.batch=4".into()];
    let config = Config::preset("tiny").unwrap().with(&changes).unwrap();
    let data = Dataset { train: formulae(), valid: formulae(), test: formulae(), ..Dataset::default() };
    let (run, lock) =
        Run::create(&folder.path().join("run"), &config, (&data, "own"), None, false, None).unwrap();
    Trainer::new(&config, &data, &Device::Cpu).unwrap().run(&mut Saver(&run)).unwrap();
    drop(lock);
    (folder, run)
}

fn decode(model: &Model, formulae: &[Formula]) -> Vec<Option<Formula>> {
    let decoded = model.decode(&model.encode(formulae).unwrap(), Decoding::Greedy).unwrap();
    decoded.into_iter().map(|mut list| list.remove(0).formula).collect()
}

fn reconstructed(model: &Model, formulae: &[Formula]) -> usize {
    decode(model, formulae)
        .iter()
        .zip(formulae)
        .filter(|(found, wanted)| found.as_ref() == Some(wanted))
        .count()
}

fn weights(model: &Model) -> Vec<u8> {
    model.parameters().to_safetensors().unwrap()
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The settings that were printed for a preset before the renaming.
fn printed_by_the_first_release(preset: &str) -> String {
    let path = format!("{}/tests/fixtures/canonical/{preset}.toml", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}")).replace("\r\n", "\n")
}

#[test]
fn a_run_and_its_export_reconstruct_what_was_learned() {
    let (folder, run) = trained(120);
    assert_eq!((run.epochs().unwrap(), run.data_name(), run.is_export()), (120, "own", false));
    assert_eq!(run.formulae(Split::Train).unwrap(), formulae());
    let model = Model::load(&run.folder).unwrap();
    let count = reconstructed(&model, &formulae());
    assert!(count >= FORMULAE.len() - 1, "{count} of {} reconstructed", FORMULAE.len());

    let exported = folder.path().join("model");
    let export = run.export(Weights::Last, &exported, false).unwrap();
    let opened = Run::open(&exported).unwrap();
    assert!(opened.is_export());
    assert_eq!((opened.epochs().unwrap(), &opened.config), (120, &run.config));
    assert_eq!(opened.weights(Weights::Last).unwrap().len(), export.bytes);
    // Half precision, and still the same formulae.
    assert!(2 * export.bytes < weights(&model).len() + 10_000);
    let count = reconstructed(&Model::load(&exported).unwrap(), &formulae());
    assert!(count >= FORMULAE.len() - 1, "{count} of {} reconstructed by the export", FORMULAE.len());

    // Neither is replaced by accident.
    assert!(run.export(Weights::Last, &exported, false).is_err());
    assert!(run.export(Weights::Last, &run.folder, true).is_err());
}

#[test]
fn unseen_test_formulae_belong_to_a_run_that_has_some() {
    let (_folder, run) = trained(1);
    assert!(run.formulae(Split::Unseen).unwrap().is_empty() && !run.folder.join("unseen.txt").exists());
    let folder = tempfile::tempdir().unwrap();
    let config = Config::preset("published-gcn-3").unwrap().with(&["data.set.train=50"]).unwrap();
    let data = config.dataset().unwrap();
    let target = folder.path().join("run");
    let (run, _lock) = Run::create(&target, &config, (&data, "drawn"), None, false, None).unwrap();
    assert_eq!(Run::open(&target).unwrap().dataset().unwrap(), data);
    fs::write(run.folder.join("unseen.txt"), "x1\n").unwrap();
    let error = run.formulae(Split::Unseen).unwrap_err().to_string();
    assert!(error.contains("unseen.txt"), "{error}");
}

#[test]
fn opening_a_run_reads_only_its_settings() {
    let (_folder, run) = trained(1);
    let path = run.folder.join("test.txt");
    let text = fs::read_to_string(&path).unwrap();
    // A syntax error, an unknown variable, another formula, a missing one.
    let damaged = [format!("{text}x1 & & x2\n"), format!("{text}x4\n"), format!("x2\n{text}"), String::new()];
    for text in damaged {
        fs::write(&path, &text).unwrap();
        let opened = Run::open(&run.folder).unwrap();
        assert_eq!(opened.config, run.config);
        Model::load(&run.folder).unwrap();
        opened.formulae(Split::Train).unwrap();
        let error = opened.formulae(Split::Test).unwrap_err().to_string();
        assert!(error.contains("test.txt"), "{error}");
    }
    fs::remove_file(&path).unwrap();
    let error = Run::open(&run.folder).unwrap().formulae(Split::Test).unwrap_err().to_string();
    assert!(error.contains("test.txt"), "{error}");
    fs::write(&path, &text).unwrap();
    assert_eq!(Run::open(&run.folder).unwrap().formulae(Split::Test).unwrap(), formulae());

    // Settings are read, so an error in them is found and named.
    fs::write(run.folder.join("config.toml"), "name = ").unwrap();
    let error = Run::open(&run.folder).map(drop).unwrap_err().to_string();
    assert!(error.contains("config.toml"), "{error}");
    let error = Run::open(run.folder.join("none")).map(drop).unwrap_err().to_string();
    assert!(error.contains("none does not exist"), "{error}");
}

#[test]
fn a_model_can_be_made_from_the_bytes_of_its_files() {
    for name in ["models/best-5", "crates/vae/models/general-5"] {
        let folder = repository().join(name);
        let read = |file: &str| fs::read(folder.join(file)).unwrap();
        let config = String::from_utf8(read("config.toml")).unwrap();
        let embedding = folder.join("context.bin").exists().then(|| read("context.bin"));
        let made = Model::from_bytes(&config, &read("model.safetensors"), embedding.as_deref()).unwrap();
        let loaded = Model::load(&folder).unwrap();
        assert_eq!(made.config(), loaded.config());
        assert!(weights(&made) == weights(&loaded), "{name}");
        let formulae = &Run::open(&folder).unwrap().formulae(Split::Test).unwrap()[..5];
        assert_eq!(decode(&made, formulae), decode(&loaded, formulae), "{name}");
    }
    // A conditional model needs its embedding.
    let folder = repository().join("crates/vae/models/general-5");
    let config = fs::read_to_string(folder.join("config.toml")).unwrap();
    let weights = fs::read(folder.join("model.safetensors")).unwrap();
    let error = Model::from_bytes(&config, &weights, None).map(drop).unwrap_err().to_string();
    assert!(error.contains("embedding"), "{error}");
}

#[test]
fn settings_that_do_not_fit_the_weights_are_refused_before_anything_is_allocated() {
    let folder = repository().join("models/best-5");
    let config = fs::read_to_string(folder.join("config.toml")).unwrap();
    let weights = fs::read(folder.join("model.safetensors")).unwrap();
    let line = config.lines().find(|line| line.starts_with("hidden = ")).unwrap();
    // The weights of such a model would take 9 GB.
    let large = config.replace(line, "hidden = 16384");
    let start = std::time::Instant::now();
    let error = Model::from_bytes(&large, &weights, None).map(drop).unwrap_err().to_string();
    assert!(error.contains("has the shape"), "{error}");
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

#[test]
fn the_models_of_the_repository_load_and_reconstruct() {
    for name in ["models/best-5", "crates/vae/models/general-5"] {
        let folder = repository().join(name);
        let model = Model::load(&folder).unwrap_or_else(|error| panic!("{name}: {error}"));
        let run = Run::open(&folder).unwrap();
        let formulae = &run.formulae(Split::Test).unwrap()[..20];
        let count = reconstructed(&model, formulae);
        assert!(count >= 18, "{name}: {count} of 20 reconstructed");
    }
    // These settings were written before the renaming.
    let folder = repository().join("models/best-5");
    let text = fs::read_to_string(folder.join("config.toml")).unwrap().replace("\r\n", "\n");
    assert_eq!(Run::open(&folder).unwrap().config.canonical().unwrap(), text);
}

#[test]
fn presets_have_the_canonical_text_of_the_first_release() {
    for name in ["best-5", "cvae-best-5", "gcn-5", "gat-5", "leaves-10", "shapes-3", "gru-3"] {
        let text = printed_by_the_first_release(name);
        let config = Config::preset(name).unwrap();
        assert_eq!(config.canonical().unwrap(), text, "{name}");
        assert_eq!(Config::from_toml(&text).unwrap(), config, "{name}");
    }
}

#[test]
fn old_names_of_settings_are_read_as_the_new_ones() {
    let old = printed_by_the_first_release("best-5");
    let config = Config::from_toml(&old).unwrap();
    assert!(old.contains("polish = 300\npolish_rate = 0.0003\npolish_beta = 0.0002\n"));
    assert_eq!(config.training.fine_tune_epochs, 300);
    assert_eq!(config.training.fine_tune_learning_rate, 3e-4);
    assert_eq!(config.training.fine_tune_beta, 2e-4);
    let new = config.to_toml().unwrap();
    assert!(new.contains("fine_tune_epochs = 300\n") && !new.contains("polish"), "{new}");

    let old = printed_by_the_first_release("cvae-best-5");
    assert!(old.contains("\ngoals = true\n"));
    assert!(Config::from_toml(&old).unwrap().model.goal_conditioned);

    let old = printed_by_the_first_release("gcn-5");
    assert!(old.contains("\ncrossing = 0.8\n"));
    assert_eq!(Config::from_toml(&old).unwrap().data.crossover, 0.8);

    // No preset has hard-example mining, but a model of the repository has.
    let old = fs::read_to_string(repository().join("models/best-5/config.toml")).unwrap();
    assert!(old.contains("focus = 8"));
    assert_eq!(Config::from_toml(&old).unwrap().training.hardest_of, 8);

    // As changes, old names mean the same as new ones.
    for (preset, old, new) in [
        ("best-5", "training.focus=3", "training.hardest_of=3"),
        ("best-5", "training.polish=100", "training.fine_tune_epochs=100"),
        ("best-5", "training.polish_rate=0.01", "training.fine_tune_learning_rate=0.01"),
        ("best-5", "training.polish_beta=0.01", "training.fine_tune_beta=0.01"),
        ("gcn-5", "data.crossing=0.25", "data.crossover=0.25"),
        ("cvae-gat-5", "model.goals=true", "model.goal_conditioned=true"),
    ] {
        let preset = Config::preset(preset).unwrap();
        let changed = preset.with(&[old]).unwrap();
        assert_eq!(changed, preset.with(&[new]).unwrap(), "{old}");
        assert_ne!(changed, preset, "{old}");
        let (key, value) = old.split_once('=').unwrap();
        let line = format!("\n{} = {value}\n", key.rsplit_once('.').unwrap().1);
        let canonical = changed.canonical().unwrap();
        assert!(canonical.contains(&line), "{old}: {canonical}");
        assert_eq!(Config::from_toml(&canonical).unwrap(), changed, "{old}");
    }
}

#[test]
fn the_weight_of_a_leaf_model_used_to_be_its_beta() {
    let preset = Config::preset("leaves-3").unwrap();
    let old = preset.canonical().unwrap();
    assert!(old.contains("\nbeta = 0.7\n") && !old.contains("lambda"), "{old}");
    let config = Config::from_toml(&old).unwrap();
    assert_eq!(config.model.task, Task::Leaves);
    assert_eq!((config.training.lambda, config.training.beta), (Some(0.7), 0.0));
    assert_eq!(config, preset);
    let new = config.to_toml().unwrap();
    assert!(new.contains("\nlambda = 0.7\n") && new.contains("\nbeta = 0.0\n"), "{new}");
    assert_eq!(Config::from_toml(&new).unwrap(), config);

    // The β of an autoencoder stays what it is.
    let config = Config::preset("gru-3").unwrap().with(&["training.beta=0.7"]).unwrap();
    assert_eq!((config.training.lambda, config.training.beta), (None, 0.7));
}

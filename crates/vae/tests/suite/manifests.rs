//! Manifests: every file is verified when it is read, and a folder is valid after a kill at any moment.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candle_core::Device;
use logicvae_logic::{Formula, Split};
use logicvae_vae::{
    Checkpoint, Config, EpochReport, Lock, MetricsLog, Model, Observer, Run, Trainer, VaeError, Weights,
    fit_embedding,
};
use tempfile::TempDir;

/// Saves checkpoints and metrics, as the command line does.
struct Saver<'a>(&'a Run, MetricsLog);

impl Observer for Saver<'_> {
    fn epoch(&mut self, epoch: &EpochReport) -> Result<(), VaeError> {
        self.1.push(epoch, 0.0)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint, best: bool) -> Result<(), VaeError> {
        self.0.save(checkpoint, best)
    }
}

fn config(seed: u64) -> Config {
    let changes = [
        "model.hidden=8".to_owned(),
        "context.pool=40".into(),
        "context.components=4".into(),
        "data.set.train=16".into(),
        "data.set.valid=4".into(),
        "data.set.test=4".into(),
        "data.set.seed=1".into(),
        "training.epochs=2".into(),
        "training.patience=0".into(),
        "training.fine_tune_epochs=0".into(),
        format!("seed={seed}"),
        format!("context.pool_seed={seed}"),
    ];
    Config::preset("cvae-best-3").unwrap().with(&changes).unwrap()
}

/// A small conditional run in `folder/name`.
fn trained(folder: &Path, name: &str, seed: u64) -> Run {
    let config = config(seed);
    let data = config.dataset().unwrap();
    let embedding = fit_embedding(&config).unwrap().map(Arc::new);
    let path = folder.join(name);
    let (run, _lock) =
        Run::create(&path, &config, (&data, "own"), embedding.as_deref(), false, None).unwrap();
    let mut trainer = Trainer::with_embedding(&config, &data, embedding, &Device::Cpu).unwrap();
    let log = MetricsLog::open(&run, 0).unwrap();
    trainer.run(&mut Saver(&run, log)).unwrap();
    run
}

fn numbers(folder: &Path, which: Weights) -> Result<Vec<Vec<f32>>, VaeError> {
    let formulae: [Formula; 2] = ["x1 & x2".parse().unwrap(), "x1 | !x3".parse().unwrap()];
    let model: Model = Run::open(folder)?.model(which, &Device::Cpu)?;
    Ok(model.encode(&formulae)?.z.to_vec2()?)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Everything that can be read from a folder, or the first error.
fn read_all(folder: &Path, export: bool) -> Result<String, VaeError> {
    let run = Run::open(folder)?;
    let mut all = format!("{:?} {:?}", run.config, run.start_name());
    all += &format!("{:?} {}", run.dataset()?, run.epochs()?);
    all += &format!("{:?}", numbers(folder, Weights::Last)?);
    if !export {
        all += &format!("{:?}", numbers(folder, Weights::Best)?);
        let _lock = Lock::take(folder)?;
        all += &format!("{:?}", MetricsLog::open(&run, run.epochs()?)?.lines());
    }
    Ok(all)
}

#[test]
fn a_flipped_bit_in_any_file_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let run = trained(folder.path(), "run", 1);
    let exported = folder.path().join("export");
    run.export(Weights::Last, &exported, false).unwrap();
    for (from, export) in [(run.folder.as_path(), false), (exported.as_path(), true)] {
        let wanted = read_all(from, export).unwrap();
        let files: Vec<String> = names(from).into_iter().filter(|name| name != "lock").collect();
        assert_eq!(files.len(), if export { 8 } else { 11 }, "{files:?}");
        for name in files {
            let whole = fs::read(from.join(&name)).unwrap();
            let step = (8 * whole.len() / 12).max(1);
            for bit in (3..8 * whole.len()).step_by(step) {
                let damaged = TempDir::new_in(folder.path()).unwrap();
                let damaged: PathBuf = damaged.path().join("copy");
                copy(from, &damaged);
                let mut bytes = whole.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                fs::write(damaged.join(&name), bytes).unwrap();
                match read_all(&damaged, export) {
                    Ok(found) => assert!(found == wanted && name == "manifest.json", "{name}, bit {bit}"),
                    Err(error) => {
                        assert!(error.to_string().contains(".json") || error.to_string().contains(&name));
                    }
                }
            }
        }
    }
}

#[test]
fn files_of_another_run_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (trained(folder.path(), "one", 1), trained(folder.path(), "two", 2));
    for name in ["context.bin", "best.safetensors", "config.toml"] {
        let own = fs::read(one.folder.join(name)).unwrap();
        fs::copy(two.folder.join(name), one.folder.join(name)).unwrap();
        let error = numbers(&one.folder, Weights::Best).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("SHA-256"), "{error}");
        fs::write(one.folder.join(name), own).unwrap();
    }
    numbers(&one.folder, Weights::Best).unwrap();
    // Only what is read is verified.
    fs::write(one.folder.join("best.safetensors"), "damaged").unwrap();
    numbers(&one.folder, Weights::Last).unwrap();
}

#[test]
fn settings_cannot_be_changed_unnoticed() {
    let folder = tempfile::tempdir().unwrap();
    let run = trained(folder.path(), "run", 1);
    let path = run.folder.join("config.toml");
    let text = fs::read_to_string(&path).unwrap();
    let changed =
        text.replace("readout = \"mean\"", "readout = \"sum\"").replace("noise = 0.01", "noise = 0.02");
    fs::write(&path, format!("{changed}\n")).unwrap();
    let error = Run::open(&run.folder).map(drop).unwrap_err().to_string();
    assert!(error.contains("config.toml") && error.contains("manifest.json"), "{error}");
}

#[test]
fn a_folder_of_the_first_release_is_read_and_gets_a_manifest_when_it_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let run = trained(folder.path(), "run", 1);
    let wanted = read_all(&run.folder, false).unwrap();
    let metrics = fs::read(run.folder.join("metrics.jsonl")).unwrap();
    fs::remove_file(run.folder.join("manifest.json")).unwrap();
    let error = Run::open(&run.folder).map(drop).unwrap_err().to_string();
    assert!(error.contains("manifest.json is missing"), "{error}");

    let about = run.folder.join("run.json");
    let text = fs::read_to_string(&about).unwrap();
    fs::write(&about, text.replace("\"format\": 2", "\"format\": 1")).unwrap();
    let opened = Run::open(&run.folder).unwrap();
    assert!(!opened.has_manifest());
    assert_eq!(opened.formulae(Split::Test).unwrap().len(), 4);
    numbers(&run.folder, Weights::Best).unwrap();
    opened.tidy().unwrap();
    assert!(Run::open(&run.folder).unwrap().has_manifest());
    assert_eq!(fs::read_to_string(&about).unwrap(), text);
    assert_eq!(read_all(&run.folder, false).unwrap(), wanted);
    assert_eq!(fs::read(run.folder.join("metrics.jsonl")).unwrap(), metrics);
}

#[test]
fn a_replacement_can_be_interrupted_at_any_moment() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (trained(folder.path(), "old", 1), trained(folder.path(), "new", 2));
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    old.export(Weights::Last, &a, false).unwrap();
    new.export(Weights::Last, &b, false).unwrap();
    let (before, after) = (read_all(&a, true).unwrap(), read_all(&b, true).unwrap());
    assert_ne!(before, after);
    let mut moved = names(&b);
    moved.sort_by_key(|name| name == "manifest.json");
    for count in 0..=moved.len() {
        let here = folder.path().join(format!("interrupted-{count}"));
        copy(&a, &here);
        // A file that only the old content has.
        fs::write(here.join("metrics.jsonl"), "{}\n").unwrap();
        fs::write(here.join("notes.md"), "mine").unwrap();
        copy(&b, &here.join(".next"));
        for name in &moved[..count] {
            fs::rename(here.join(".next").join(name), here.join(name)).unwrap();
        }
        assert_eq!(read_all(&here, true).unwrap(), after, "{count} files were moved");
        drop(Lock::take(&here).unwrap());
        assert_eq!(read_all(&here, true).unwrap(), after);
        let left: Vec<String> = names(&here).into_iter().filter(|name| name != "metrics.jsonl").collect();
        let mut wanted = names(&b);
        wanted.extend(["lock".into(), "notes.md".into()]);
        wanted.sort();
        assert_eq!(left, wanted);
        assert!(count == moved.len() || !here.join("metrics.jsonl").exists());
    }
    // Without the last step, the old content counts.
    copy(&b, &a.join(".tmp-nextabc"));
    assert_eq!(read_all(&a, true).unwrap(), before);
}

#[test]
fn a_log_that_is_removed_during_training_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let run = trained(folder.path(), "run", 1);
    let path = run.folder.join("metrics.jsonl");
    let mut log = MetricsLog::open(&run, 2).unwrap();
    let wanted = fs::read(&path).unwrap();
    let last = log.lines()[1].epoch;
    fs::remove_file(&path).unwrap();
    log.push(&EpochReport { epoch: 3, ..last }, 1.0).unwrap();
    let found = fs::read(&path).unwrap();
    assert!(found.starts_with(&wanted) && found.len() > wanted.len());
    fs::write(&path, "").unwrap();
    log.push(&EpochReport { epoch: 4, ..last }, 1.0).unwrap();
    assert!(fs::read(&path).unwrap().starts_with(&found));
    // The lines that stay keep every byte, even where printing a number again would change it.
    let text = String::from_utf8(fs::read(&path).unwrap()).unwrap();
    assert_eq!(MetricsLog::open(&run, 2).unwrap().lines().len(), 2);
    assert!(text.as_bytes().starts_with(&fs::read(&path).unwrap()));
}

/// A manifest as text, with the hash that belongs to it.
fn sealed(mut manifest: serde_json::Value) -> String {
    use sha2::{Digest, Sha256};
    let entries = manifest["files"].as_object().unwrap().iter().map(|(name, entry)| {
        let field = |key: &str| entry.get(key).map(|value| format!(",\"{key}\":{value}")).unwrap_or_default();
        format!(
            "\"{name}\":{{\"bytes\":{}{}{}{}}}",
            entry["bytes"],
            field("sha256"),
            field("before"),
            field("new")
        )
    });
    let text = format!("[1,{{{}}}]", entries.collect::<Vec<_>>().join(","));
    manifest["sha256"] = format!("{:x}", Sha256::digest(text)).into();
    manifest.to_string()
}

/// A training that is killed between the manifest and the file that it announces, and then again at once.
#[test]
fn two_kills_while_a_checkpoint_is_saved_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let run = trained(folder.path(), "run", 1);
    let wanted = read_all(&run.folder, false).unwrap();
    let path = run.folder.join("manifest.json");
    let mut manifest: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let zero = "0".repeat(64);
    for name in ["last.state", "best.safetensors"] {
        let entry = &mut manifest["files"][name];
        let before = entry.clone();
        *entry = serde_json::json!({ "bytes": 1, "sha256": zero, "before": before });
    }
    let missing = serde_json::json!({ "bytes": 1, "sha256": zero, "new": true });
    manifest["files"]["last-00000000.safetensors"] = missing;
    fs::write(&path, sealed(manifest)).unwrap();
    for _ in 0..2 {
        Run::open(&run.folder).unwrap().tidy().unwrap();
        assert_eq!(read_all(&run.folder, false).unwrap(), wanted);
    }
    assert!(!fs::read_to_string(&path).unwrap().contains(&zero));

    // Before the first checkpoint, there is none.
    let mut manifest: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    manifest["files"]["last.state"] = serde_json::json!({ "bytes": 1, "sha256": zero, "new": true });
    fs::write(&path, sealed(manifest)).unwrap();
    fs::remove_file(run.folder.join("last.state")).unwrap();
    let opened = Run::open(&run.folder).unwrap();
    assert!(opened.last().unwrap().is_none());
    opened.tidy().unwrap();
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_a_folder() {
    let folder = TempDir::new().unwrap();
    let run = trained(folder.path(), "run", 1);
    let victim = folder.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    std::os::unix::fs::symlink(&victim, run.folder.join("loss.svg")).unwrap();
    run.write("loss.svg", b"<svg></svg>").unwrap();
    assert_eq!(fs::read(&victim).unwrap(), b"mine");
    assert_eq!(fs::read(run.folder.join("loss.svg")).unwrap(), b"<svg></svg>");
}

#[cfg(unix)]
#[test]
fn links_in_the_place_of_new_content_or_of_the_lock_are_refused() {
    use std::os::unix::fs::symlink;

    let folder = TempDir::new().unwrap();
    let (victim, run) = (trained(folder.path(), "victim", 1), trained(folder.path(), "run", 2));
    let before = numbers(&victim.folder, Weights::Best).unwrap();
    symlink(&victim.folder, run.folder.join(".next")).unwrap();
    // The files of the other run are neither read nor moved here.
    assert_ne!(numbers(&run.folder, Weights::Best).unwrap(), before);
    let error = Lock::take(&run.folder).map(drop).unwrap_err().to_string();
    assert!(error.contains(".next is not a folder"), "{error}");
    assert_eq!(numbers(&victim.folder, Weights::Best).unwrap(), before);

    fs::remove_file(run.folder.join(".next")).unwrap();
    let outside = folder.path().join("outside");
    fs::remove_file(run.folder.join("lock")).ok();
    symlink(&outside, run.folder.join("lock")).unwrap();
    let error = Lock::take(&run.folder).map(drop).unwrap_err().to_string();
    assert!(error.contains("lock is not a regular file") && !outside.exists(), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn files_without_an_end_are_refused() {
    let folder = TempDir::new().unwrap();
    let run = trained(folder.path(), "run", 1);
    for name in ["context.bin", "manifest.json", "best.safetensors"] {
        let copied = folder.path().join(name);
        copy(&run.folder, &copied);
        fs::remove_file(copied.join(name)).unwrap();
        std::os::unix::fs::symlink("/dev/zero", copied.join(name)).unwrap();
        let error = numbers(&copied, Weights::Best).unwrap_err().to_string();
        assert!(error.contains("is not a regular file"), "{error}");
    }
    // More bytes than the manifest lists are not read.
    fs::OpenOptions::new()
        .write(true)
        .open(run.folder.join("context.bin"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    let error = numbers(&run.folder, Weights::Best).unwrap_err().to_string();
    assert!(error.contains("context.bin is damaged"), "{error}");
}

#[test]
fn a_lock_whose_file_was_removed_is_taken_anew() {
    let folder = TempDir::new().unwrap();
    let first = Lock::take(folder.path()).unwrap();
    let refused = Lock::take(folder.path()).map(drop).unwrap_err().to_string();
    assert!(refused.contains("is using"), "{refused}");
    drop(first);
    Lock::take(folder.path()).unwrap();
}

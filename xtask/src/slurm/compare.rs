//! Are the results of two reproductions the same?

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// What a result says about the time that it took.
const TIMES: [&str; 2] = ["seconds", "training_seconds"];

/// Compares results, without their times, and the weights of all runs, byte for byte.
pub fn compare(one: &Path, other: &Path) -> Result<()> {
    let (ours, theirs) = (read(one)?, read(other)?);
    ensure!(!ours.is_empty(), "{} has no results", one.display());
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| -> Vec<PathBuf> { files.keys().cloned().collect() };
    ensure!(names(&ours) == names(&theirs), "other files:\n{:?}\n{:?}", names(&ours), names(&theirs));
    for (name, bytes) in &ours {
        ensure!(*bytes == theirs[name], "{} differs", name.display());
        eprintln!("{:<60} {:>9} bytes, the same", name.display(), bytes.len());
    }
    Ok(())
}

/// Results and weights by their path.
fn read(root: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.join("out"), root.join("runs")];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
        for path in entries.map(|entry| entry.map(|entry| entry.path())) {
            let path = path?;
            let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            let hidden = path.file_name().and_then(|name| name.to_str()).is_some_and(|n| n.starts_with('.'));
            if path.is_dir() && path.file_name().is_none_or(|name| name != "slurm" && name != "figures") {
                folders.push(path);
            } else if !hidden
                && (ending == "safetensors" || (ending == "json" && path.starts_with(root.join("out"))))
            {
                let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                let bytes = if ending == "json" { without_times(&bytes)? } else { bytes };
                files.insert(path.strip_prefix(root).unwrap_or(&path).to_owned(), bytes);
            }
        }
    }
    Ok(files)
}

fn without_times(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(bytes).context("a result is not JSON")?;
    if let Some(record) = value.as_object_mut() {
        TIMES.iter().for_each(|key| {
            record.remove(*key);
        });
    }
    Ok(serde_json::to_vec(&value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(result: &str, weights: &[u8]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("out/best")).unwrap();
        fs::create_dir_all(folder.path().join("runs/a")).unwrap();
        fs::write(folder.path().join("out/best/a.json"), result).unwrap();
        fs::write(folder.path().join("runs/a/best.safetensors"), weights).unwrap();
        folder
    }

    #[test]
    fn only_times_may_differ() {
        let one = folder(r#"{"values":{"accuracy":0.5},"seconds":1.0}"#, b"weights");
        let same = folder(r#"{"values":{"accuracy":0.5},"seconds":2.0}"#, b"weights");
        compare(one.path(), same.path()).unwrap();
        let worse = folder(r#"{"values":{"accuracy":0.4},"seconds":1.0}"#, b"weights");
        assert!(compare(one.path(), worse.path()).is_err());
        let other = folder(r#"{"values":{"accuracy":0.5}}"#, b"other weights");
        assert!(compare(one.path(), other.path()).is_err());
        fs::write(same.path().join("out/best/b.json"), "{}").unwrap();
        assert!(compare(one.path(), same.path()).is_err(), "a result more");
    }
}

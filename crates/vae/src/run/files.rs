//! The files of a run folder.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use logicvae_logic::{Formula, write_atomic, write_text};

use crate::error::VaeError;

pub(super) const CONFIG: &str = "config.toml";
pub(super) const ABOUT: &str = "run.json";
pub(super) const CONTEXT: &str = "context.bin";
pub(super) const STATE: &str = "last.state";
pub(super) const BEST: &str = "best.safetensors";
pub(super) const EXPORTED: &str = "model.safetensors";
pub(super) const LOCK: &str = "lock";
pub(super) const METRICS: &str = "metrics.jsonl";
pub(super) const MANIFEST: &str = "manifest.json";
/// The model card, which `logicvae export` writes.
pub(super) const CARD: &str = "README.md";
/// A folder inside the run folder with complete new content, which takes the place of the old content.
pub(super) const NEXT: &str = ".next";
/// Drawn by the command line.
pub(super) const CURVES: &str = "loss.svg";

/// The file of the last checkpoint's weights.
pub(super) fn weights_name(checksum: u32) -> String {
    format!("last-{checksum:08x}.safetensors")
}

/// What an interrupted write leaves behind.
pub(super) fn is_temporary(name: &str) -> bool {
    name.starts_with(".tmp")
}

/// Where a file of a run is: in the folder, or in its new content that has not been moved there yet.
pub(super) fn locate(folder: &Path, name: &str) -> PathBuf {
    let next = folder.join(NEXT);
    let moved = next.join(name);
    // A link would lead to another run.
    if is_real_folder(&next) && moved.exists() { moved } else { folder.join(name) }
}

/// Whether there is a folder at a path, which is not a link to one.
pub(super) fn is_real_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_dir())
}

/// Whether there is a regular file at a path, which is not a link to one.
pub(super) fn is_real_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_file())
}

/// An error of the system with a file.
pub(super) fn file_error(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> VaeError {
    let path = path.to_owned();
    move |source| VaeError::File { action, path, source }
}

/// The bytes of a file, but at most one more than `limit`, which tells that there are too many. Devices and
/// pipes, which may have no end, are refused.
pub(super) fn read(path: &Path, limit: Option<u64>) -> Result<Vec<u8>, VaeError> {
    let failed = |error| file_error("read", path)(error);
    let about = fs::metadata(path).map_err(failed)?;
    if !about.is_file() {
        return Err(VaeError::Run(format!("{} is not a regular file", path.display())));
    }
    let limit = limit.unwrap_or(u64::MAX - 1);
    let mut bytes = Vec::with_capacity(about.len().min(limit) as usize);
    let file = fs::File::open(path).map_err(failed)?;
    file.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// Writes a file completely or not at all, replacing the old one. A symbolic link is replaced, not
/// followed: a folder from elsewhere must not lead out of itself.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), VaeError> {
    if path.is_symlink() {
        fs::remove_file(path).map_err(file_error("replace", path))?;
    }
    write_atomic(path, true, |out| out.write_all(bytes)).map_err(file_error("write", path))
}

/// Formulae as text, and the CRC-32 of it.
pub(super) fn formulae_text(formulae: &[Formula]) -> Result<(Vec<u8>, String), VaeError> {
    let mut text = Vec::new();
    write_text(&mut text, formulae).map_err(|e| VaeError::Run(e.to_string()))?;
    let sum = checksum(&text);
    Ok((text, sum))
}

/// CRC-32 as eight hexadecimal digits.
pub(super) fn checksum(bytes: &[u8]) -> String {
    format!("{:08x}", crc32fast::hash(bytes))
}

/// The files in a folder that belong to a run.
pub(super) fn run_files(folder: &Path) -> Result<Vec<(String, PathBuf)>, VaeError> {
    let known = [
        CONFIG,
        ABOUT,
        CONTEXT,
        STATE,
        BEST,
        EXPORTED,
        LOCK,
        METRICS,
        CURVES,
        MANIFEST,
        NEXT,
        "train.txt",
        "valid.txt",
        "test.txt",
        "unseen.txt",
    ];
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(file_error("read", folder))? {
        let path = entry.map_err(file_error("read", folder))?.path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
        let weights = name.starts_with("last-") && name.ends_with(".safetensors");
        if known.contains(&name.as_str()) || weights || is_temporary(&name) {
            files.push((name, path));
        }
    }
    Ok(files)
}

/// Removes the files of a run that `which` selects, and what interrupted writes have left.
pub(super) fn remove(folder: &Path, which: impl Fn(&str) -> bool) -> Result<(), VaeError> {
    for (_, path) in run_files(folder)?.into_iter().filter(|(name, _)| which(name) || is_temporary(name)) {
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.map_err(file_error("remove", &path))?;
    }
    Ok(())
}

/// Makes the names in a folder survive a loss of power, where the system can do that.
pub(super) fn sync(folder: &Path) -> Result<(), VaeError> {
    if cfg!(unix) {
        fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(file_error("write", folder))?;
    }
    Ok(())
}

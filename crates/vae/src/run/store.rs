//! The files of one run folder, verified against its manifest when they are read.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest as _, Sha256};

use super::files::{MANIFEST, METRICS, file_error, is_real_file, locate, read, write};
use super::manifest::{Digest, Manifest};
use crate::error::VaeError;

/// How often a file is read again that a running training replaces at the same time.
const ATTEMPTS: usize = 5;

/// A folder and what is known of its files.
pub(super) struct Store {
    folder: PathBuf,
    state: Mutex<State>,
}

struct State {
    /// `None` in a folder without one.
    manifest: Option<Manifest>,
    /// What this process has written to `metrics.jsonl`.
    metrics: Option<Metrics>,
}

#[derive(Default)]
struct Metrics {
    text: Vec<u8>,
    hasher: Sha256,
}

impl Store {
    /// Reads the manifest of a folder, if it has one.
    pub fn open(folder: &Path) -> Result<Self, VaeError> {
        Ok(Self::new(folder, Manifest::read(&locate(folder, MANIFEST))?))
    }

    pub fn new(folder: &Path, manifest: Option<Manifest>) -> Self {
        Self { folder: folder.to_owned(), state: Mutex::new(State { manifest, metrics: None }) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A state is replaced as a whole, so it is consistent even after a panic in another thread.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        locate(&self.folder, name)
    }

    pub fn has_manifest(&self) -> bool {
        self.lock().manifest.is_some()
    }

    /// Whether the run has a file of this name. It need not be there, if it was removed by someone else.
    pub fn lists(&self, name: &str) -> bool {
        let exists = || self.path(name).exists();
        let known =
            |manifest: &Manifest| manifest.lists(name) && (!manifest.may_be_missing(name) || exists());
        self.lock().manifest.as_ref().map_or_else(exists, known)
    }

    /// The content of a file, as the manifest lists it.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, VaeError> {
        let mut state = self.lock();
        for _ in 0..ATTEMPTS {
            let Some(known) = &state.manifest else { return read(&self.path(name), None) };
            let content = read(&self.path(name), known.longest(name));
            if let Ok(content) = &content
                && known.accepts(name, content)
            {
                return Ok(content.clone());
            }
            // A training that is running may have replaced both.
            let newer = Manifest::read(&locate(&self.folder, MANIFEST))?;
            if newer == state.manifest {
                content?;
                break;
            }
            state.manifest = newer;
        }
        let path = self.path(name);
        let path = path.display();
        let reason = match state.manifest.as_ref().is_some_and(|known| known.lists(name)) {
            true => format!(
                "{path} is damaged, or was changed: its SHA-256 differs from that in {MANIFEST}; restore it \
                 from a copy"
            ),
            false => format!("{path} does not belong to this folder: {MANIFEST} does not list it"),
        };
        Err(VaeError::Run(reason))
    }

    /// Replaces files, in this order. `keep`: which of the files that are not replaced stay listed. A program
    /// that is killed at any moment leaves a valid folder.
    pub fn replace(&self, files: &[(&str, &[u8])], keep: impl Fn(&str) -> bool) -> Result<(), VaeError> {
        let mut state = self.lock();
        let path = self.path(METRICS);
        let metrics = state.metrics.as_ref();
        metrics.map_or(Ok(()), |metrics| metrics.persist(&path))?;
        let mut next = state.manifest.clone().unwrap_or_default();
        // A program that was killed may have left old or new content.
        for name in next.unsettled() {
            let content = read(&self.path(&name), next.longest(&name)).ok();
            next.resolve(&name, content.as_deref());
        }
        if let Some(Metrics { text, hasher }) = metrics {
            next.replace(METRICS, Digest::new(text.len(), hasher.clone()));
        }
        files.iter().for_each(|(name, content)| next.replace(name, Digest::of(content)));
        self.write_manifest(&next)?;
        state.manifest = Some(next.clone());
        files.iter().try_for_each(|(name, content)| write(&self.path(name), content))?;
        next.settle(|name| keep(name) || files.iter().any(|(new, _)| *new == name));
        self.write_manifest(&next)?;
        state.manifest = Some(next);
        Ok(())
    }

    /// Writes the first manifest of a folder, of files that are there.
    pub fn adopt(&self, files: impl IntoIterator<Item = (String, Digest)>) -> Result<(), VaeError> {
        let mut manifest = Manifest::default();
        files.into_iter().for_each(|(name, digest)| manifest.replace(&name, digest));
        self.write_manifest(&manifest)?;
        self.lock().manifest = Some(manifest);
        Ok(())
    }

    fn write_manifest(&self, manifest: &Manifest) -> Result<(), VaeError> {
        let json = manifest.to_json().map_err(VaeError::Run)?;
        write(&self.path(MANIFEST), &json)
    }

    /// Begins or goes on with `metrics.jsonl`, which has this content now.
    pub fn start_metrics(&self, text: Vec<u8>) {
        let hasher = Sha256::new_with_prefix(&text);
        self.lock().metrics = Some(Metrics { text, hasher });
    }

    /// Adds a line to `metrics.jsonl`. If someone removed or changed the file, it is written again.
    pub fn append_metrics(&self, line: &[u8]) -> Result<(), VaeError> {
        let path = self.path(METRICS);
        let mut state = self.lock();
        let metrics = state.metrics.get_or_insert_default();
        let before = metrics.text.len() as u64;
        metrics.text.extend_from_slice(line);
        metrics.hasher.update(line);
        // One call of `write`, so that a line is there completely or not at all.
        let append = || -> io::Result<bool> {
            if !is_real_file(&path) {
                return Ok(false);
            }
            let mut file = OpenOptions::new().append(true).open(&path)?;
            let whole = file.metadata()?.len() == before;
            if whole {
                file.write_all(line)?;
            }
            Ok(whole)
        };
        match append() {
            Ok(true) => Ok(()),
            Ok(false) => write(&path, &metrics.text),
            Err(error) => Err(file_error("write", &path)(error)),
        }
    }
}

impl Metrics {
    /// Makes sure that the file survives a loss of power, before a manifest says that it is there.
    fn persist(&self, path: &Path) -> Result<(), VaeError> {
        let complete = fs::metadata(path).is_ok_and(|found| found.len() == self.text.len() as u64);
        if !is_real_file(path) || !complete {
            return write(path, &self.text);
        }
        let synced = OpenOptions::new().append(true).open(path).and_then(|file| file.sync_all());
        synced.map_err(file_error("write", path))
    }
}

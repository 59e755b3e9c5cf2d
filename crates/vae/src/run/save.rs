//! Saving checkpoints and other files of a run.

use super::files::{
    ABOUT, BEST, CONFIG, CURVES, LOCK, MANIFEST, STATE, is_temporary, read, remove, run_files, weights_name,
    write,
};
use super::manifest::Digest;
use super::{About, FORMAT, Run};
use crate::error::VaeError;
use crate::train::{Checkpoint, Observer};

impl Run {
    /// Saves a checkpoint: first the weights, then the state that names them. Older weights are removed last.
    pub fn save(&self, checkpoint: &Checkpoint, best: bool) -> Result<(), VaeError> {
        self.add_manifest()?;
        let name = weights_name(crc32fast::hash(&checkpoint.weights));
        let mut files: Vec<(&str, &[u8])> = vec![(&name, &checkpoint.weights)];
        if best {
            files.push((BEST, &checkpoint.weights));
        }
        files.push((STATE, &checkpoint.state));
        self.store.replace(&files, |name| !is_checkpoint(name))?;
        self.keep_weights(&name)
    }

    /// Removes what a training leaves behind that is killed while it saves: temporary files, and the weights
    /// of older checkpoints than the last one. A folder without a manifest gets one.
    pub fn tidy(&self) -> Result<(), VaeError> {
        let last = self.last_weights()?;
        if let Some(name) = &last {
            self.keep_weights(name)?;
        }
        self.add_manifest()?;
        self.store.replace(&[], |name| !is_checkpoint(name) || Some(name) == last.as_deref())
    }

    /// Removes temporary files, and the weights of all checkpoints but one.
    fn keep_weights(&self, name: &str) -> Result<(), VaeError> {
        remove(&self.folder, |file| is_checkpoint(file) && file != name)
    }

    /// Gives a folder without a manifest one of the files as they are now.
    fn add_manifest(&self) -> Result<(), VaeError> {
        if self.store.has_manifest() {
            return Ok(());
        }
        let left_out = |name: &str| [LOCK, CURVES, MANIFEST].contains(&name) || is_temporary(name);
        let mut files = Vec::new();
        for (name, path) in run_files(&self.folder)?.into_iter().filter(|(name, _)| !left_out(name)) {
            let content = read(&path, None)?;
            files.push((name, Digest::of(&content)));
        }
        self.store.adopt(files)?;
        // The new version says that there is a manifest.
        let about = About { format: FORMAT, ..self.about.clone() }.to_json()?;
        self.store.replace(&[(ABOUT, &about)], |_| true)
    }

    /// Writes the settings again, after a change that is allowed when training resumes.
    pub fn save_config(&self) -> Result<(), VaeError> {
        self.store.replace(&[(CONFIG, self.config.to_toml()?.as_bytes())], |_| true)
    }

    /// Writes a picture or a text for people into the folder, completely or not at all. The manifest does not
    /// list it.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), VaeError> {
        write(&self.folder.join(name), bytes)
    }
}

/// Whether this is the name of a checkpoint's weights.
fn is_checkpoint(name: &str) -> bool {
    name.starts_with("last-")
}

/// A run saves the checkpoints of its training: `trainer.run(&mut run)`.
impl Observer for Run {
    fn checkpoint(&mut self, checkpoint: &Checkpoint, best: bool) -> Result<(), VaeError> {
        self.save(checkpoint, best)
    }
}

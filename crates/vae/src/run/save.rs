//! Saving checkpoints and other files of a run.

use super::Run;
use super::files::{BEST, CONFIG, STATE, is_temporary, remove, weights_name, write};
use crate::error::VaeError;
use crate::train::{Checkpoint, Observer};

impl Run {
    /// Saves a checkpoint: first the weights, then the state that names them. Older weights are removed last.
    pub fn save(&self, checkpoint: &Checkpoint, best: bool) -> Result<(), VaeError> {
        let name = weights_name(crc32fast::hash(&checkpoint.weights));
        self.write(&name, &checkpoint.weights)?;
        if best {
            self.write(BEST, &checkpoint.weights)?;
        }
        self.write(STATE, &checkpoint.state)?;
        self.keep_weights(&name)
    }

    /// Removes what a training leaves behind that is killed while it saves: temporary files, and the weights
    /// of older checkpoints than the last one.
    pub fn tidy(&self) -> Result<(), VaeError> {
        match self.last_weights()? {
            Some(name) => self.keep_weights(&name),
            None => Ok(()),
        }
    }

    /// Removes temporary files, and the weights of all checkpoints but one.
    fn keep_weights(&self, name: &str) -> Result<(), VaeError> {
        remove(&self.folder, |file| (file.starts_with("last-") && file != name) || is_temporary(file))
    }

    /// Writes the settings again, after a change that is allowed when training resumes.
    pub fn save_config(&self) -> Result<(), VaeError> {
        self.write(CONFIG, self.config.to_toml()?.as_bytes())
    }

    /// Writes a file of the folder, completely or not at all.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), VaeError> {
        write(&self.folder.join(name), bytes)
    }
}

/// A run saves the checkpoints of its training: `trainer.run(&mut run)`.
impl Observer for Run {
    fn checkpoint(&mut self, checkpoint: &Checkpoint, best: bool) -> Result<(), VaeError> {
        self.save(checkpoint, best)
    }
}

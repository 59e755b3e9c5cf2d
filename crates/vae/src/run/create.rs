//! Creating run folders.

use std::fs;
use std::path::Path;

use logicvae_kernel::Embedding;
use logicvae_logic::Dataset;

use super::files::{
    ABOUT, CONFIG, CONTEXT, LOCK, STATE, checksum, file_error, formulae_text, remove, run_files,
    weights_name, write,
};
use super::{About, Checksums, ExportRecord, FORMAT, Lock, Run};
use crate::config::Config;
use crate::error::VaeError;
use crate::train::Checkpoint;

/// The starting point of a training that begins with the weights of another run.
pub struct Start {
    /// The name of that run, and the checksum of its weights.
    pub from: String,
    /// The training before its first step.
    pub checkpoint: Checkpoint,
}

/// The content of a new folder.
pub(super) struct Content<'a> {
    pub data: &'a Dataset,
    pub data_name: &'a str,
    pub embedding: Option<&'a Embedding>,
    pub from: Option<String>,
    pub export: Option<ExportRecord>,
    /// More files: name and bytes.
    pub files: Vec<(String, &'a [u8])>,
}

impl Run {
    /// Checks whether a run may be created in a folder. `replace`: even if there is one already.
    pub fn check_target(folder: &Path, replace: bool) -> Result<(), VaeError> {
        let name = folder.display();
        let refuse = |reason: String| Err(VaeError::Run(reason));
        if folder.exists() && !folder.is_dir() {
            return refuse(format!("{name} is a file: name a folder for the run"));
        }
        if Self::exists(folder) && !replace {
            return refuse(format!(
                "{name} contains a run: continue it with --resume, replace it with --force, or name another \
                 folder"
            ));
        }
        if folder.is_dir() && !Self::exists(folder) {
            let all = fs::read_dir(folder).map_err(file_error("read", folder))?.count();
            // A start that was killed leaves its lock and a part of a run. Any other content is not ours.
            let killed = folder.join(LOCK).exists() && all == run_files(folder)?.len();
            if all > 0 && !killed {
                return refuse(format!("{name} is not empty and contains no run: name a new folder"));
            }
        }
        Ok(())
    }

    /// Creates a run folder with everything that does not change during training. `replace`: removes an
    /// existing run first. `data_name` is the name of the data, such as a preset.
    pub fn create(
        folder: &Path,
        config: &Config,
        (data, data_name): (&Dataset, &str),
        embedding: Option<&Embedding>,
        replace: bool,
        start: Option<&Start>,
    ) -> Result<(Self, Lock), VaeError> {
        let mut content = Content { data, data_name, embedding, from: None, export: None, files: Vec::new() };
        if let Some(Start { from, checkpoint }) = start {
            content.from = Some(from.clone());
            let weights = weights_name(crc32fast::hash(&checkpoint.weights));
            content.files = vec![(weights, &checkpoint.weights), (STATE.to_owned(), &checkpoint.state)];
        }
        Self::create_with(folder, config, content, replace)
    }

    pub(super) fn create_with(
        folder: &Path,
        config: &Config,
        content: Content<'_>,
        replace: bool,
    ) -> Result<(Self, Lock), VaeError> {
        Self::check_target(folder, replace)?;
        fs::create_dir_all(folder).map_err(file_error("create", folder))?;
        let lock = Lock::take(folder)?;
        // Another process may have been here before we had the lock.
        Self::check_target(folder, replace)?;
        // The settings go first: without them the rest is not a run, whatever happens now.
        remove(folder, |name| name == CONFIG)?;
        remove(folder, |name| name != LOCK)?;
        let set = |name: &str, formulae: &[_]| -> Result<String, VaeError> {
            let (text, sum) = formulae_text(formulae)?;
            if !formulae.is_empty() {
                write(&folder.join(name), &text)?;
            }
            Ok(sum)
        };
        let context = content.embedding.map(|embedding| -> Result<String, VaeError> {
            let mut bytes = Vec::new();
            embedding.save(&mut bytes)?;
            write(&folder.join(CONTEXT), &bytes)?;
            Ok(checksum(&bytes))
        });
        let checksums = Checksums {
            train: set("train.txt", &content.data.train)?,
            valid: set("valid.txt", &content.data.valid)?,
            test: set("test.txt", &content.data.test)?,
            unseen: match content.data.unseen.is_empty() {
                true => None,
                false => Some(set("unseen.txt", &content.data.unseen)?),
            },
            context: context.transpose()?,
        };
        let about = About {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").into(),
            data: content.data_name.into(),
            checksums,
            from: content.from,
            export: content.export,
        };
        let json = serde_json::to_vec_pretty(&about).map_err(|e| VaeError::Run(e.to_string()))?;
        write(&folder.join(ABOUT), &json)?;
        content.files.iter().try_for_each(|(name, bytes)| write(&folder.join(name), bytes))?;
        // The settings come last: a folder with settings is a run.
        write(&folder.join(CONFIG), config.to_toml()?.as_bytes())?;
        Ok((Self { folder: folder.to_owned(), config: config.clone(), about }, lock))
    }
}

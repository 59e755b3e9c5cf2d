//! Creating run folders.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use logicvae_kernel::Embedding;
use logicvae_logic::Dataset;

use super::files::{
    ABOUT, CARD, CONFIG, CONTEXT, LOCK, MANIFEST, STATE, checksum, file_error, formulae_text, run_files,
    weights_name,
};
use super::replace::Replacement;
use super::store::Store;
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
            let has = |name: &str| folder.join(name).exists();
            // A start that was killed leaves its lock and a part of a run, and a run can have lost its
            // settings. Any other content is not ours.
            let damaged = replace && (has(MANIFEST) || has(ABOUT));
            let known = run_files(folder)?.len() + usize::from(damaged && has(CARD));
            if all > 0 && !(all == known && (damaged || has(LOCK))) {
                return refuse(format!("{name} is not empty and contains no run: name a new folder"));
            }
        }
        Ok(())
    }

    /// Creates a run folder with everything that does not change during training. `replace`: an existing run
    /// is replaced once the new one is written completely. `data_name` is the name of the data, such as a
    /// preset.
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
        let new = !folder.exists();
        fs::create_dir_all(folder).map_err(file_error("create", folder))?;
        let created = Self::create_in(folder, config, content, replace);
        if new && created.is_err() {
            // Only the lock can be left.
            fs::remove_file(folder.join(LOCK)).ok();
            fs::remove_dir(folder).ok();
        }
        created
    }

    fn create_in(
        folder: &Path,
        config: &Config,
        content: Content<'_>,
        replace: bool,
    ) -> Result<(Self, Lock), VaeError> {
        let lock = Lock::take(folder)?;
        // Another process may have been here before we had the lock.
        Self::check_target(folder, replace)?;
        let mut files = Replacement::new(folder)?;
        let mut set = |name: &str, formulae: &[_]| -> Result<String, VaeError> {
            let (text, sum) = formulae_text(formulae)?;
            if !formulae.is_empty() {
                files.write(name, &text)?;
            }
            Ok(sum)
        };
        let (train, valid, test) = (
            set("train.txt", &content.data.train)?,
            set("valid.txt", &content.data.valid)?,
            set("test.txt", &content.data.test)?,
        );
        let unseen = match content.data.unseen.is_empty() {
            true => None,
            false => Some(set("unseen.txt", &content.data.unseen)?),
        };
        let context = content.embedding.map(|embedding| -> Result<String, VaeError> {
            let mut bytes = Vec::new();
            embedding.save(&mut bytes)?;
            files.write(CONTEXT, &bytes)?;
            Ok(checksum(&bytes))
        });
        let about = About {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").into(),
            data: content.data_name.into(),
            checksums: Checksums { train, valid, test, unseen, context: context.transpose()? },
            from: content.from,
            export: content.export,
        };
        files.write(ABOUT, &about.to_json()?)?;
        content.files.iter().try_for_each(|(name, bytes)| files.write(name, bytes))?;
        files.write(CONFIG, config.to_toml()?.as_bytes())?;
        let manifest = files.commit()?;
        let store = Arc::new(Store::new(folder, Some(manifest)));
        Ok((Self { folder: folder.to_owned(), config: config.clone(), about, store }, lock))
    }
}

//! Run folders: everything that belongs to one training.
//!
//! | file | what |
//! |---|---|
//! | `config.toml` | all settings |
//! | `run.json` | the data's name and checksums, versions |
//! | `train.txt`, `valid.txt`, `test.txt` | the formulae (no `train.txt` where they are drawn fresh) |
//! | `context.bin` | the semantic embedding of a conditional model |
//! | `metrics.jsonl`, `loss.svg` | a line an epoch, and the curves |
//! | `last.state`, `last-CHECKSUM.safetensors` | the last checkpoint |
//! | `best.safetensors` | the weights of the best validation (`training.improvement` says what is better) |
//! | `model.safetensors` | the weights of an export, which has no checkpoints |
//!
//! The state names its weights by checksum and is written after them, so that a training that is killed at any moment
//! leaves a whole pair.

mod export;
mod metrics;

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use candle_core::{DType, Device};
use logicvae_kernel::Embedding;
use logicvae_logic::{Dataset, Formula, write_text};
use logicvae_vae::{Checkpoint, Config, Learner, Model};
use serde::{Deserialize, Serialize};

use crate::args::{RunArgs, WhichWeights};
use crate::measure::formulae;
use crate::output::write_file;

pub use metrics::Metrics;

/// What `run.json` holds.
#[derive(Serialize, Deserialize)]
struct About {
    /// The version of this layout.
    format: u32,
    /// The version of the program that made it.
    version: String,
    /// The data's name: a preset's, or the file's.
    data: String,
    /// CRC-32 of each set of formulae, as text.
    checksums: Checksums,
    /// Whose weights it began with, if not those of its seed: the name of that run, and their CRC-32.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// What was passed on, if this is an export.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    export: Option<Export>,
}

/// What a training that begins with another run's weights has from its first moment.
pub struct Start {
    /// The name of that run, and the checksum of its weights.
    pub from: String,
    pub checkpoint: Checkpoint,
}

/// What an export has instead of checkpoints.
#[derive(Clone, Serialize, Deserialize)]
struct Export {
    /// How many epochs the run had seen when it was exported.
    epochs: usize,
    /// CRC-32 of the weights.
    weights: String,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct Checksums {
    train: String,
    valid: String,
    test: String,
}

const FORMAT: u32 = 1;
const CONFIG: &str = "config.toml";
const ABOUT: &str = "run.json";
const CONTEXT: &str = "context.bin";
const STATE: &str = "last.state";
const BEST: &str = "best.safetensors";
const EXPORTED: &str = "model.safetensors";
const LOCK: &str = "lock";

/// A run's folder and what it begins with.
pub struct Run {
    pub folder: PathBuf,
    pub config: Config,
    pub data: Dataset,
    pub embedding: Option<Embedding>,
    export: Option<Export>,
}

fn checksum(formulae: &[Formula]) -> Result<(Vec<u8>, String)> {
    let mut text = Vec::new();
    write_text(&mut text, formulae)?;
    let sum = format!("{:08x}", crc32fast::hash(&text));
    Ok((text, sum))
}

/// Whether a folder holds a run.
pub fn is_run(folder: &Path) -> bool {
    folder.join(CONFIG).is_file() && folder.join(ABOUT).is_file()
}

impl Run {
    /// A run that is yet to be written.
    pub fn new(folder: &Path, config: Config, data: Dataset, embedding: Option<Embedding>) -> Self {
        Self { folder: folder.to_owned(), config, data, embedding, export: None }
    }

    /// Whether a run may be made in a folder. `replace`: even where there is one.
    pub fn check(folder: &Path, replace: bool) -> Result<()> {
        if folder.exists() && !folder.is_dir() {
            bail!("{} is a file: name a folder for the run", folder.display());
        }
        if is_run(folder) && !replace {
            bail!(
                "{} holds a run: go on with it by --resume, start over with --force, or name another folder",
                folder.display()
            );
        }
        if folder.is_dir() && !is_run(folder) {
            let all = fs::read_dir(folder)?.count();
            // A start that was killed leaves its lock and a part of a run; anything else is not ours.
            let killed = folder.join(LOCK).exists() && all == run_files(folder)?.len();
            if all > 0 && !killed {
                bail!("{} is not empty and holds no run: name a new folder", folder.display());
            }
        }
        Ok(())
    }

    /// Makes the folder and writes all that does not change. `replace`: removes the run that is there first.
    pub fn create(self, data_name: &str, replace: bool, start: Option<&Start>) -> Result<(Self, Lock)> {
        let Some(Start { from, checkpoint }) = start else {
            return self.create_with(data_name, replace, None, &[]);
        };
        let weights = weights_name(crc32fast::hash(&checkpoint.weights));
        let files = [(weights.as_str(), &checkpoint.weights[..]), (STATE, &checkpoint.state[..])];
        self.create_with(data_name, replace, Some(from.clone()), &files)
    }

    /// The same with more files.
    fn create_with(
        self,
        data_name: &str,
        replace: bool,
        from: Option<String>,
        more: &[(&str, &[u8])],
    ) -> Result<(Self, Lock)> {
        let run = self;
        let folder = &run.folder;
        Self::check(folder, replace)?;
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let lock = Lock::take(folder)?;
        // Another may have been here before the lock was ours.
        Self::check(folder, replace)?;
        // Settings first: without them the rest is no run, whatever happens now.
        remove(folder, |name| name == CONFIG)?;
        remove(folder, |name| name != LOCK)?;
        let mut sums = Vec::new();
        for (name, set) in run.sets() {
            let (text, sum) = checksum(set)?;
            if !set.is_empty() {
                run.write(&format!("{name}.txt"), &text)?;
            }
            sums.push(sum);
        }
        let [train, valid, test] =
            <[String; 3]>::try_from(sums).map_err(|_| anyhow::anyhow!("three sets"))?;
        if let Some(embedding) = &run.embedding {
            write_file(&folder.join(CONTEXT), true, |out| Ok(embedding.save(out)?))?;
        }
        let about = About {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").into(),
            data: data_name.into(),
            checksums: Checksums { train, valid, test },
            from,
            export: run.export.clone(),
        };
        run.write(ABOUT, &serde_json::to_vec_pretty(&about)?)?;
        more.iter().try_for_each(|(name, bytes)| run.write(name, bytes))?;
        // Last: a folder with settings is a run.
        run.write(CONFIG, run.config.to_toml()?.as_bytes())?;
        Ok((run, lock))
    }

    /// Opens a run. Formulae that were changed since are refused.
    pub fn open(folder: &Path) -> Result<Self> {
        if !is_run(folder) {
            bail!("{} holds no run: make one with `logicvae train --out {0}`", folder.display());
        }
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
        };
        let config =
            Config::from_toml(&read(CONFIG)?).with_context(|| folder.join(CONFIG).display().to_string())?;
        let about: About =
            serde_json::from_str(&read(ABOUT)?).with_context(|| folder.join(ABOUT).display().to_string())?;
        if about.format != FORMAT {
            bail!(
                "{} has layout version {}, but this program reads version {FORMAT}",
                folder.display(),
                about.format
            );
        }
        let set = |name: &str, sum: &str| -> Result<Vec<Formula>> {
            let path = folder.join(format!("{name}.txt"));
            let list =
                if path.exists() { formulae(&path, Some(config.model.variables))? } else { Vec::new() };
            if checksum(&list)?.1 != sum {
                bail!("{} is not what the run was trained on: its checksum differs", path.display());
            }
            Ok(list)
        };
        let sums = &about.checksums;
        let data = Dataset {
            train: set("train", &sums.train)?,
            valid: set("valid", &sums.valid)?,
            test: set("test", &sums.test)?,
        };
        let embedding = if config.context.is_some() {
            let path = folder.join(CONTEXT);
            let file = File::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
            Some(Embedding::load(BufReader::new(file)).with_context(|| path.display().to_string())?)
        } else {
            None
        };
        Ok(Self { folder: folder.to_owned(), config, data, embedding, export: about.export })
    }

    fn about(&self) -> Result<About> {
        Ok(serde_json::from_slice(&fs::read(self.folder.join(ABOUT))?)?)
    }

    fn sets(&self) -> [(&'static str, &[Formula]); 3] {
        [("train", &self.data.train), ("valid", &self.data.valid), ("test", &self.data.test)]
    }

    /// Writes a file of the folder, whole or not at all.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        write_file(&self.folder.join(name), true, |out| Ok(out.write_all(bytes)?))
    }

    /// Writes a checkpoint: weights first, then the state that names them; older weights go last.
    pub fn save(&self, checkpoint: &Checkpoint, best: bool) -> Result<()> {
        let name = weights_name(crc32fast::hash(&checkpoint.weights));
        self.write(&name, &checkpoint.weights)?;
        if best {
            self.write(BEST, &checkpoint.weights)?;
        }
        self.write(STATE, &checkpoint.state)?;
        remove(&self.folder, |file| (file.starts_with("last-") && file != name) || is_temporary(file))
    }

    /// The last checkpoint: weights and state; `None` if there is none yet.
    pub fn last(&self) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        // A training that goes on may replace the weights after their state was read: then there is a newer pair.
        self.read_last().or_else(|_| self.read_last())
    }

    /// How many epochs the last checkpoint has seen.
    pub fn epochs(&self) -> Result<usize> {
        match &self.export {
            Some(export) => Ok(export.epochs),
            None => Ok(self.state()?.map_or(0, |(_, _, epochs)| epochs)),
        }
    }

    /// The last checkpoint's state, the checksum of its weights, and its epochs.
    fn state(&self) -> Result<Option<(Vec<u8>, u32, usize)>> {
        let path = self.folder.join(STATE);
        if !path.exists() {
            return Ok(None);
        }
        let state = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let (sum, epochs) = Checkpoint::peek(&state).with_context(|| path.display().to_string())?;
        Ok(Some((state, sum, epochs)))
    }

    fn read_last(&self) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        let Some((state, sum, _)) = self.state()? else { return Ok(None) };
        let weights = self.folder.join(weights_name(sum));
        let bytes = fs::read(&weights).with_context(|| format!("cannot read {}", weights.display()))?;
        if crc32fast::hash(&bytes) != sum {
            bail!("{} is damaged: its checksum does not match the training state's", weights.display());
        }
        Ok(Some((bytes, state)))
    }

    /// The trained weights.
    pub fn weights(&self, which: WhichWeights) -> Result<Vec<u8>> {
        if let Some(export) = &self.export {
            let path = self.folder.join(EXPORTED);
            let weights = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            if format!("{:08x}", crc32fast::hash(&weights)) != export.weights {
                bail!("{} is damaged: its checksum differs from that in {ABOUT}", path.display());
            }
            return Ok(weights);
        }
        Ok(match which {
            WhichWeights::Last => match self.last()? {
                Some((weights, _)) => weights,
                None => bail!("{} has no checkpoint yet: train it first", self.folder.display()),
            },
            WhichWeights::Best => {
                let path = self.folder.join(BEST);
                fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?
            }
        })
    }

    /// What was trained, with its trained weights.
    pub fn learner(&self, which: WhichWeights, device: &Device) -> Result<Learner> {
        let weights = self.weights(which)?;
        let learner = Learner::on(&self.config, self.embedding.as_ref(), DType::F32, device)?;
        learner
            .parameters()
            .load_safetensors(&weights)
            .with_context(|| format!("the weights in {}", self.folder.display()))?;
        Ok(learner)
    }
}

/// Opens the run that flags name, and its autoencoder.
pub fn open(args: &RunArgs) -> Result<(Run, Model)> {
    logicvae_gnn::keep_freed_memory();
    let run = Run::open(&args.run)?;
    match run.learner(args.weights, &args.device.open()?)? {
        Learner::Formulae(model) => Ok((run, model)),
        Learner::Leaves(_) => {
            bail!(
                "{} names the leaves of shapes and has no latent space: only `evaluate` can use it",
                args.run.display()
            )
        }
    }
}

fn weights_name(checksum: u32) -> String {
    format!("last-{checksum:08x}.safetensors")
}

/// What a write that was killed leaves.
fn is_temporary(name: &str) -> bool {
    name.starts_with(".tmp")
}

/// The files in a folder that belong to a run.
fn run_files(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let known = [
        CONFIG,
        ABOUT,
        CONTEXT,
        STATE,
        BEST,
        EXPORTED,
        LOCK,
        "train.txt",
        "valid.txt",
        "test.txt",
        metrics::FILE,
        metrics::CURVES,
    ];
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
        let weights = name.starts_with("last-") && name.ends_with(".safetensors");
        if known.contains(&name.as_str()) || weights || is_temporary(&name) {
            files.push((name, path));
        }
    }
    Ok(files)
}

/// Removes those files of a run that `which` names.
fn remove(folder: &Path, which: impl Fn(&str) -> bool) -> Result<()> {
    for (_, path) in run_files(folder)?.into_iter().filter(|(name, _)| which(name)) {
        fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    Ok(())
}

/// Keeps two trainings out of one folder. Goes away with the process, however it ends.
pub struct Lock {
    _file: File,
}

impl Lock {
    pub fn take(folder: &Path) -> Result<Self> {
        let path = folder.join(LOCK);
        let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        if file.try_lock().is_err() {
            bail!("another training is at work in {}: wait for it, or stop it", folder.display());
        }
        Ok(Self { _file: file })
    }
}

//! Opening runs and models. Nothing is read, sampled or fitted that the call does not need.

use std::path::Path;
use std::sync::Arc;

use candle_core::Device;
use logicvae_kernel::Embedding;
use logicvae_logic::{Dataset, Formula, FormulaReader, Split};

use super::files::{
    ABOUT, BEST, CONFIG, CONTEXT, EXPORTED, MANIFEST, STATE, checksum, formulae_text, locate, weights_name,
};
use super::store::Store;
use super::{About, FORMAT, Run, WITHOUT_MANIFEST, Weights};
use crate::config::Config;
use crate::error::VaeError;
use crate::model::Model;
use crate::train::{Checkpoint, Learner};

/// The bytes of a checkpoint: weights, then state.
type CheckpointBytes = (Vec<u8>, Vec<u8>);

impl Run {
    /// Whether a folder contains a run or an export.
    pub fn exists(folder: impl AsRef<Path>) -> bool {
        let folder = folder.as_ref();
        locate(folder, CONFIG).is_file() && locate(folder, ABOUT).is_file()
    }

    /// Opens a run or an export. Only its settings are read.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, VaeError> {
        let folder = folder.as_ref();
        if !Self::exists(folder) {
            let name = folder.display();
            let message = match folder.exists() {
                true => format!("{name} contains neither a run nor an export"),
                false => format!("{name} does not exist"),
            };
            return Err(VaeError::Run(message));
        }
        let store = Store::open(folder)?;
        let within = |name: &str| {
            let path = store.path(name).display().to_string();
            move |error: VaeError| error.within(path)
        };
        let settings = store.read(CONFIG)?;
        let text = str::from_utf8(&settings).map_err(|e| within(CONFIG)(VaeError::Config(e.to_string())))?;
        let config = Config::from_toml(text).map_err(within(CONFIG))?;
        let about: About = serde_json::from_slice(&store.read(ABOUT)?)
            .map_err(|e| VaeError::Run(e.to_string()))
            .map_err(within(ABOUT))?;
        if !(WITHOUT_MANIFEST..=FORMAT).contains(&about.format) {
            return Err(VaeError::Run(format!(
                "{} has layout version {}, but this program supports versions up to {FORMAT}",
                folder.display(),
                about.format
            )));
        }
        if about.format != WITHOUT_MANIFEST && !store.has_manifest() {
            let path = folder.join(MANIFEST);
            let message = format!("{} is missing: copy it from where the run was made", path.display());
            return Err(VaeError::Run(message));
        }
        Ok(Self { folder: folder.to_owned(), config, about, store: Arc::new(store) })
    }

    /// Whether the folder has a manifest. Without one, as in the oldest folders, changes of its
    /// settings and of the weights of the best validation go unnoticed.
    pub fn has_manifest(&self) -> bool {
        self.store.has_manifest()
    }

    /// Whether this is an export.
    pub fn is_export(&self) -> bool {
        self.about.export.is_some()
    }

    /// The name of the data that the run was trained on.
    pub fn data_name(&self) -> &str {
        &self.about.data
    }

    /// The run whose weights the training started from, if any: its name and the CRC-32 of the weights.
    pub fn start_name(&self) -> Option<&str> {
        self.about.from.as_deref()
    }

    /// One set of formulae; the unseen one is empty where there is none. It is an error if the file is
    /// missing or has changed since the training began.
    pub fn formulae(&self, split: Split) -> Result<Vec<Formula>, VaeError> {
        let expected = match split {
            Split::Train => &self.about.checksums.train,
            Split::Valid => &self.about.checksums.valid,
            Split::Test => &self.about.checksums.test,
            Split::Unseen => match &self.about.checksums.unseen {
                Some(expected) => expected,
                None => return Ok(Vec::new()),
            },
        };
        let name = format!("{split}.txt");
        let path = self.store.path(&name);
        let missing = || {
            let message = format!("{} is missing: copy it from where the run was made", path.display());
            Err(VaeError::Run(message))
        };
        let mut formulae = Vec::new();
        if self.store.lists(&name) {
            if !path.exists() {
                return missing();
            }
            let text = self.store.read(&name)?;
            let within = |e: VaeError| e.within(path.display().to_string());
            let reader = FormulaReader::new(&text[..]).map_err(|e| within(e.into()))?;
            let reader = reader.with_variables(Some(self.config.model.variables));
            formulae = reader.collect::<Result<_, _>>().map_err(|e| within(e.into()))?;
        }
        if formulae_text(&formulae)?.1 != *expected {
            if !path.exists() {
                return missing();
            }
            let name = path.display();
            let message = format!("{name} is not what the run was trained on: its checksum differs");
            return Err(VaeError::Run(message));
        }
        Ok(formulae)
    }

    /// All sets of formulae.
    pub fn dataset(&self) -> Result<Dataset, VaeError> {
        Ok(Dataset {
            train: self.formulae(Split::Train)?,
            valid: self.formulae(Split::Valid)?,
            test: self.formulae(Split::Test)?,
            unseen: self.formulae(Split::Unseen)?,
        })
    }

    /// The semantic embedding of a conditional model.
    pub fn embedding(&self) -> Result<Option<Arc<Embedding>>, VaeError> {
        if self.config.context.is_none() {
            return Ok(None);
        }
        let path = self.store.path(CONTEXT);
        let bytes = self.store.read(CONTEXT)?;
        if self.about.checksums.context.as_ref().is_some_and(|expected| *expected != checksum(&bytes)) {
            let message =
                format!("{} is not the embedding of this model: its checksum differs", path.display());
            return Err(VaeError::Run(message));
        }
        let embedding =
            Embedding::load(&bytes[..]).map_err(|e| VaeError::from(e).within(path.display().to_string()))?;
        Ok(Some(Arc::new(embedding)))
    }

    /// The number of epochs that the last checkpoint has finished.
    pub fn epochs(&self) -> Result<usize, VaeError> {
        match &self.about.export {
            Some(export) => Ok(export.epochs),
            None => Ok(self.state()?.map_or(0, |(_, _, epochs)| epochs)),
        }
    }

    /// The weights and the state of the last checkpoint, or `None` if there is none yet.
    pub fn last(&self) -> Result<Option<CheckpointBytes>, VaeError> {
        // A training that is running may replace the weights after their state was read. Then there is a
        // newer pair.
        self.read_last().or_else(|_| self.read_last())
    }

    /// The last checkpoint's state, the checksum of its weights, and its epochs.
    fn state(&self) -> Result<Option<(Vec<u8>, u32, usize)>, VaeError> {
        if !self.store.lists(STATE) {
            return Ok(None);
        }
        let path = self.store.path(STATE);
        let state = self.store.read(STATE)?;
        let (sum, epochs) = Checkpoint::peek(&state).map_err(|e| e.within(path.display().to_string()))?;
        Ok(Some((state, sum, epochs)))
    }

    /// The name of the last checkpoint's file of weights.
    pub(super) fn last_weights(&self) -> Result<Option<String>, VaeError> {
        Ok(self.state()?.map(|(_, sum, _)| weights_name(sum)))
    }

    fn read_last(&self) -> Result<Option<CheckpointBytes>, VaeError> {
        let Some((state, sum, _)) = self.state()? else { return Ok(None) };
        let name = weights_name(sum);
        let path = self.store.path(&name);
        let weights = self.store.read(&name)?;
        if crc32fast::hash(&weights) != sum {
            let message =
                format!("{} is damaged: its checksum does not match the training state", path.display());
            return Err(VaeError::Run(message));
        }
        Ok(Some((weights, state)))
    }

    /// The weights as a safetensors file. An export has only one set of weights.
    pub fn weights(&self, which: Weights) -> Result<Vec<u8>, VaeError> {
        if let Some(export) = &self.about.export {
            let path = self.store.path(EXPORTED);
            let weights = self.store.read(EXPORTED)?;
            if checksum(&weights) != export.weights {
                let message =
                    format!("{} is damaged: its checksum differs from that in {ABOUT}", path.display());
                return Err(VaeError::Run(message));
            }
            return Ok(weights);
        }
        match which {
            Weights::Best if !self.store.lists(BEST) => Err(VaeError::Run(format!(
                "{} has no weights of a best validation yet: use those of the last checkpoint",
                self.folder.display()
            ))),
            Weights::Best => self.store.read(BEST),
            Weights::Last => self.last()?.map(|(weights, _)| weights).ok_or_else(|| {
                VaeError::Run(format!("{} has no checkpoint yet: train it first", self.folder.display()))
            }),
        }
    }

    /// Verifies the settings, the formulae and the embedding of an export or a run, and returns the weights.
    pub fn verify(&self) -> Result<Vec<u8>, VaeError> {
        self.dataset()?;
        self.embedding()?;
        self.weights(Weights::Last)
    }

    /// The trained model of any task.
    pub fn learner(&self, which: Weights, device: &Device) -> Result<Learner, VaeError> {
        Learner::from_weights(&self.config, self.embedding()?, &self.weights(which)?, device)
            .map_err(|e| e.within(format!("the weights in {}", self.folder.display())))
    }

    /// The trained autoencoder.
    pub fn model(&self, which: Weights, device: &Device) -> Result<Model, VaeError> {
        match self.learner(which, device)? {
            Learner::Autoencoder(model) => Ok(model),
            Learner::Leaves(_) => Err(VaeError::Run(format!(
                "{} predicts the variables of leaves and has no latent space: only `evaluate` supports it",
                self.folder.display()
            ))),
        }
    }
}

impl Model {
    /// Loads a trained model from a run folder or an export, such as `models/best-5`, on the CPU.
    ///
    /// ```no_run
    /// use logicvae_vae::{Decoding, Model};
    /// let model = Model::load("models/best-5")?;
    /// let codes = model.encode(&["x1 & (x2 | !x3) & (x4 | x5)".parse().unwrap()])?;
    /// let decoded = model.decode(&codes, Decoding::Greedy)?;
    /// println!("{:?}", decoded[0][0].formula);
    /// # Ok::<(), logicvae_vae::VaeError>(())
    /// ```
    pub fn load(folder: impl AsRef<Path>) -> Result<Self, VaeError> {
        Run::open(folder)?.model(Weights::Last, &Device::Cpu)
    }

    /// Loads a trained model from the content of its files: settings as TOML, weights as safetensors and, for
    /// a conditional model, the semantic embedding.
    pub fn from_bytes(config: &str, weights: &[u8], embedding: Option<&[u8]>) -> Result<Self, VaeError> {
        let embedding = embedding.map(Embedding::load).transpose()?.map(Arc::new);
        Self::from_weights(&Config::from_toml(config)?, embedding, weights, &Device::Cpu)
    }
}

//! Settings of a run: the model, its data and its training. One [`Config`] describes one experiment. It is
//! stored as TOML, and inconsistent settings are rejected before anything starts.

mod check;
mod data;
mod defaults;
mod model;
mod overrides;
mod presets;
mod renamed;
mod training;

use std::collections::HashSet;

use logicvae_logic::Dataset;
use serde::{Deserialize, Serialize};

pub use data::{Children, ContextConfig, DataConfig};
pub(crate) use model::MAX_GOAL_VARIABLES;
pub use model::{EncoderChoice, GraphState, ModelConfig, Prior, Task};
pub use training::{Decay, TrainingConfig};

use crate::error::VaeError;
use crate::shape::shape;

/// All settings of a run.
///
/// ```
/// use logicvae_vae::Config;
/// let config = Config::preset("gat-5").unwrap();
/// assert_eq!(Config::from_toml(&config.to_toml()?)?, config);
/// let error = config.with(&["model.latnet=3"]).unwrap_err();
/// assert!(error.to_string().contains("latnet"));
/// # Ok::<(), logicvae_vae::VaeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The name of the run.
    pub name: String,
    /// The seed of weights, noise, order and fresh formulae.
    pub seed: u64,
    /// The model.
    pub model: ModelConfig,
    /// The training data.
    pub data: DataConfig,
    /// The semantic vectors of a conditional model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextConfig>,
    /// The training.
    pub training: TrainingConfig,
}

impl Config {
    /// The width of semantic vectors; 0 if the model is not conditional.
    pub(crate) fn context_width(&self) -> usize {
        self.context.as_ref().map_or(0, |context| context.components)
    }

    /// The formulae for training, validation and testing, as the model sees them.
    pub fn dataset(&self) -> Result<Dataset, VaeError> {
        let mut data = self.data.set.generate()?;
        if self.data.shapes {
            // Different formulae can have the same shape. Shapes of the test set are removed from the other
            // sets.
            let mut known = HashSet::new();
            for set in [&mut data.test, &mut data.valid, &mut data.train] {
                *set = set.iter().map(shape).filter(|shape| known.insert(shape.clone())).collect();
            }
        }
        Ok(data)
    }

    /// Parses settings and checks them.
    pub fn from_toml(text: &str) -> Result<Self, VaeError> {
        let mut config: Self = toml::from_str(text).map_err(|e| VaeError::Config(e.to_string()))?;
        config.modernise();
        config.check()?;
        Ok(config)
    }

    /// The settings as TOML.
    pub fn to_toml(&self) -> Result<String, VaeError> {
        toml::to_string(self).map_err(|e| VaeError::Config(e.to_string()))
    }

    /// The same settings with some changes, each given as `section.key=value`, and checked.
    pub fn with(&self, changes: &[impl AsRef<str>]) -> Result<Self, VaeError> {
        let mut table = toml::Table::try_from(self).map_err(|e| VaeError::Config(e.to_string()))?;
        for change in changes {
            overrides::set(&mut table, change.as_ref())?;
        }
        Self::from_toml(&toml::to_string(&table).map_err(|e| VaeError::Config(e.to_string()))?)
    }
}

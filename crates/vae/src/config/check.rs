//! Which settings go together.

use crate::config::{Children, Config, ModelConfig, Prior, Task, TrainingConfig};
use crate::decoder::MOST_VARIABLES;
use crate::error::VaeError;

fn refuse(setting: &str, reason: impl Into<String>) -> Result<(), VaeError> {
    Err(VaeError::Setting { setting: setting.into(), reason: reason.into() })
}

fn at_least_one(settings: &[(&str, usize)]) -> Result<(), VaeError> {
    match settings.iter().find(|(_, value)| *value == 0) {
        Some((setting, _)) => refuse(setting, "must be at least 1"),
        None => Ok(()),
    }
}

/// Far beyond what is of use, and far below what a machine cannot hold or count.
fn at_most(settings: &[(&str, usize, usize)]) -> Result<(), VaeError> {
    match settings.iter().find(|(_, value, limit)| value > limit) {
        Some((setting, value, limit)) => refuse(setting, format!("{value} is too much: at most {limit}")),
        None => Ok(()),
    }
}

fn not_negative(settings: &[(&str, f64)]) -> Result<(), VaeError> {
    match settings.iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)) {
        Some((setting, value)) => refuse(setting, format!("{value} makes no sense: it must be 0 or more")),
        None => Ok(()),
    }
}

impl Config {
    /// Whether the settings make sense, each by itself and together.
    pub fn check(&self) -> Result<(), VaeError> {
        self.model.check()?;
        self.training.check()?;
        let sampler = &self.data.set.sampler;
        sampler
            .check()
            .map_err(|e| VaeError::Setting { setting: "data.set.sampler".into(), reason: e.to_string() })?;
        if self.data.shapes && (self.model.variables != 1 || self.model.task == Task::Leaves) {
            return refuse(
                "data.shapes",
                "shapes have one variable, x1, and no other to predict: set model.variables = 1",
            );
        }
        if self.model.task == Task::Leaves && self.context.is_none() {
            return refuse("model.task", "leaves are learned from the meaning of the whole: add a [context]");
        }
        if self.model.task == Task::Leaves && self.data.children == Children::Sort {
            return refuse(
                "data.children",
                "sorting needs the indices that are to be learned: use `keep` or `swap`",
            );
        }
        if sampler.variables > self.model.variables && !self.data.shapes {
            let reason = format!(
                "formulae have {} variables, but the model's vocabulary ends with x{}: raise model.variables or lower this",
                sampler.variables, self.model.variables
            );
            return refuse("data.set.sampler.variables", reason);
        }
        if sampler.max_nodes > self.model.max_nodes {
            let reason = format!(
                "formulae have up to {} nodes, but the decoder stops after {}: raise model.max_nodes or lower this",
                sampler.max_nodes, self.model.max_nodes
            );
            return refuse("data.set.sampler.max_nodes", reason);
        }
        at_most(&[("data.set.train", self.data.set.train, 1_000_000_000)])?;
        if self.data.set.train == 0 {
            return refuse("data.set.train", "there must be something to learn from: at least 1");
        }
        if !(0.0..=1.0).contains(&self.data.crossing) {
            return refuse("data.crossing", format!("{} is no share: use 0 to 1", self.data.crossing));
        }
        if self.data.crossing > 0.0 && self.data.fresh {
            return refuse(
                "data.crossing",
                "fresh formulae are new as they are: set data.fresh = false, or crossing = 0",
            );
        }
        if self.model.prior != Prior::Standard && self.context.is_none() {
            return refuse(
                "model.prior",
                "this prior depends on a context: add a [context], or use `standard`",
            );
        }
        if self.model.goals && self.context.is_none() {
            return refuse("model.goals", "goals come from a context: add a [context], or use false");
        }
        if self.training.hybrid > 0.0 && (self.context.is_none() || self.model.task == Task::Leaves) {
            return refuse(
                "training.hybrid",
                "only an autoencoder with a context has something to learn from its prior: use 0",
            );
        }
        if self.training.focus > 1 && self.model.task == Task::Leaves {
            return refuse(
                "training.focus",
                "it asks how well formulae come back, and where leaves are learned none do: use 1",
            );
        }
        if self.model.candidates > 1 && self.context.is_none() {
            return refuse(
                "model.candidates",
                "there is no meaning to choose by without a context: use 1, or add a [context]",
            );
        }
        if let Some(context) = &self.context {
            at_least_one(&[("context.components", context.components)])?;
            if context.pool == 0 {
                return refuse(
                    "context.pool",
                    "a context needs a pool of formulae to compare with: 5000 is the paper's size",
                );
            }
            if context.components > context.pool {
                let reason =
                    format!("{} components cannot come from {} formulae", context.components, context.pool);
                return refuse("context.components", reason);
            }
            if context.gaussian.is_some_and(|sigma2| !(sigma2.is_finite() && sigma2 > 0.0)) {
                return refuse("context.gaussian", "σ² must be a number above 0");
            }
        }
        if self.data.set.valid == 0 && self.training.patience > 0 {
            return refuse(
                "training.patience",
                "early stopping needs validation formulae: set data.set.valid, or patience = 0",
            );
        }
        Ok(())
    }
}

impl ModelConfig {
    /// Whether the model's settings make sense.
    pub fn check(&self) -> Result<(), VaeError> {
        at_least_one(&[
            ("model.variables", self.variables as usize),
            ("model.hidden", self.hidden),
            ("model.latent", self.latent),
            ("model.max_nodes", self.max_nodes),
            ("model.candidates", self.candidates),
        ])?;
        at_most(&[
            ("model.variables", self.variables as usize, 10_000),
            ("model.hidden", self.hidden, 16_384),
            ("model.latent", self.latent, 65_536),
            ("model.max_nodes", self.max_nodes, 1_000_000),
            ("model.candidates", self.candidates, 10_000),
            ("model.encoder.layers", self.encoder.layers, 100),
            ("model.encoder.heads", self.encoder.heads.iter().copied().max().unwrap_or(0), 1000),
            ("model.encoder.head_dim", self.encoder.head_dim.unwrap_or(0), 16_384),
        ])?;
        not_negative(&[("model.noise", self.noise)])?;
        if self.budget && !self.constrained {
            return refuse(
                "model.budget",
                "an unconstrained decoder does not count nodes: set constrained = true or budget = false",
            );
        }
        if self.goals && (self.variables > MOST_VARIABLES || self.constant || !self.constrained) {
            return refuse(
                "model.goals",
                format!("needs at most {MOST_VARIABLES} variables, no constants, and constrained = true"),
            );
        }
        if self.parent_index && self.positional {
            return refuse(
                "model.parent_index",
                "a node has one mark, its side or its parent's index: set positional = false",
            );
        }
        self.encoder_config().check().map_err(|error| match error {
            logicvae_gnn::GraphError::Setting { setting, reason } => {
                VaeError::Setting { setting: format!("model.encoder.{setting}"), reason }
            }
            other => other.into(),
        })
    }
}

impl TrainingConfig {
    /// Whether the training's settings make sense.
    pub fn check(&self) -> Result<(), VaeError> {
        at_least_one(&[
            ("training.epochs", self.epochs),
            ("training.batch", self.batch),
            ("training.focus", self.focus),
            ("training.validate_every", self.validate_every),
            ("training.checkpoint_every", self.checkpoint_every),
        ])?;
        at_most(&[
            ("training.epochs", self.epochs, 1_000_000_000),
            ("training.batch", self.batch, 1_000_000),
            ("training.focus", self.focus, 1000),
        ])?;
        not_negative(&[
            ("training.learning_rate", self.learning_rate),
            ("training.weight_decay", self.weight_decay),
            ("training.beta", self.beta),
            ("training.polish_rate", self.polish_rate),
            ("training.polish_beta", self.polish_beta),
            ("training.improvement", self.improvement),
        ])?;
        if self.polish >= self.epochs {
            let reason =
                format!("{} of {} epochs leave none to learn in: use fewer", self.polish, self.epochs);
            return refuse("training.polish", reason);
        }
        if self.polish > 0 && self.polish_rate == 0.0 {
            return refuse(
                "training.polish_rate",
                "0 would change nothing: use a part of the learning rate, such as 0.0002",
            );
        }
        if !(0.0..1.0).contains(&self.hybrid) {
            return refuse(
                "training.hybrid",
                format!("{} is no share that leaves some for encodings: use 0 to 0.9", self.hybrid),
            );
        }
        if self.improvement >= 1.0 {
            return refuse(
                "training.improvement",
                format!("{} asks for a loss below 0: use a small share, such as 0.001", self.improvement),
            );
        }
        if self.clip.is_nan() || self.clip <= 0.0 {
            return refuse(
                "training.clip",
                format!("{} makes no sense: a norm above 0, or `inf` for none", self.clip),
            );
        }
        Ok(())
    }
}

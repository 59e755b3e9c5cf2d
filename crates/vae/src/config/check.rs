//! Checks that settings are valid and consistent.

use crate::config::{Children, Config, Decay, MAX_GOAL_VARIABLES, ModelConfig, Prior, Task, TrainingConfig};
use crate::error::VaeError;

/// The largest number of formulae in a set; sets are kept in memory.
const MAX_FORMULAE: usize = 20_000_000;
/// The longest name of a run, in bytes.
const MAX_NAME: usize = 1000;
/// The largest pool that a semantic embedding is fitted on.
const MAX_POOL: usize = 1_000_000;
/// The largest width of a semantic vector.
const MAX_COMPONENTS: usize = 10_000;

fn refuse(setting: &str, reason: impl Into<String>) -> Result<(), VaeError> {
    Err(VaeError::Setting { setting: setting.into(), reason: reason.into() })
}

fn at_least_one(settings: &[(&str, usize)]) -> Result<(), VaeError> {
    match settings.iter().find(|(_, value)| *value == 0) {
        Some((setting, _)) => refuse(setting, "must be at least 1"),
        None => Ok(()),
    }
}

/// Limits far beyond useful values, but far below what a machine can hold.
fn at_most(settings: &[(&str, usize, usize)]) -> Result<(), VaeError> {
    match settings.iter().find(|(_, value, limit)| value > limit) {
        Some((setting, value, limit)) => {
            refuse(setting, format!("{value} is too large: the limit is {limit}"))
        }
        None => Ok(()),
    }
}

fn not_negative(settings: &[(&str, f64)]) -> Result<(), VaeError> {
    match settings.iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)) {
        Some((setting, value)) => refuse(setting, format!("{value} is invalid: it must be 0 or more")),
        None => Ok(()),
    }
}

impl Config {
    /// Checks every setting by itself and all of them together.
    pub fn check(&self) -> Result<(), VaeError> {
        if self.name.len() > MAX_NAME || self.name.chars().any(char::is_control) {
            return refuse("name", format!("use at most {MAX_NAME} bytes without control characters"));
        }
        self.model.check()?;
        self.training.check()?;
        let sampler = &self.data.set.sampler;
        sampler
            .check()
            .map_err(|e| VaeError::Setting { setting: "data.set.sampler".into(), reason: e.to_string() })?;
        if self.data.shapes && (self.model.variables != 1 || self.model.task == Task::Leaves) {
            return refuse(
                "data.shapes",
                "shapes have only the variable x1: set model.variables = 1 and the task to autoencoder",
            );
        }
        if self.model.task == Task::Leaves && self.context.is_none() {
            return refuse(
                "model.task",
                "leaves are predicted from the meaning of the formula: add a [context]",
            );
        }
        if self.model.task == Task::Leaves && self.data.children == Children::Sort {
            return refuse(
                "data.children",
                "sorting needs the variables that are to be predicted: use `keep` or `swap`",
            );
        }
        if sampler.variables > self.model.variables && !self.data.shapes {
            let reason = format!(
                "formulae have {} variables, but the model only knows x1 to x{}: raise model.variables or \
                 lower this",
                sampler.variables, self.model.variables
            );
            return refuse("data.set.sampler.variables", reason);
        }
        if sampler.max_nodes > self.model.max_nodes {
            let reason = format!(
                "formulae have up to {} nodes, but the decoder stops after {}: raise model.max_nodes or \
                 lower this",
                sampler.max_nodes, self.model.max_nodes
            );
            return refuse("data.set.sampler.max_nodes", reason);
        }
        at_most(&[
            ("data.set.train", self.data.set.train, MAX_FORMULAE),
            ("data.set.valid", self.data.set.valid, MAX_FORMULAE),
            ("data.set.test", self.data.set.test, MAX_FORMULAE),
        ])?;
        if self.data.set.train == 0 {
            return refuse("data.set.train", "there must be at least 1 training formula");
        }
        if !(0.0..=1.0).contains(&self.data.crossover) {
            return refuse(
                "data.crossover",
                format!("{} is not a probability: use 0 to 1", self.data.crossover),
            );
        }
        if self.data.crossover > 0.0 && self.data.fresh {
            return refuse(
                "data.crossover",
                "fresh formulae need no crossover: set data.fresh = false, or crossover = 0",
            );
        }
        if !(0.0..=1.0).contains(&self.data.as_given) || (self.data.as_given > 0.0 && self.data.fresh) {
            return refuse(
                "data.as_given",
                "it is a probability, 0 to 1, where training formulae are given: set data.fresh = false, or \
                 use 0",
            );
        }
        if self.training.lambda.is_some() != (self.model.task == Task::Leaves) {
            return refuse(
                "training.lambda",
                "it is the weight of a leaf model's semantic distance: set it for the task `leaves`, and \
                 only there",
            );
        }
        if self.model.task == Task::Leaves && self.training.beta != 0.0 {
            return refuse(
                "training.beta",
                "a leaf model has no latent space: its weight is training.lambda",
            );
        }
        if self.model.prior != Prior::Standard && self.context.is_none() {
            return refuse(
                "model.prior",
                "this prior depends on a semantic vector: add a [context], or use `standard`",
            );
        }
        if self.model.goal_conditioned && self.context.is_none() {
            return refuse(
                "model.goal_conditioned",
                "goals come from a semantic vector: add a [context], or use false",
            );
        }
        if self.training.hybrid > 0.0 && (self.context.is_none() || self.model.task == Task::Leaves) {
            return refuse(
                "training.hybrid",
                "only a conditional autoencoder can learn from its prior: use 0, or add a [context]",
            );
        }
        if self.training.short_answers && (self.training.hybrid == 0.0 || self.model.variables > 6) {
            return refuse(
                "training.short_answers",
                "it changes formulae that are decoded from the prior, of up to 6 variables: set \
                 training.hybrid, or use false",
            );
        }
        if self.data.general && !(self.data.fresh && self.model.constant) {
            return refuse(
                "data.general",
                "formulae of every kind are sampled fresh, with constants: set data.fresh and \
                 model.constant",
            );
        }
        if !(0.0..=1.0).contains(&self.data.small) || (self.data.small > 0.0 && !self.data.general) {
            return refuse(
                "data.small",
                "it is the probability of a small formula, 0 to 1, where formulae are of every kind: set \
                 data.general, or use 0",
            );
        }
        if self.training.hardest_of > 1 && self.model.task == Task::Leaves {
            return refuse(
                "training.hardest_of",
                "leaf models do not reconstruct formulae, so there is nothing to rank them by: use 1",
            );
        }
        if self.model.candidates > 1 && self.context.is_none() {
            return refuse(
                "model.candidates",
                "candidates are ranked by a semantic vector: use 1, or add a [context]",
            );
        }
        if let Some(context) = &self.context {
            at_least_one(&[("context.components", context.components)])?;
            at_most(&[
                ("context.pool", context.pool, MAX_POOL),
                ("context.components", context.components, MAX_COMPONENTS),
            ])?;
            if context.pool == 0 {
                return refuse(
                    "context.pool",
                    "the embedding is fitted on a pool of formulae: use 5000 as in the paper",
                );
            }
            if context.components > context.pool {
                let reason =
                    format!("{} components cannot come from {} formulae", context.components, context.pool);
                return refuse("context.components", reason);
            }
            let invalid = |sigma2: f64| !(sigma2.is_finite() && sigma2 > 0.0);
            if context.gaussian.is_some_and(invalid) {
                return refuse("context.gaussian", "σ² must be positive");
            }
            if context.projected_gaussian.is_some_and(|sigma2| invalid(sigma2) || context.gaussian.is_none())
            {
                return refuse(
                    "context.projected_gaussian",
                    "σ² must be positive, and the pool must have one, too: set context.gaussian",
                );
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
    /// Checks the settings of the model.
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
        if self.goal_conditioned && (self.variables > MAX_GOAL_VARIABLES || !self.constrained) {
            return refuse(
                "model.goal_conditioned",
                format!("it needs at most {MAX_GOAL_VARIABLES} variables, and constrained = true"),
            );
        }
        if self.parent_index && self.positional {
            return refuse(
                "model.parent_index",
                "a node has one mark, either its side or its parent's index: set positional = false",
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
    /// Checks the settings of the training.
    pub fn check(&self) -> Result<(), VaeError> {
        at_least_one(&[
            ("training.epochs", self.epochs),
            ("training.batch", self.batch),
            ("training.hardest_of", self.hardest_of),
            ("training.validate_every", self.validate_every),
            ("training.checkpoint_every", self.checkpoint_every),
        ])?;
        at_most(&[
            ("training.epochs", self.epochs, 1_000_000_000),
            ("training.batch", self.batch, 1_000_000),
            ("training.hardest_of", self.hardest_of, 1000),
        ])?;
        not_negative(&[
            ("training.learning_rate", self.learning_rate),
            ("training.weight_decay", self.weight_decay),
            ("training.l2", self.l2),
            ("training.cycle_peak", self.cycle_peak),
            ("training.beta", self.beta),
            ("training.fine_tune_learning_rate", self.fine_tune_learning_rate),
            ("training.fine_tune_beta", self.fine_tune_beta),
            ("training.improvement", self.improvement),
            ("training.lambda", self.lambda.unwrap_or(0.0)),
        ])?;
        let cyclic = self.decay == Decay::Cyclic;
        if cyclic != (self.cycle_epochs > 0) || cyclic != (self.cycle_peak > 0.0) {
            return refuse(
                "training.decay",
                "a cyclic learning rate needs training.cycle_epochs and training.cycle_peak, and no other \
                 uses them: set all three, or none",
            );
        }
        if self.fine_tune_epochs >= self.epochs {
            let reason = format!(
                "{} of {} epochs leave none for the main phase: use fewer",
                self.fine_tune_epochs, self.epochs
            );
            return refuse("training.fine_tune_epochs", reason);
        }
        if self.fine_tune_epochs > 0 && self.fine_tune_learning_rate == 0.0 {
            return refuse(
                "training.fine_tune_learning_rate",
                "a learning rate of 0 changes nothing: use a fraction of learning_rate, such as 0.0002",
            );
        }
        if !(0.0..1.0).contains(&self.hybrid) {
            return refuse(
                "training.hybrid",
                format!("{} leaves no formulae for encodings: use 0 to 0.9", self.hybrid),
            );
        }
        if self.improvement >= 1.0 {
            return refuse(
                "training.improvement",
                format!("{} can never be reached: use a small value such as 0.001", self.improvement),
            );
        }
        if self.clip.is_nan() || self.clip <= 0.0 {
            return refuse(
                "training.clip",
                format!("{} is invalid: use a positive norm, or `inf` for no clipping", self.clip),
            );
        }
        Ok(())
    }
}

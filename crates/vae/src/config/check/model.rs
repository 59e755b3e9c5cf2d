//! Checks of the settings of the model.

use super::{at_least_one, at_most, not_negative, refuse};
use crate::config::{MAX_GOAL_VARIABLES, ModelConfig};
use crate::error::VaeError;

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

//! Checks of conditional models and of their semantic embedding.

use super::{at_least_one, at_most, refuse};
use crate::config::{Config, ContextConfig, Prior, Task};
use crate::error::VaeError;

/// The largest pool that a semantic embedding is fitted on.
const MAX_POOL: usize = 1_000_000;
/// The largest width of a semantic vector.
const MAX_COMPONENTS: usize = 10_000;

impl Config {
    /// Checks that settings which need a semantic vector have one.
    pub(super) fn check_conditional(&self) -> Result<(), VaeError> {
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
        if self.model.candidates > 1 && self.context.is_none() {
            return refuse(
                "model.candidates",
                "candidates are ranked by a semantic vector: use 1, or add a [context]",
            );
        }

        Ok(())
    }
}

impl ContextConfig {
    /// Checks the settings of the semantic embedding.
    pub(super) fn check(&self) -> Result<(), VaeError> {
        at_least_one(&[("context.components", self.components)])?;
        at_most(&[
            ("context.pool", self.pool, MAX_POOL),
            ("context.components", self.components, MAX_COMPONENTS),
        ])?;
        if self.pool == 0 {
            return refuse(
                "context.pool",
                "the embedding is fitted on a pool of formulae: use 5000 as in the paper",
            );
        }
        if self.components > self.pool {
            let reason = format!("{} components cannot come from {} formulae", self.components, self.pool);
            return refuse("context.components", reason);
        }
        let invalid = |sigma2: f64| !(sigma2.is_finite() && sigma2 > 0.0);
        if self.gaussian.is_some_and(invalid) {
            return refuse("context.gaussian", "σ² must be positive");
        }
        if self.projected_gaussian.is_some_and(|sigma2| invalid(sigma2) || self.gaussian.is_none()) {
            return refuse(
                "context.projected_gaussian",
                "σ² must be positive, and the pool must have one, too: set context.gaussian",
            );
        }
        Ok(())
    }
}

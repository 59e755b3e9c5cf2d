//! Checks of the training data, and that the model can read it.

use super::{at_most, refuse};
use crate::config::{Config, Task};
use crate::error::VaeError;

/// The largest number of formulae in a set; sets are kept in memory.
const MAX_FORMULAE: usize = 20_000_000;

impl Config {
    /// Checks the training data, alone and against the model.
    pub(super) fn check_data(&self) -> Result<(), VaeError> {
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

        Ok(())
    }
}

//! Checks of settings that only leaf models have, and of those that they do not support.

use super::refuse;
use crate::config::{Children, Config, Task};
use crate::error::VaeError;

impl Config {
    /// Checks the settings of a leaf model, and that other models have none of them.
    pub(super) fn check_leaves(&self) -> Result<(), VaeError> {
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
        if self.training.hardest_of > 1 && self.model.task == Task::Leaves {
            return refuse(
                "training.hardest_of",
                "leaf models do not reconstruct formulae, so there is nothing to rank them by: use 1",
            );
        }

        Ok(())
    }
}

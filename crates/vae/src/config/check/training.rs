//! Checks of the settings of the training.

use super::{at_least_one, at_most, not_negative, refuse};
use crate::config::{Decay, TrainingConfig};
use crate::error::VaeError;

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

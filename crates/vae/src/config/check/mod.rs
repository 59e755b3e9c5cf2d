//! Checks that settings are valid and consistent. Each section has its own file; here is what they share.

mod conditional;
mod data;
mod leaves;
mod model;
mod training;

use crate::config::Config;
use crate::error::VaeError;

/// The longest name of a run, in bytes.
const MAX_NAME: usize = 1000;

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
        self.check_data()?;
        self.check_leaves()?;
        self.check_conditional()?;
        if let Some(context) = &self.context {
            context.check()?;
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

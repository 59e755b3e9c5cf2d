//! The crate's error type.

use thiserror::Error;

/// An error of this crate.
#[derive(Debug, Error)]
pub enum ComputeError {
    /// A name that does not denote a device.
    #[error("there is no device `{0}`: use auto, cpu, cuda or cuda:1")]
    UnknownDevice(String),
    /// A device that does not work on this machine.
    #[error("cannot use {device}: {reason}")]
    DeviceUnavailable {
        /// The requested device.
        device: String,
        /// Why it cannot be used.
        reason: String,
    },
    /// A linear system without a unique solution.
    #[error("the ridge regression cannot be solved: its inputs contain numbers that are not finite")]
    Unsolvable,
    /// The tensor library failed.
    #[error(transparent)]
    Tensor(#[from] candle_core::Error),
}

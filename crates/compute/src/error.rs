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
    Tensor(candle_core::Error),
}

impl From<candle_core::Error> for ComputeError {
    fn from(error: candle_core::Error) -> Self {
        Self::Tensor(plain(error))
    }
}

/// An error of the tensor library without its stack trace, which it would print as a part of its message if
/// `RUST_BACKTRACE` is set.
pub fn plain(error: candle_core::Error) -> candle_core::Error {
    use candle_core::Error::{Context, WithBacktrace, WithPath};
    match error {
        WithBacktrace { inner, .. } => plain(*inner),
        WithPath { inner, path } => WithPath { inner: Box::new(plain(*inner)), path },
        Context { inner, context } => Context { inner: Box::new(plain(*inner)), context },
        other => other,
    }
}

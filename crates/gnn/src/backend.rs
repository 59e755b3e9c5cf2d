//! Where tensors live and operations run.

use std::fmt;
use std::str::FromStr;

use candle_core::Device;
use thiserror::Error;

/// A choice of device, as a user writes it: `cpu`, `cuda`, `cuda:1` or `auto`.
///
/// ```
/// use logicvae_gnn::Backend;
/// let backend: Backend = "cpu".parse()?;
/// assert!(backend.open()?.is_cpu());
/// assert!("tpu".parse::<Backend>().is_err());
/// # Ok::<(), logicvae_gnn::BackendError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The first GPU that works, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU with this number, and no other.
    Cuda(usize),
}

/// A device that is unknown or cannot be opened.
#[derive(Debug, Error)]
pub enum BackendError {
    /// A name that stands for no device.
    #[error("there is no device `{0}`: use auto, cpu, cuda or cuda:1")]
    Unknown(String),
    /// The device does not work here.
    #[error("cannot use {backend}: {reason}")]
    Unavailable {
        /// What was asked for.
        backend: Backend,
        /// Why not.
        reason: String,
    },
}

impl Backend {
    /// Opens the device. [`Backend::Auto`] falls back to the CPU; a GPU that was asked for by name does not.
    pub fn open(self) -> Result<Device, BackendError> {
        match self {
            Self::Cpu => Ok(Device::Cpu),
            // Not `cuda_if_available`: candle calls CUDA available wherever it was compiled in, with or without a GPU.
            Self::Auto => Ok(Device::new_cuda(0).unwrap_or(Device::Cpu)),
            Self::Cuda(number) => Device::new_cuda(number).map_err(|e| BackendError::Unavailable {
                backend: self,
                reason: if cfg!(feature = "cuda") {
                    e.to_string()
                } else {
                    "this program was built without the feature `cuda`".into()
                },
            }),
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(number) => write!(f, "cuda:{number}"),
        }
    }
}

impl FromStr for Backend {
    type Err = BackendError;

    fn from_str(name: &str) -> Result<Self, BackendError> {
        match name {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            _ => {
                let number = name.strip_prefix("cuda:").and_then(|n| n.parse().ok());
                number.map(Self::Cuda).ok_or_else(|| BackendError::Unknown(name.to_owned()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for backend in [Backend::Auto, Backend::Cpu, Backend::Cuda(0), Backend::Cuda(3)] {
            assert_eq!(backend.to_string().parse::<Backend>().expect("its own name"), backend);
        }
        let error = "cuda:x".parse::<Backend>().expect_err("not a number").to_string();
        assert!(error.contains("cuda:x") && error.contains("cuda:1"), "{error}");
    }

    #[test]
    fn auto_always_works() {
        assert!(Backend::Auto.open().is_ok());
    }

    #[cfg(not(feature = "cuda"))]
    #[test]
    fn a_gpu_by_name_is_not_replaced_by_the_cpu() {
        let error = Backend::Cuda(0).open().expect_err("built without CUDA").to_string();
        assert!(error.contains("feature `cuda`"), "{error}");
    }
}

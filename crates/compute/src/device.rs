//! Where tensors live and operations run.

use std::fmt;
use std::str::FromStr;

use candle_core::Device;

use crate::error::ComputeError;

/// A device as a user writes it: `cpu`, `cuda`, `cuda:1` or `auto`.
///
/// ```
/// use logicvae_compute::DeviceChoice;
/// let choice: DeviceChoice = "cpu".parse()?;
/// assert!(choice.open()?.is_cpu());
/// assert!("tpu".parse::<DeviceChoice>().is_err());
/// # Ok::<(), logicvae_compute::ComputeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The first GPU that works, otherwise the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU with this index.
    Cuda(usize),
}

impl DeviceChoice {
    /// Opens the device. [`DeviceChoice::Auto`] falls back to the CPU; a GPU requested by name does not.
    pub fn open(self) -> Result<Device, ComputeError> {
        match self {
            Self::Cpu => Ok(Device::Cpu),
            // Not `cuda_if_available`: candle calls CUDA available wherever it was compiled in, with or
            // without a GPU.
            Self::Auto => Ok(Device::new_cuda(0).unwrap_or(Device::Cpu)),
            Self::Cuda(index) => Device::new_cuda(index).map_err(|e| ComputeError::DeviceUnavailable {
                device: self.to_string(),
                reason: if cfg!(feature = "cuda") {
                    e.to_string()
                } else {
                    "this program was built without the feature `cuda`".into()
                },
            }),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(index) => write!(f, "cuda:{index}"),
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = ComputeError;

    fn from_str(name: &str) -> Result<Self, ComputeError> {
        match name {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            _ => {
                let index = name.strip_prefix("cuda:").and_then(|n| n.parse().ok());
                index.map(Self::Cuda).ok_or_else(|| ComputeError::UnknownDevice(name.to_owned()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for choice in [DeviceChoice::Auto, DeviceChoice::Cpu, DeviceChoice::Cuda(0), DeviceChoice::Cuda(3)] {
            assert_eq!(choice.to_string().parse::<DeviceChoice>().expect("its own name"), choice);
        }
        let error = "cuda:x".parse::<DeviceChoice>().expect_err("not a number").to_string();
        assert!(error.contains("cuda:x") && error.contains("cuda:1"), "{error}");
    }

    #[test]
    fn auto_always_works() {
        assert!(DeviceChoice::Auto.open().is_ok());
    }

    #[cfg(not(feature = "cuda"))]
    #[test]
    fn a_gpu_by_name_is_not_replaced_by_the_cpu() {
        let error = DeviceChoice::Cuda(0).open().expect_err("built without CUDA").to_string();
        assert!(error.contains("feature `cuda`"), "{error}");
    }
}

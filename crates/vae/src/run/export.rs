//! Exports: weights in half precision, and only what is needed to use and to evaluate them.

use std::path::Path;

use candle_core::safetensors::load_buffer;
use candle_core::{DType, Device, Tensor};

use super::create::Content;
use super::files::{EXPORTED, STATE, checksum, locate};
use super::{ExportRecord, Run, Weights};
use crate::error::VaeError;

/// A finished export.
#[derive(Clone, Debug)]
pub struct Export {
    /// The size of the weights in bytes.
    pub bytes: usize,
    /// CRC-32 of the weights.
    pub checksum: String,
}

impl Run {
    /// Exports the run to another folder. `replace`: even if there is an export already.
    pub fn export(&self, which: Weights, folder: &Path, replace: bool) -> Result<Export, VaeError> {
        let name = folder.display();
        let refuse = |reason: String| Err(VaeError::Run(reason));
        if self.is_export() {
            return refuse(format!("{} is an export already", self.folder.display()));
        }
        // An export that is damaged may be replaced as well.
        let trained = |name: &str| locate(folder, name).exists();
        let export = || Run::open(folder).map_or_else(|_| trained(EXPORTED), |there| there.is_export());
        if Run::exists(folder) && (trained(STATE) || !export()) {
            return refuse(format!(
                "{name} contains a training, which an export would destroy: name another folder"
            ));
        }
        if Run::exists(folder) && !replace {
            return refuse(format!(
                "{name} contains an export: replace it with --force, or name another folder"
            ));
        }
        let mut tensors: Vec<(String, Tensor)> = load_buffer(&self.weights(which)?, &Device::Cpu)?
            .into_iter()
            .map(|(name, tensor)| Ok((name, tensor.to_dtype(DType::F16)?)))
            .collect::<Result<_, VaeError>>()?;
        // Sorted, so that a run always gives the same bytes.
        tensors.sort_by(|a, b| a.0.cmp(&b.0));
        let weights = safetensors::serialize(tensors, None).map_err(candle_core::Error::wrap)?;
        let checksum = checksum(&weights);
        let (data, embedding) = (self.dataset()?, self.embedding()?);
        let content = Content {
            data: &data,
            data_name: &self.about.data,
            embedding: embedding.as_deref(),
            from: self.about.from.clone(),
            export: Some(ExportRecord { epochs: self.epochs()?, weights: checksum.clone() }),
            files: vec![(EXPORTED.to_owned(), &weights)],
        };
        let (_, lock) = Run::create_with(folder, &self.config, content, replace)?;
        lock.remove(folder);
        Ok(Export { bytes: weights.len(), checksum })
    }
}

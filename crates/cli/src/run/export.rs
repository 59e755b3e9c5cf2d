//! Runs to pass on: weights in half precision, and no more than it takes to use and to measure them.

use std::path::Path;

use anyhow::{Context, Result, bail};
use candle_core::safetensors::load_buffer;
use candle_core::{DType, Device, Tensor};

use crate::args::WhichWeights;
use crate::run::{EXPORTED, Export, Run, is_run};

impl Run {
    /// Whether this is an export.
    pub fn is_export(&self) -> bool {
        self.export.is_some()
    }

    /// Writes an export into a folder; gives the size and the checksum of its weights.
    pub fn export(&self, which: WhichWeights, folder: &Path, force: bool) -> Result<(usize, String)> {
        if self.is_export() {
            bail!("{} is an export already", self.folder.display());
        }
        if is_run(folder) && !Run::open(folder).is_ok_and(|there| there.is_export()) {
            bail!(
                "{} holds a training, which an export would end for good: name another folder",
                folder.display()
            );
        }
        if is_run(folder) && !force {
            bail!("{} holds an export: replace it with --force, or name another folder", folder.display());
        }
        let mut tensors: Vec<(String, Tensor)> = load_buffer(&self.weights(which)?, &Device::Cpu)?
            .into_iter()
            .map(|(name, tensor)| Ok((name, tensor.to_dtype(DType::F16)?)))
            .collect::<Result<_>>()?;
        // One order, so that one run gives the same bytes each time.
        tensors.sort_by(|a, b| a.0.cmp(&b.0));
        let weights = safetensors::serialize(tensors, None).context("writing the weights")?;
        let checksum = format!("{:08x}", crc32fast::hash(&weights));
        let export = Export { epochs: self.epochs()?, weights: checksum.clone() };
        let copy = Run {
            folder: folder.to_owned(),
            config: self.config.clone(),
            data: self.data.clone(),
            embedding: self.embedding.clone(),
            export: Some(export),
        };
        let about = self.about()?;
        let (_, lock) = copy.create_with(&about.data, force, about.from, &[(EXPORTED, &weights)])?;
        drop(lock);
        std::fs::remove_file(folder.join(super::LOCK)).ok();
        Ok((weights.len(), checksum))
    }
}

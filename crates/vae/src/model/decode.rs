//! Decoding: from latent vectors to formulae.

use std::sync::{Mutex, PoisonError};

use candle_core::{DType, Device};
use logicvae_kernel::Embedding;
use logicvae_logic::Formula;
use rand_chacha::ChaCha8Rng;

use super::{Codes, Model};
use crate::decoder::generate::{Decoded, Decoding, generate};
use crate::error::VaeError;
use crate::random::{Purpose, generator, shuffle};

impl Model {
    /// Decodes latent vectors: for each row, the distinct results. A beam lists them by probability, sampling
    /// by frequency.
    ///
    /// If a conditional model samples and has `candidates` above 1, each decoding is the one of that many
    /// samples whose meaning is closest to the condition.
    ///
    /// ```
    /// use candle_core::{DType, Device, Tensor};
    /// use logicvae_vae::{Codes, Config, Decoding, Model};
    /// let model = Model::new(&Config::preset("tiny").unwrap())?;
    /// let z = Tensor::zeros((3, model.config().latent), DType::F32, &Device::Cpu)?;
    /// let decoded = model.decode(&Codes::unconditional(z)?, Decoding::Beam { width: 5 })?;
    /// assert!(decoded.iter().all(|list| list[0].log_probability >= list[4].log_probability));
    /// # Ok::<(), logicvae_vae::VaeError>(())
    /// ```
    pub fn decode(&self, codes: &Codes, decoding: Decoding) -> Result<Vec<Vec<Decoded>>, VaeError> {
        self.decode_with_progress(codes, decoding, |_| {})
    }

    /// Decodes latent vectors. `progress` receives the number of rows done.
    pub(crate) fn decode_with_progress(
        &self,
        codes: &Codes,
        decoding: Decoding,
        progress: impl FnMut(usize) + Send,
    ) -> Result<Vec<Vec<Decoded>>, VaeError> {
        let progress = Mutex::new((0, progress));
        let count = || {
            let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
            let (done, report) = &mut *progress;
            *done += 1;
            report(*done);
        };
        let (Decoding::Sampled { samples, temperature, top_k, seed }, Some(semantics), 2.., Some(vectors)) =
            (decoding, &self.semantics, self.config.candidates, codes.conditions.vectors())
        else {
            return self.decode_rows(codes, decoding, |_, list| {
                count();
                Ok(list)
            });
        };
        let candidates = self.config.candidates;
        let more = Decoding::Sampled { samples: samples * candidates, temperature, top_k, seed };
        let wanted: Vec<Vec<f64>> = vectors.to_dtype(DType::F64)?.to_device(&Device::Cpu)?.to_vec2()?;
        self.decode_rows(codes, more, |row, list| {
            let distances = semantic_distances(&semantics.embedding, &list, &wanted[row])?;
            let kept =
                keep_nearest(list, &distances, candidates, generator(seed, Purpose::Candidates, row as u64));
            count();
            Ok(kept)
        })
    }

    /// Decodes latent vectors. `finish` receives each row with what was decoded from it, and returns what is
    /// kept of it.
    fn decode_rows(
        &self,
        codes: &Codes,
        decoding: Decoding,
        finish: impl Fn(usize, Vec<Decoded>) -> Result<Vec<Decoded>, VaeError> + Sync,
    ) -> Result<Vec<Vec<Decoded>>, VaeError> {
        decoding.check()?;
        match *codes.z.dims() {
            [0, _] => return Ok(Vec::new()),
            [_, width] if width == self.config.latent => {}
            ref other => {
                let latent = self.config.latent;
                return Err(VaeError::Input(format!(
                    "the latent vectors are {other:?}, but this model needs {latent} numbers per row"
                )));
            }
        }
        let z = codes.z.to_dtype(self.dtype())?.to_device(self.device())?;
        let latent = self.with_conditions(&z, &codes.conditions)?;
        let latent: Vec<f32> =
            latent.to_dtype(DType::F32)?.to_device(&Device::Cpu)?.flatten_all()?.to_vec1()?;
        let goals = self.goals(&codes.conditions)?;
        let weights = self.generation.get(&self.decoder, &self.from_latent)?;
        generate(&self.config, &weights, &latent, &goals, decoding, finish)
    }
}

/// Groups samples at random, and keeps the nearest of each group.
fn keep_nearest(list: Vec<Decoded>, distances: &[f64], group: usize, mut rng: ChaCha8Rng) -> Vec<Decoded> {
    // Samples are independent, so any order is as good as the one in which they were made.
    let mut order: Vec<usize> =
        list.iter().enumerate().flat_map(|(i, d)| std::iter::repeat_n(i, d.count)).collect();
    shuffle(&mut rng, &mut order);
    let mut counts = vec![0; list.len()];
    for group in order.chunks(group) {
        let nearest = group.iter().min_by(|&&a, &&b| distances[a].total_cmp(&distances[b]));
        nearest.into_iter().for_each(|&i| counts[i] += 1);
    }
    let kept = list.into_iter().zip(counts).filter(|(_, count)| *count > 0);
    let mut kept: Vec<Decoded> = kept.map(|(decoded, count)| Decoded { count, ..decoded }).collect();
    // Stable: among equally frequent ones, the first stays first.
    kept.sort_by_key(|decoded| std::cmp::Reverse(decoded.count));
    kept
}

/// The squared distance of each decoding's semantic vector from the requested one; infinite if it is not a
/// formula.
fn semantic_distances(embedding: &Embedding, list: &[Decoded], wanted: &[f64]) -> Result<Vec<f64>, VaeError> {
    let formulae: Vec<Formula> = list.iter().filter_map(|d| d.formula.clone()).collect();
    let vectors = embedding.transform(&formulae)?;
    let mut distances = vectors
        .rows()
        .into_iter()
        .map(|v| v.iter().zip(wanted).map(|(a, b)| (a - b) * (a - b)).sum::<f64>())
        .collect::<Vec<f64>>()
        .into_iter();
    let distance = |d: &Decoded| d.formula.as_ref().and_then(|_| distances.next()).unwrap_or(f64::INFINITY);
    Ok(list.iter().map(distance).collect())
}

#[cfg(test)]
mod tests {
    use candle_core::Tensor;

    use super::*;
    use crate::config::Config;

    #[test]
    fn weights_that_training_has_changed_are_not_kept() {
        for preset in ["tiny", "best-3"] {
            let model = Model::new(&Config::preset(preset).unwrap()).unwrap();
            let z = Tensor::zeros((4, model.config().latent), DType::F32, &Device::Cpu).unwrap();
            let codes = Codes::unconditional(z).unwrap();
            let before = model.decode(&codes, Decoding::Greedy).unwrap();
            assert_eq!(model.decode(&codes, Decoding::Greedy).unwrap(), before);
            for (_, var) in model.trained() {
                var.set(&(var.as_tensor() * 0.5).unwrap()).unwrap();
            }
            let after = model.decode(&codes, Decoding::Greedy).unwrap();
            assert_ne!(after, before, "{preset}");
            // A model that has kept nothing.
            let fresh = Model { generation: Default::default(), ..model };
            assert_eq!(fresh.decode(&codes, Decoding::Greedy).unwrap(), after, "{preset}");
        }
    }
}

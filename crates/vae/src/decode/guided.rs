//! Decodings that are held against the meaning that was asked for.

use candle_core::{DType, Device, Tensor};
use logicvae_kernel::Embedding;
use logicvae_logic::Formula;
use rayon::prelude::*;

use crate::decode::{Decoded, Decoding};
use crate::error::VaeError;
use crate::model::Model;
use crate::random::{Purpose, generator, shuffle};

impl Model {
    /// [Decodes](Model::decode) latent vectors as the settings want it: where types are drawn, each decoding is that of
    /// `model.candidates` formulae whose semantic vector is nearest to the context. Without a context, with one candidate, and
    /// where nothing is drawn, it is plain decoding.
    pub fn decode_guided(
        &self,
        z: &Tensor,
        context: Option<(&Tensor, &Embedding)>,
        decoding: Decoding,
    ) -> Result<Vec<Vec<Decoded>>, VaeError> {
        let candidates = self.config().candidates;
        let y = context.map(|(y, _)| y);
        let (Decoding::Sampled { samples, temperature, top_k, seed }, Some((context, embedding)), 2..) =
            (decoding, context, candidates)
        else {
            return self.decode(z, y, decoding);
        };
        let drawn =
            self.decode(z, y, Decoding::Sampled { samples: samples * candidates, temperature, top_k, seed })?;
        let context: Vec<Vec<f64>> = context.to_dtype(DType::F64)?.to_device(&Device::Cpu)?.to_vec2()?;
        let guided = drawn.into_par_iter().zip(&context).enumerate().map(|(vector, (list, wanted))| {
            let far = distances(embedding, &list, wanted)?;
            // Draws are independent of each other, so any order of them is as good as that in which they were made.
            let mut draws: Vec<usize> =
                list.iter().enumerate().flat_map(|(at, d)| std::iter::repeat_n(at, d.count)).collect();
            shuffle(&mut generator(seed, Purpose::Candidates, vector as u64), &mut draws);
            let mut counts = vec![0; list.len()];
            for group in draws.chunks(candidates) {
                let nearest = group.iter().min_by(|&&a, &&b| far[a].total_cmp(&far[b]));
                nearest.into_iter().for_each(|&at| counts[at] += 1);
            }
            let kept = list.into_iter().zip(counts).filter(|(_, count)| *count > 0);
            let mut kept: Vec<Decoded> = kept.map(|(decoded, count)| Decoded { count, ..decoded }).collect();
            // Stable: of equally frequent ones the first stays first.
            kept.sort_by_key(|decoded| std::cmp::Reverse(decoded.count));
            Ok(kept)
        });
        guided.collect()
    }
}

/// How far each decoding is from what was wanted; infinitely, if it is no formula.
fn distances(embedding: &Embedding, list: &[Decoded], wanted: &[f64]) -> Result<Vec<f64>, VaeError> {
    let formulae: Vec<Formula> = list.iter().filter_map(|d| d.formula.clone()).collect();
    let vectors = embedding.transform(&formulae)?;
    let mut far =
        vectors.rows().into_iter().map(|v| v.iter().zip(wanted).map(|(a, b)| (a - b) * (a - b)).sum::<f64>());
    Ok(list.iter().map(|d| d.formula.as_ref().and_then(|_| far.next()).unwrap_or(f64::INFINITY)).collect())
}

//! Does a conditional model say what it was asked for?

use candle_core::Tensor;
use logicvae_kernel::{Embedding, Form, Kernel, PAPER_SIGMA2};
use logicvae_logic::Formula;
use serde::Serialize;

use crate::context::context_of;
use crate::decode::Decoding;
use crate::error::VaeError;
use crate::measures::{Protocol, mean, quartiles};
use crate::model::Model;
use crate::random::{Purpose, generator, normal, seed};

/// How near decodings are to the meaning that was asked for. For each context, prior samples are decoded several times
/// each, and the most frequent formula of each sample is kept; the measures are over these, and not numbers if there are none.
#[derive(Clone, Debug, Serialize)]
pub struct Conditional {
    /// The distance (L2) of kept formulae's semantic vectors from the context.
    pub semantic_distance: f64,
    /// Its quartiles over contexts.
    pub semantic_distance_quartiles: [f64; 3],
    /// The plain kernel between kept formulae of one context, over all pairs of two different samples (the paper's measure,
    /// but for pairs of a sample with itself, which its code includes). 0.8 means that two agree on 90 % of assignments.
    pub kernel: f64,
    /// Its quartiles over contexts.
    pub kernel_quartiles: [f64; 3],
    /// The same by the Gaussian kernel, with the paper's σ².
    pub gaussian_kernel: f64,
    /// Its quartiles over contexts.
    pub gaussian_kernel_quartiles: [f64; 3],
    /// The plain kernel between kept formulae and the formula that the context is of.
    pub target_kernel: f64,
    /// The share of kept formulae that agree with it at all assignments of the embedding's measure: that are equivalent to it,
    /// where the measure is exact.
    pub target_equivalent: f64,
    /// The distance of each context, for confidence intervals.
    pub distances: Vec<f64>,
    /// The kernel of each context.
    pub kernels: Vec<f64>,
    /// The Gaussian kernel of each context.
    pub gaussian_kernels: Vec<f64>,
}

/// Decodes prior samples for the context of each formula (of the first ones, as many as the protocol says).
pub fn conditional(
    model: &Model,
    formulae: &[Formula],
    embedding: &Embedding,
    protocol: &Protocol,
    mut progress: impl FnMut(usize),
) -> Result<Conditional, VaeError> {
    let formulae = &formulae[..protocol.contexts.min(formulae.len())];
    let contexts = context_of(embedding, formulae, model.dtype(), model.device())?;
    let wanted = embedding.transform(formulae)?;
    let measure = embedding.domain();
    let plain = Kernel::new(measure.clone(), Form::Plain)?;
    let gaussian = Form::Gaussian { sigma2: PAPER_SIGMA2 };
    let (mut distances, mut kernels, mut gaussians) = (Vec::new(), Vec::new(), Vec::new());
    let (mut target, mut equivalent, mut kept_in_all) = (0.0, 0.0, 0.0);
    for (number, formula) in formulae.iter().enumerate() {
        let rows = protocol.context_samples;
        let context = contexts.index_select(&Tensor::new(vec![number as u32; rows], model.device())?, 0)?;
        let mut rng = generator(protocol.seed, Purpose::Prior, 1 << 40 | number as u64);
        let noise = normal(&mut rng, rows, model.config().latent, model.dtype(), model.device())?;
        let z = model.prior(rows, Some(&context))?.sample(protocol.prior_noise, &noise)?;
        let from = seed(protocol.seed, Purpose::Decodings).wrapping_add(1 << 40 | number as u64);
        let decoded = model.decode_guided(
            &z,
            Some((&context, embedding)),
            Decoding::samples(protocol.context_decodings, from),
        )?;
        let kept: Vec<Formula> =
            decoded.into_iter().filter_map(|list| list.into_iter().find_map(|d| d.formula)).collect();
        progress(number + 1);
        if kept.is_empty() {
            continue;
        }
        let vectors = embedding.transform(&kept)?;
        let far = vectors.rows().into_iter().map(|v| (&v - &wanted.row(number)).mapv(|d| d * d).sum().sqrt());
        distances.push(mean(&far.collect::<Vec<f64>>()));
        for value in plain.cross(std::slice::from_ref(formula), &kept)? {
            target += value;
            equivalent += f64::from(u8::from(value == 1.0));
            kept_in_all += 1.0;
        }
        if kept.len() > 1 {
            let gram = plain.gram(&kept)?;
            let pairs = (kept.len() * (kept.len() - 1)) as f64;
            let others = |form: &dyn Fn(f64) -> f64| {
                gram.indexed_iter().filter(|((i, j), _)| i != j).map(|(_, &k)| form(k)).sum::<f64>() / pairs
            };
            kernels.push(others(&|k| k));
            gaussians.push(others(&|k| gaussian.of(k)));
        }
    }
    Ok(Conditional {
        semantic_distance: mean(&distances),
        semantic_distance_quartiles: quartiles(&distances),
        kernel: mean(&kernels),
        kernel_quartiles: quartiles(&kernels),
        gaussian_kernel: mean(&gaussians),
        gaussian_kernel_quartiles: quartiles(&gaussians),
        target_kernel: target / kept_in_all,
        target_equivalent: equivalent / kept_in_all,
        distances,
        kernels,
        gaussian_kernels: gaussians,
    })
}

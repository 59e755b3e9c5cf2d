//! Does a conditional model express the requested meaning?

use logicvae_kernel::{Form, Kernel, PAPER_SIGMA2};
use logicvae_logic::Formula;
use serde::Serialize;

use super::{Protocol, mean, quartiles};
use crate::decoder::generate::Decoding;
use crate::error::VaeError;
use crate::model::{Codes, Model};
use crate::random::{Purpose, generator, normal, seed};

/// How close decodings are to the requested meaning. For each condition, prior samples are decoded several
/// times each, and the most frequent formula of each sample is kept. The metrics are computed over these
/// formulae, and are NaN if there are none.
#[derive(Clone, Debug, Serialize)]
pub struct Conditional {
    /// The Euclidean distance of the kept formulae's semantic vectors from the condition.
    pub semantic_distance: f64,
    /// Its quartiles over conditions.
    pub semantic_distance_quartiles: [f64; 3],
    /// The plain kernel between kept formulae of one condition, over all pairs of different samples. The
    /// paper's code also includes pairs of a sample with itself. 0.8 means that two formulae agree on 90 % of
    /// the assignments.
    pub kernel: f64,
    /// Its quartiles over conditions.
    pub kernel_quartiles: [f64; 3],
    /// The same for the Gaussian kernel, with the paper's σ².
    pub gaussian_kernel: f64,
    /// Its quartiles over conditions.
    pub gaussian_kernel_quartiles: [f64; 3],
    /// The plain kernel between kept formulae and the formula whose meaning is the condition.
    pub target_kernel: f64,
    /// The fraction of kept formulae that agree with it at all assignments of the embedding's domain. If the
    /// domain is exact, they are equivalent to it.
    pub target_equivalent: f64,
    /// The distance for each condition, for confidence intervals.
    pub distances: Vec<f64>,
    /// The kernel for each condition.
    pub kernels: Vec<f64>,
    /// The Gaussian kernel for each condition.
    pub gaussian_kernels: Vec<f64>,
}

/// Decodes prior samples under the condition of each formula, up to the number in the protocol. `progress`
/// receives the number of conditions done.
pub fn conditional(
    model: &Model,
    formulae: &[Formula],
    protocol: &Protocol,
    mut progress: impl FnMut(usize),
) -> Result<Conditional, VaeError> {
    let formulae = &formulae[..protocol.contexts.min(formulae.len())];
    let Some(embedding) = model.embedding() else {
        return Err(VaeError::Input("this metric needs a conditional model".into()));
    };
    let conditions = model.conditions_of(formulae)?;
    let wanted = embedding.transform(formulae)?;
    let plain = Kernel::new(embedding.domain().clone(), Form::Plain)?;
    let gaussian = Form::Gaussian { sigma2: PAPER_SIGMA2 };
    let (mut distances, mut kernels, mut gaussians) = (Vec::new(), Vec::new(), Vec::new());
    let (mut target, mut equivalent, mut kept_in_all) = (0.0, 0.0, 0.0);
    for (number, formula) in formulae.iter().enumerate() {
        let rows = protocol.context_samples;
        let condition = conditions.select(&vec![number; rows])?;
        let mut rng = generator(protocol.seed, Purpose::Prior, 1 << 40 | number as u64);
        let noise = normal(&mut rng, rows, model.config().latent, model.dtype(), model.device())?;
        let z = model.prior(&condition)?.sample(protocol.prior_noise, &noise)?;
        let from = seed(protocol.seed, Purpose::Decodings).wrapping_add(1 << 40 | number as u64);
        let codes = Codes { z, conditions: condition };
        let decoded = model.decode(&codes, Decoding::samples(protocol.context_decodings, from))?;
        let kept: Vec<Formula> =
            decoded.into_iter().filter_map(|list| list.into_iter().find_map(|d| d.formula)).collect();
        if kept.is_empty() {
            progress(number + 1);
            continue;
        }
        let vectors = embedding.transform(&kept)?;
        let distance =
            vectors.rows().into_iter().map(|v| (&v - &wanted.row(number)).mapv(|d| d * d).sum().sqrt());
        distances.push(mean(&distance.collect::<Vec<f64>>()));
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
            gaussians.push(others(&|k| gaussian.apply(k)));
        }
        progress(number + 1);
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

//! Random numbers by purpose. Each use has its own generator, derived from the seed and a position such as
//! the epoch and the step. Training that resumes after an interruption therefore draws the same numbers as
//! without it.

use candle_core::{DType, Device, Result, Tensor};
use logicvae_logic::{GOLDEN_GAMMA, uniform};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// What numbers are drawn for. The values are part of the seed, so they must not change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// The order of formulae in an epoch.
    Order = 1,
    /// The noise of a training step.
    Noise = 2,
    /// Symmetries and swapped children.
    Children = 3,
    /// Fresh formulae.
    Fresh = 4,
    /// The noise of a validation.
    Validation = 5,
    /// Posterior samples of a metric.
    Posterior = 6,
    /// Prior samples of a metric.
    Prior = 7,
    /// Decodings of a metric.
    Decodings = 8,
    /// The size of formulae during the curriculum, and their variables.
    Curriculum = 9,
    /// Crossover between training formulae.
    Crossover = 10,
    /// The assignment of draws to candidates for one decoding.
    Candidates = 11,
    /// The noise when hard examples are selected.
    HardExamples = 12,
    /// Which training formulae are used as given.
    AsGiven = 13,
}

/// The seed of a generator for this purpose.
pub(crate) fn seed(seed: u64, purpose: Purpose) -> u64 {
    seed ^ (purpose as u64).wrapping_mul(GOLDEN_GAMMA)
}

/// The generator of one position of a purpose.
pub(crate) fn generator(from: u64, purpose: Purpose, position: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed(from, purpose));
    rng.set_stream(position);
    rng
}

/// Standard normal numbers, by the Box-Muller method.
pub(crate) fn normal(
    rng: &mut ChaCha8Rng,
    rows: usize,
    columns: usize,
    dtype: DType,
    device: &Device,
) -> Result<Tensor> {
    let mut values = Vec::with_capacity(rows * columns + 1);
    while values.len() < rows * columns {
        let radius = (-2.0 * (1.0 - uniform(rng)).ln()).sqrt();
        let (sin, cos) = (std::f64::consts::TAU * uniform(rng)).sin_cos();
        values.extend([(radius * cos) as f32, (radius * sin) as f32]);
    }
    values.truncate(rows * columns);
    Tensor::from_vec(values, (rows, columns), &Device::Cpu)?.to_dtype(dtype)?.to_device(device)
}

/// Shuffles a list.
pub(crate) fn shuffle<T>(rng: &mut ChaCha8Rng, list: &mut [T]) {
    for i in (1..list.len()).rev() {
        list.swap(i, (uniform(rng) * (i + 1) as f64) as usize);
    }
}

/// One number for an item of an epoch: a step or a formula.
pub(crate) fn position(epoch: usize, item: usize) -> u64 {
    (epoch as u64) << 32 | item as u64
}

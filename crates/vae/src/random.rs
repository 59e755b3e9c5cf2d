//! Random numbers by purpose: each use has a generator of its own, made from the seed and where it stands, so that a
//! training that goes on after a stop draws what it would have drawn.

use candle_core::{DType, Device, Result, Tensor};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// What numbers are drawn for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// The order of formulae in an epoch.
    Order = 1,
    /// The noise of a training step.
    Noise = 2,
    /// The exchange of children.
    Children = 3,
    /// Fresh formulae.
    Fresh = 4,
    /// The noise of a validation.
    Validation = 5,
    /// Posterior samples of a measure.
    Posterior = 6,
    /// Prior samples of a measure.
    Prior = 7,
    /// Decodings of a measure.
    Decodings = 8,
    /// The size of fresh formulae while they grow, and their variables.
    Curriculum = 9,
    /// The exchange of parts between training formulae.
    Crossing = 10,
    /// Which draws are candidates for one decoding.
    Candidates = 11,
    /// The noise with which it is asked which formulae are hardest.
    Focus = 12,
}

/// A seed for another generator.
pub(crate) fn seed(seed: u64, purpose: Purpose) -> u64 {
    seed ^ (purpose as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A generator for one place of one purpose.
pub(crate) fn generator(from: u64, purpose: Purpose, place: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed(from, purpose));
    rng.set_stream(place);
    rng
}

/// Between 0 and 1, without 1.
pub(crate) fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    logicvae_logic::uniform(rng)
}

/// Standard normal numbers, by the method of Box and Muller.
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

/// Puts a list into random order.
pub(crate) fn shuffle<T>(rng: &mut ChaCha8Rng, list: &mut [T]) {
    for i in (1..list.len()).rev() {
        list.swap(i, (uniform(rng) * (i + 1) as f64) as usize);
    }
}

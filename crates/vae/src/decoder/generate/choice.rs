//! Choosing the type of the next node.

use logicvae_gnn::Vocabulary;
use logicvae_logic::uniform;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The most probable of the allowed classes.
pub(super) fn greedy(log_probabilities: &[f32], allowed: impl Fn(usize) -> bool) -> usize {
    let mut best = None;
    for (class, &p) in log_probabilities.iter().enumerate().filter(|(class, _)| allowed(*class)) {
        if best.is_none_or(|(_, top)| p > top) {
            best = Some((class, p));
        }
    }
    // At least a leaf is always allowed.
    best.map_or(log_probabilities.len() - 1, |(class, _)| class)
}

/// How classes are sampled.
#[derive(Clone, Copy)]
pub(super) struct Sampling {
    pub temperature: f64,
    pub top_k: Option<usize>,
}

impl Sampling {
    /// Unnormalised probabilities of all classes: 0 for those that are not allowed or not among the `top_k`.
    pub fn weights(&self, log_probabilities: &[f32], allowed: impl Fn(usize) -> bool, to: &mut Vec<f64>) {
        to.clear();
        // Relative to the most probable class, which is what remains at a temperature near 0.
        let best = f64::from(log_probabilities[greedy(log_probabilities, &allowed)]);
        to.extend(log_probabilities.iter().enumerate().map(|(class, &p)| match allowed(class) {
            true => (f64::from(p) - best) / self.temperature,
            false => f64::NEG_INFINITY,
        }));
        if let Some(k) = self.top_k.filter(|&k| k < to.len()) {
            let mut order: Vec<usize> = (0..to.len()).collect();
            // Among equals, the first.
            order.sort_by(|&a, &b| to[b].total_cmp(&to[a]));
            order[k..].iter().for_each(|&class| to[class] = f64::NEG_INFINITY);
        }
        let top = to.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        to.iter_mut().for_each(|w| *w = (*w - top).exp());
    }
}

/// Samples a class by weights that need not sum to 1.
pub(super) fn sample(rng: &mut ChaCha8Rng, weights: &[f64]) -> usize {
    let total: f64 = weights.iter().sum();
    let mut rest = total * uniform(rng);
    let mut last = 0;
    for (class, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        last = class;
        if rest < weight {
            break;
        }
        rest -= weight;
    }
    last
}

/// The generator of one decoding of one vector.
pub(super) fn generator(seed: u64, vector: usize, sample: usize) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream((vector as u64) << 24 | sample as u64);
    rng
}

/// The number of children of a class.
pub(super) fn arity(class: usize) -> usize {
    match class as u32 + Vocabulary::AND {
        Vocabulary::AND | Vocabulary::OR => 2,
        Vocabulary::NOT => 1,
        _ => 0,
    }
}

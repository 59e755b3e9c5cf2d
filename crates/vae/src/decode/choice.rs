//! Which type comes next.

use logicvae_gnn::Vocabulary;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// log softmax, in place.
pub(super) fn log_softmax(logits: &mut [f32]) {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|&x| (x - top).exp()).sum();
    let shift = top + sum.ln();
    logits.iter_mut().for_each(|x| *x -= shift);
}

/// The most probable class among those that are offered.
pub(super) fn greedy(chances: &[f32], offered: impl Fn(usize) -> bool) -> usize {
    let mut best = None;
    for (class, &chance) in chances.iter().enumerate().filter(|(class, _)| offered(*class)) {
        if best.is_none_or(|(_, top)| chance > top) {
            best = Some((class, chance));
        }
    }
    // Something is always offered; a leaf at least.
    best.map_or(chances.len() - 1, |(class, _)| class)
}

/// How classes are drawn.
#[derive(Clone, Copy)]
pub(super) struct Drawing {
    pub temperature: f64,
    pub top_k: Option<usize>,
}

impl Drawing {
    /// The probability of each class: of those that are offered, and of those only the most probable if so wanted.
    pub fn weights(&self, chances: &[f32], offered: impl Fn(usize) -> bool, to: &mut Vec<f64>) {
        to.clear();
        // From the most probable down, so that a temperature near 0 leaves that one.
        let best = f64::from(chances[greedy(chances, &offered)]);
        to.extend(chances.iter().enumerate().map(|(class, &chance)| match offered(class) {
            true => (f64::from(chance) - best) / self.temperature,
            false => f64::NEG_INFINITY,
        }));
        if let Some(k) = self.top_k.filter(|&k| k < to.len()) {
            let mut order: Vec<usize> = (0..to.len()).collect();
            // Of equals the first.
            order.sort_by(|&a, &b| to[b].total_cmp(&to[a]));
            order[k..].iter().for_each(|&class| to[class] = f64::NEG_INFINITY);
        }
        let top = to.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        to.iter_mut().for_each(|w| *w = (*w - top).exp());
    }
}

/// Draws a class by weights that need not sum to 1.
pub(super) fn draw(rng: &mut ChaCha8Rng, weights: &[f64]) -> usize {
    let total: f64 = weights.iter().sum();
    let mut rest = total * logicvae_logic::uniform(rng);
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

/// How many children a class's type has.
pub(super) fn arity(class: usize) -> usize {
    match class as u32 + Vocabulary::AND {
        Vocabulary::AND | Vocabulary::OR => 2,
        Vocabulary::NOT => 1,
        _ => 0,
    }
}

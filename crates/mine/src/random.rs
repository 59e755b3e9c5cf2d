//! Random choices, from one generator per task.

use logicvae_logic::{mix64, uniform};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The generator of one task: it depends on the seed and the task's numbers only.
pub(crate) fn generator(seed: u64, task: u64, number: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(mix64(mix64(seed).wrapping_add(task)).wrapping_add(mix64(number)))
}

/// A number below `count`, which must not be 0.
pub(crate) fn below(rng: &mut ChaCha8Rng, count: usize) -> usize {
    ((uniform(rng) * count as f64) as usize).min(count.saturating_sub(1))
}

/// The number of successes in `trials` independent trials. Beyond [`MANY`] expected ones, from the normal
/// distribution with the same mean and variance: the time is bounded, however heavy a row is.
pub(crate) fn binomial(rng: &mut ChaCha8Rng, trials: u64, probability: f64) -> u64 {
    if probability > 0.5 {
        return trials - binomial(rng, trials, 1.0 - probability);
    }
    let mean = trials as f64 * probability;
    if probability <= 0.0 {
        return 0;
    }
    if mean > MANY {
        return rounded(mean + (mean * (1.0 - probability)).sqrt() * normal(rng), 0, trials);
    }
    // The failures before each success have a geometric distribution.
    let (mut at, mut successes) = (0.0, 0);
    loop {
        at += (-exponential(rng) / (-probability).ln_1p()).floor() + 1.0;
        if at > trials as f64 {
            return successes;
        }
        successes += 1;
    }
}

/// The number of marked items among `drawn` ones of `total`, of which `marked` are marked. Beyond [`MANY`]
/// draws, from the normal distribution.
pub(crate) fn hypergeometric(rng: &mut ChaCha8Rng, drawn: u64, marked: u64, total: u64) -> u64 {
    let (fewest, most) = ((drawn + marked).saturating_sub(total), drawn.min(marked));
    if drawn as f64 > MANY {
        let share = marked as f64 / total as f64;
        let rest = (total - drawn) as f64 / (total as f64 - 1.0).max(1.0);
        let variance = drawn as f64 * share * (1.0 - share) * rest;
        return rounded(drawn as f64 * share + variance.sqrt() * normal(rng), fewest, most);
    }
    let mut found = 0;
    for number in 0..drawn {
        let open = (total - number) as f64;
        found += u64::from(uniform(rng) * open < (marked - found) as f64);
    }
    found.clamp(fewest, most)
}

/// Above this number, counts are drawn from the normal distribution.
const MANY: f64 = 4096.0;

/// A number from the standard normal distribution, by Box and Muller.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (2.0 * exponential(rng)).sqrt() * (std::f64::consts::TAU * uniform(rng)).cos()
}

fn rounded(value: f64, fewest: u64, most: u64) -> u64 {
    (value.round().max(0.0) as u64).clamp(fewest, most)
}

/// A number from the exponential distribution.
pub(crate) fn exponential(rng: &mut ChaCha8Rng) -> f64 {
    -(1.0 - uniform(rng)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_the_right_mean_and_variance() {
        let rng = &mut generator(1, 2, 3);
        for (trials, probability) in [(40, 0.1), (40, 0.8), (100_000, 0.4), (1 << 40, 0.3)] {
            check(|| binomial(rng, trials, probability), trials as f64, probability, 1.0);
        }
        for (drawn, marked, total) in [(30, 20, 60), (30_000, 20_000, 60_000)] {
            let share = marked as f64 / total as f64;
            let rest = (total - drawn) as f64 / (total as f64 - 1.0);
            check(|| hypergeometric(rng, drawn, marked, total), drawn as f64, share, rest);
        }
        assert_eq!(hypergeometric(rng, 5, 5, 5), 5);
        assert_eq!((binomial(rng, 9, 0.0), binomial(rng, 9, 1.0)), (0, 9));
    }

    fn check(mut draw: impl FnMut() -> u64, trials: f64, share: f64, rest: f64) {
        const DRAWS: usize = 4000;
        let list: Vec<f64> = (0..DRAWS).map(|_| draw() as f64).collect();
        let (mean, variance) = (trials * share, trials * share * (1.0 - share) * rest);
        let found = list.iter().sum::<f64>() / DRAWS as f64;
        assert!((found - mean).abs() < 5.0 * (variance / DRAWS as f64).sqrt() + 1e-9, "{found} {mean}");
        let spread = list.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / DRAWS as f64;
        assert!((spread / variance - 1.0).abs() < 0.15, "{spread} {variance}");
    }
}

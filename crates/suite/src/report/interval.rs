//! Confidence intervals: by bootstrap where every draw has a number, by Wilson's formula where only a
//! proportion is known.

use logicvae_logic::{GOLDEN_GAMMA, mix64};

/// How often a list is resampled.
const RESAMPLES: usize = 2000;

/// The 95 % percentile bootstrap interval of a statistic. The same list always gives the same interval.
pub fn bootstrap(list: &[f64], statistic: impl Fn(&mut [f64]) -> f64) -> Option<(f64, f64)> {
    if list.len() < 2 {
        return None;
    }
    let mut state = 0x5eed_u64;
    let mut statistics: Vec<f64> = Vec::with_capacity(RESAMPLES);
    let mut resampled = vec![0.0; list.len()];
    for _ in 0..RESAMPLES {
        for value in &mut resampled {
            *value = list[(split_mix(&mut state) % list.len() as u64) as usize];
        }
        statistics.push(statistic(&mut resampled));
    }
    statistics.sort_by(f64::total_cmp);
    Some((statistics[RESAMPLES / 40], statistics[RESAMPLES - 1 - RESAMPLES / 40]))
}

/// Wilson's 95 % interval of a proportion in so many independent draws. It is conservative if each draw is
/// itself a proportion, such as that of ten decodings: among variables between 0 and 1 with a given mean,
/// those that only take the values 0 and 1 vary most.
pub fn wilson(proportion: f64, draws: f64) -> (f64, f64) {
    const Z: f64 = 1.96;
    let middle = proportion + Z * Z / (2.0 * draws);
    let half = Z * (proportion * (1.0 - proportion) / draws + Z * Z / (4.0 * draws * draws)).sqrt();
    let scale = 1.0 + Z * Z / draws;
    // Rounding must not make the interval of a zero proportion negative.
    (((middle - half) / scale).max(0.0), ((middle + half) / scale).min(1.0))
}

/// The next number of SplitMix64, which is good enough for drawing with replacement.
fn split_mix(state: &mut u64) -> u64 {
    let drawn = mix64(*state);
    *state = state.wrapping_add(GOLDEN_GAMMA);
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bootstrap_agrees_with_theory() {
        // A coin thrown 400 times: the standard deviation of the mean is 0.025.
        let list: Vec<f64> = (0..400).map(|i| f64::from(i % 2)).collect();
        let mean = |list: &mut [f64]| list.iter().sum::<f64>() / list.len() as f64;
        let (low, high) = bootstrap(&list, mean).unwrap();
        assert!((high - low - 2.0 * 1.96 * 0.025).abs() < 0.012, "{low} to {high}");
        assert!(low < 0.5 && 0.5 < high);
        assert_eq!(bootstrap(&list, mean), Some((low, high)));
        assert_eq!(bootstrap(&[1.0], mean), None);
    }

    #[test]
    fn wilson_agrees_with_published_values() {
        // One success in ten draws.
        let (low, high) = wilson(0.1, 10.0);
        assert!((low - 0.0179).abs() < 1e-4 && (high - 0.4042).abs() < 1e-4, "{low} to {high}");
        assert_eq!(wilson(0.0, 20.0).0, 0.0);
        // If all draws succeed, the lower end is n / (n + z²).
        let (low, high) = wilson(1.0, 1000.0);
        let wanted = 1000.0 / (1000.0 + 1.96 * 1.96);
        assert!((low - wanted).abs() < 1e-12 && (high - 1.0).abs() < 1e-12, "{low} to {high}");
    }
}

//! Confidence intervals by bootstrap, where every draw has a number. Where only a proportion is known,
//! Wilson's formula of `logicvae-logic` is used.

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
}

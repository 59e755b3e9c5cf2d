//! Confidence intervals by resampling.

/// How often a list is drawn again.
const TIMES: usize = 2000;

/// The 95 % interval of a statistic of a list, by the percentiles of resampled lists. The same list gives the same interval.
pub fn interval(list: &[f64], statistic: impl Fn(&mut [f64]) -> f64) -> Option<(f64, f64)> {
    if list.len() < 2 {
        return None;
    }
    let mut state = 0x5eed_u64;
    let mut found: Vec<f64> = Vec::with_capacity(TIMES);
    let mut drawn = vec![0.0; list.len()];
    for _ in 0..TIMES {
        drawn.iter_mut().for_each(|value| *value = list[(next(&mut state) % list.len() as u64) as usize]);
        found.push(statistic(&mut drawn));
    }
    found.sort_by(f64::total_cmp);
    Some((found[TIMES / 40], found[TIMES - 1 - TIMES / 40]))
}

/// SplitMix64: enough for drawing with replacement, and no dependency.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

pub fn mean(list: &mut [f64]) -> f64 {
    list.iter().sum::<f64>() / list.len() as f64
}

/// With linear interpolation between neighbours.
pub fn quantile(list: &mut [f64], q: f64) -> f64 {
    list.sort_by(f64::total_cmp);
    let at = q * (list.len() - 1) as f64;
    let (low, share) = (at.floor() as usize, at.fract());
    list[low] + share * (list[(low + 1).min(list.len() - 1)] - list[low])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_has_the_width_that_theory_gives() {
        // A coin thrown 400 times: the mean's standard deviation is 0.025.
        let list: Vec<f64> = (0..400).map(|i| f64::from(i % 2)).collect();
        let (low, high) = interval(&list, mean).unwrap();
        assert!((high - low - 2.0 * 1.96 * 0.025).abs() < 0.012, "{low} to {high}");
        assert!(low < 0.5 && 0.5 < high);
        assert_eq!(interval(&list, mean), Some((low, high)));
        assert_eq!(interval(&[1.0], mean), None);
    }

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(quantile(&mut [4.0, 1.0, 3.0, 2.0], 0.5), 2.5);
        assert_eq!(quantile(&mut [1.0, 2.0, 3.0], 0.25), 1.5);
    }
}

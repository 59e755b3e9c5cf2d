//! Confidence intervals: by resampling where there is a number for each draw, by a formula where there is only a share.

/// How often a list is drawn again.
const TIMES: usize = 2000;

/// The 95 % interval of a statistic of a list, by the percentiles of resampled lists. The same list gives the same interval.
pub fn bootstrap(list: &[f64], statistic: impl Fn(&mut [f64]) -> f64) -> Option<(f64, f64)> {
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

/// Wilson's 95 % interval of a share that was found in so many independent draws. Where a draw is itself a share, such as that
/// of ten decodings, it is rather too wide: nothing between 0 and 1 varies more than what is one or the other.
pub fn wilson(share: f64, draws: f64) -> (f64, f64) {
    const Z: f64 = 1.96;
    let middle = share + Z * Z / (2.0 * draws);
    let half = Z * (share * (1.0 - share) / draws + Z * Z / (4.0 * draws * draws)).sqrt();
    let scale = 1.0 + Z * Z / draws;
    // Rounding must not make a share of nothing negative.
    (((middle - half) / scale).max(0.0), ((middle + half) / scale).min(1.0))
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
    fn resampling_gives_the_width_that_theory_gives() {
        // A coin thrown 400 times: the mean's standard deviation is 0.025.
        let list: Vec<f64> = (0..400).map(|i| f64::from(i % 2)).collect();
        let (low, high) = bootstrap(&list, mean).unwrap();
        assert!((high - low - 2.0 * 1.96 * 0.025).abs() < 0.012, "{low} to {high}");
        assert!(low < 0.5 && 0.5 < high);
        assert_eq!(bootstrap(&list, mean), Some((low, high)));
        assert_eq!(bootstrap(&[1.0], mean), None);
    }

    #[test]
    fn a_share_has_wilsons_interval() {
        // Of ten draws one: the value that tables give.
        let (low, high) = wilson(0.1, 10.0);
        assert!((low - 0.0179).abs() < 1e-4 && (high - 0.4042).abs() < 1e-4, "{low} to {high}");
        assert_eq!(wilson(0.0, 20.0).0, 0.0);
        // All of them says something too: the lower end is n / (n + z²).
        let (low, high) = wilson(1.0, 1000.0);
        assert!(
            (low - 1000.0 / (1000.0 + 1.96 * 1.96)).abs() < 1e-12 && (high - 1.0).abs() < 1e-12,
            "{low} to {high}"
        );
    }

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(quantile(&mut [4.0, 1.0, 3.0, 2.0], 0.5), 2.5);
        assert_eq!(quantile(&mut [1.0, 2.0, 3.0], 0.25), 1.5);
    }
}

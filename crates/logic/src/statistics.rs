//! Quantiles, intervals and correlations.

/// Quantiles by linear interpolation between order statistics, NumPy's default. Sorts `values` in place. An
/// empty list gives NaN.
///
/// ```
/// let mut list = [4.0, 1.0, 2.0];
/// assert_eq!(logicvae_logic::quantiles(&mut list, [0.25, 0.5]), [1.5, 2.0]);
/// ```
pub fn quantiles<const N: usize>(values: &mut [f64], at: [f64; N]) -> [f64; N] {
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return [f64::NAN; N] };
    at.map(|q| {
        let position = q * last as f64;
        let (low, share) = (position.floor() as usize, position.fract());
        values[low] + share * (values[(low + 1).min(last)] - values[low])
    })
}

/// Wilson's 95 % interval of a proportion in so many independent draws. It is conservative if each draw is
/// itself a proportion, such as that of ten decodings: among variables between 0 and 1 with a given mean,
/// those that only take the values 0 and 1 vary most.
///
/// ```
/// let (low, high) = logicvae_logic::wilson_interval(0.5, 100.0);
/// assert!((low - 0.4038).abs() < 1e-4 && (high - 0.5962).abs() < 1e-4);
/// ```
pub fn wilson_interval(proportion: f64, draws: f64) -> (f64, f64) {
    const Z: f64 = 1.96;
    let middle = proportion + Z * Z / (2.0 * draws);
    let half = Z * (proportion * (1.0 - proportion) / draws + Z * Z / (4.0 * draws * draws)).sqrt();
    let scale = 1.0 + Z * Z / draws;
    // Rounding must not make the interval of a zero proportion negative.
    (((middle - half) / scale).max(0.0), ((middle + half) / scale).min(1.0))
}

/// Pearson's correlation of two lists of equal length.
pub fn pearson(a: &[f64], b: &[f64]) -> f64 {
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sum =
        |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(x, y)| f(x - mean_a, y - mean_b)).sum::<f64>();
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

/// Spearman's rank correlation: Pearson's correlation of the ranks, where equal values share their mean rank.
///
/// ```
/// let correlation = logicvae_logic::spearman(&[1.0, 2.0, 3.0], &[9.0, 4.0, 1.0]);
/// assert!((correlation + 1.0).abs() < 1e-12);
/// ```
pub fn spearman(a: &[f64], b: &[f64]) -> f64 {
    pearson(&ranks(a), &ranks(b))
}

/// Ranks; equal values share their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let mean = first as f64 + (group.len() - 1) as f64 / 2.0;
        group.iter().for_each(|&at| ranks[at] = mean);
        first += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_agrees_with_published_values() {
        // One success in ten draws.
        let (low, high) = wilson_interval(0.1, 10.0);
        assert!((low - 0.0179).abs() < 1e-4 && (high - 0.4042).abs() < 1e-4, "{low} to {high}");
        assert_eq!(wilson_interval(0.0, 20.0).0, 0.0);
        // If all draws succeed, the lower end is n / (n + z²).
        let (low, high) = wilson_interval(1.0, 1000.0);
        let wanted = 1000.0 / (1000.0 + 1.96 * 1.96);
        assert!((low - wanted).abs() < 1e-12 && (high - 1.0).abs() < 1e-12, "{low} to {high}");
    }

    #[test]
    fn rank_correlation_of_known_lists() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [2.5, 0.0, 2.5, 1.0]);
        // By hand: ranks 0 1 2 3 and 1 0 3 2.
        assert!((spearman(&[1.0, 2.0, 3.0, 4.0], &[2.0, 1.0, 4.0, 3.0]) - 0.6).abs() < 1e-12);
    }
}

//! Quantiles and intervals.

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
}

//! Quantiles.

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

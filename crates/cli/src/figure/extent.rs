//! The range of an axis that shows given numbers.

use std::ops::Range;

/// The range of the numbers, widened on both sides by the share `margin` of its length. It is never empty.
pub fn extent(values: impl Iterator<Item = f64>, margin: f64) -> Range<f64> {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return 0.0..1.0;
    }
    // Numbers that are equal, up to rounding, are in the middle of a range as long as their absolute value.
    let equal = high - low <= 1e-9 * low.abs().max(high.abs());
    let padding = if equal { low.abs().max(1.0) / 2.0 } else { margin * (high - low) };
    low - padding..high + padding
}

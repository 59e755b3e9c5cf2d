//! How far numbers reach, which becomes an axis.

use std::ops::Range;

/// The range of the numbers, widened by a part of itself; never empty.
pub fn extent(values: impl Iterator<Item = f64>, margin: f64) -> Range<f64> {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return 0.0..1.0;
    }
    // Equal numbers stand in the middle of a range of their own size, and so do those that differ by rounding alone.
    let equal = high - low <= 1e-9 * low.abs().max(high.abs());
    let spare = if equal { low.abs().max(1.0) / 2.0 } else { margin * (high - low) };
    low - spare..high + spare
}

//! Loops over rows of numbers, compiled for the vector instructions of the machine.

use crate::buffer::Buffer;
use crate::real::Real;

/// Runs a loop compiled for the machine's widest vectors. The closure and everything that it calls must be
/// marked `#[inline(always)]`: code that is not inlined is not recompiled.
#[inline(always)]
pub fn simd<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// Row `i` of a matrix with rows of `width` numbers.
#[inline(always)]
pub fn row<T>(data: &[T], i: usize, width: usize) -> &[T] {
    &data[i * width..(i + 1) * width]
}

/// Row `i` of a mutable matrix.
#[inline(always)]
pub fn row_mut<T>(data: &mut [T], i: usize, width: usize) -> &mut [T] {
    &mut data[i * width..(i + 1) * width]
}

/// `to += a * x`.
#[inline(always)]
pub fn add_scaled<T: Real>(to: &mut [T], a: T, x: &[T]) {
    for (to, &x) in to.iter_mut().zip(x) {
        *to += a * x;
    }
}

/// The scalar product. It keeps sixteen partial sums, added in a fixed order, so that it can use vectors.
#[inline(always)]
pub fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::constant(0.0); 16];
    let (a_blocks, a_rest) = a.as_chunks::<16>();
    let (b_blocks, b_rest) = b.as_chunks::<16>();
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for i in 0..16 {
            sums[i] += a[i] * b[i];
        }
    }
    let mut total = T::constant(0.0);
    for (&a, &b) in a_rest.iter().zip(b_rest) {
        total += a * b;
    }
    sums.into_iter().fold(total, |t, s| t + s)
}

/// Adds the sum of all rows to `to`.
pub fn add_rows<T: Real>(to: &mut [T], data: &[T], stride: usize) {
    simd(
        #[inline(always)]
        || {
            for line in data.chunks_exact(stride) {
                add_scaled(to, T::constant(1.0), &line[..to.len()]);
            }
        },
    );
}

/// The transpose of several matrices of `rows` rows each, stacked on top of each other.
pub fn transposed<T: Real>(parts: &[&[T]], rows: usize) -> Buffer<T> {
    // The lines of a tile stay in the first-level cache while they are filled. Numbers are moved one at a
    // time: a vector assembled from single numbers has to wait for each of them.
    const TILE: usize = 16;
    let stride = parts.len() * rows;
    let mut out = Buffer::unset(parts.iter().map(|part| part.len()).sum());
    for (number, data) in parts.iter().enumerate() {
        let columns = data.len() / rows.max(1);
        let out = &mut out[number * rows..];
        for top in (0..rows).step_by(TILE) {
            for left in (0..columns).step_by(TILE) {
                for r in top..(top + TILE).min(rows) {
                    for c in left..(left + TILE).min(columns) {
                        out[c * stride + r] = data[r * columns + c];
                    }
                }
            }
        }
    }
    out
}

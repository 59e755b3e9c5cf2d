//! Loops over rows of numbers, compiled for the vector instructions that the machine has.

use crate::fused::pool::Buffer;
use crate::fused::real::Real;

/// Runs a loop compiled for the machine's widest vectors. What it calls must be inlined to profit.
#[inline(always)]
pub(super) fn simd<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// Row `i` of a matrix with rows of `width` numbers.
#[inline(always)]
pub(super) fn row<T>(data: &[T], i: usize, width: usize) -> &[T] {
    &data[i * width..(i + 1) * width]
}

/// Row `i`, to be written.
#[inline(always)]
pub(super) fn row_mut<T>(data: &mut [T], i: usize, width: usize) -> &mut [T] {
    &mut data[i * width..(i + 1) * width]
}

/// `to += a * x`.
#[inline(always)]
pub(super) fn add_scaled<T: Real>(to: &mut [T], a: T, x: &[T]) {
    for (to, &x) in to.iter_mut().zip(x) {
        *to += a * x;
    }
}

/// The scalar product, in sixteen sums that are added in a fixed order, so that it can use vectors.
#[inline(always)]
pub(super) fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::of(0.0); 16];
    let (a_blocks, a_rest) = a.as_chunks::<16>();
    let (b_blocks, b_rest) = b.as_chunks::<16>();
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for i in 0..16 {
            sums[i] += a[i] * b[i];
        }
    }
    let mut total = T::of(0.0);
    for (&a, &b) in a_rest.iter().zip(b_rest) {
        total += a * b;
    }
    sums.into_iter().fold(total, |t, s| t + s)
}

/// Adds the sum of all rows to `to`.
pub(super) fn add_rows<T: Real>(to: &mut [T], data: &[T], stride: usize) {
    simd(|| {
        for line in data.chunks_exact(stride) {
            add_scaled(to, T::of(1.0), &line[..to.len()]);
        }
    });
}

/// Matrices of `rows` rows each, one below the other, with rows and columns exchanged.
pub(super) fn transposed<T: Real>(parts: &[&[T]], rows: usize) -> Buffer<T> {
    let stride = parts.len() * rows;
    let mut out = Buffer::unset(parts.iter().map(|part| part.len()).sum());
    simd(|| {
        for (number, part) in parts.iter().enumerate() {
            transpose(&mut out[number * rows..], stride, part, rows);
        }
    });
    out
}

/// Writes columns of `data`, `rows` numbers each, to the beginnings of rows of `stride` numbers.
#[inline(always)]
fn transpose<T: Real>(out: &mut [T], stride: usize, data: &[T], rows: usize) {
    // A tile's size is fixed, so that it is turned in registers.
    const TILE: usize = 8;
    let columns = data.len() / rows.max(1);
    let (whole_rows, whole_columns) = (rows - rows % TILE, columns - columns % TILE);
    for left in (0..whole_columns).step_by(TILE) {
        for top in (0..whole_rows).step_by(TILE) {
            let mut tile = [[T::of(0.0); TILE]; TILE];
            for (r, line) in tile.iter_mut().enumerate() {
                line.copy_from_slice(&data[(top + r) * columns + left..][..TILE]);
            }
            for c in 0..TILE {
                let line: [T; TILE] = std::array::from_fn(|r| tile[r][c]);
                out[(left + c) * stride + top..][..TILE].copy_from_slice(&line);
            }
        }
    }
    for r in 0..rows {
        let rest = if r < whole_rows { whole_columns } else { 0 };
        for c in rest..columns {
            out[c * stride + r] = data[r * columns + c];
        }
    }
}

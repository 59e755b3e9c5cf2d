//! The passes with a model of the instructions in plain Rust, as the processor's manual defines them. With
//! it, packing and the division into tiles are tested on machines without a matrix unit.

use super::passes::passes;
use super::{BLOCK, DEPTH, Operand, Output, TILE, Tiles};

type Floats = [f32; TILE];
type Words = [u32; TILE];

passes!();

fn zero() -> Words {
    [0; TILE]
}

unsafe fn load(mask: u16, at: *const f32) -> Floats {
    // SAFETY: the caller guarantees that the numbers of the mask can be read.
    std::array::from_fn(|i| if mask >> i & 1 == 1 { unsafe { at.add(i).read() } } else { 0.0 })
}

unsafe fn store(at: *mut f32, mask: u16, numbers: Floats) {
    for (i, number) in numbers.into_iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1) {
        // SAFETY: the caller guarantees that the numbers of the mask can be written.
        unsafe { at.add(i).write(number) };
    }
}

unsafe fn store_words(at: *mut f32, words: Words) {
    assert!(at.cast::<[u8; 64]>().align_offset(64) == 0, "tiles are aligned to cache lines");
    // SAFETY: the caller guarantees room.
    unsafe { at.cast::<Words>().write(words) };
}

fn sum(a: Floats, b: Floats) -> Floats {
    std::array::from_fn(|i| a[i] + b[i])
}

fn even_odd(first: Floats, second: Floats) -> (Floats, Floats) {
    let all: Vec<f32> = first.into_iter().chain(second).collect();
    (std::array::from_fn(|i| all[2 * i]), std::array::from_fn(|i| all[2 * i + 1]))
}

/// VCVTNEPS2BF16: rounds to the nearest bf16, ties to even. Tiny numbers count as zero.
fn round(x: f32) -> u32 {
    if x.is_subnormal() {
        return (x.to_bits() >> 31) << 15;
    }
    let bits = x.to_bits();
    (bits + 0x7fff + (bits >> 16 & 1)) >> 16
}

fn cut(even: Floats, odd: Floats) -> (Words, Words) {
    let parts = |x: f32| {
        let high = round(x);
        (high, round(x - f32::from_bits(high << 16)))
    };
    let high = std::array::from_fn(|i| parts(even[i]).0 | parts(odd[i]).0 << 16);
    let low = std::array::from_fn(|i| parts(even[i]).1 | parts(odd[i]).1 << 16);
    (high, low)
}

fn transpose(rows: &mut [Words; TILE]) {
    *rows = std::array::from_fn(|i| std::array::from_fn(|j| rows[j][i]));
}

unsafe fn configure() {}

unsafe fn release() {}

/// A tile register: 16 rows of 16 words.
type Register = [Words; TILE];

/// TILELOADD with rows of 64 bytes.
unsafe fn tile_load(at: *const f32) -> Register {
    // SAFETY: the caller guarantees a whole tile.
    unsafe { at.cast::<Register>().read() }
}

/// TDPBF16PS: adds the products of pairs, in the order of `k`.
fn tile_multiply(to: &mut [Floats; TILE], a: &Register, b: &Register) {
    let part = |word: u32, odd: bool| f32::from_bits(if odd { word & 0xffff_0000 } else { word << 16 });
    for (row, to) in to.iter_mut().enumerate() {
        for (k, b) in b.iter().enumerate() {
            for (column, to) in to.iter_mut().enumerate() {
                for odd in [false, true] {
                    *to = part(a[row][k], odd).mul_add(part(b[column], odd), *to);
                }
            }
        }
    }
}

/// The products of some panels of rows and two panels of columns, in the order of the assembly.
unsafe fn panels(a: &[*const f32], b: [*const f32; 2], tiles: usize, to: *mut f32) {
    for (i, &a) in a.iter().enumerate() {
        for (j, b) in b.into_iter().enumerate() {
            let mut result = [[0.0; TILE]; TILE];
            for step in 0..tiles {
                // SAFETY: the caller guarantees `tiles` pairs in each panel.
                let (a_high, a_low, b_high, b_low) = unsafe {
                    let (a, b) = (a.add(step * super::PAIR), b.add(step * super::PAIR));
                    let low = super::PAIR / 2;
                    (tile_load(a), tile_load(a.add(low)), tile_load(b), tile_load(b.add(low)))
                };
                tile_multiply(&mut result, &a_high, &b_high);
                tile_multiply(&mut result, &a_low, &b_high);
                tile_multiply(&mut result, &a_high, &b_low);
            }
            // SAFETY: the caller guarantees room for two tiles for each panel of rows.
            unsafe { to.add((2 * i + j) * TILE * TILE).cast::<[Floats; TILE]>().write(result) };
        }
    }
}

unsafe fn two_by_two(
    a0: *const f32,
    a1: *const f32,
    b0: *const f32,
    b1: *const f32,
    tiles: usize,
    to: *mut f32,
) {
    // SAFETY: as the caller guarantees.
    unsafe { panels(&[a0, a1], [b0, b1], tiles, to) };
}

unsafe fn one_by_two(a0: *const f32, b0: *const f32, b1: *const f32, tiles: usize, to: *mut f32) {
    // SAFETY: as the caller guarantees.
    unsafe { panels(&[a0], [b0, b1], tiles, to) };
}

//! The passes with the instructions of the processor. Rust has no stable intrinsics for the matrix unit,
//! hence the assembly.

use std::arch::asm;
use std::arch::x86_64::*;

use super::passes::passes;
use super::{BLOCK, DEPTH, Operand, Output, TILE, Tiles};

type Floats = __m512;
type Words = __m512i;

passes!(#[target_feature(enable = "avx512f,avx512bf16")]);

#[inline]
#[target_feature(enable = "avx512f")]
fn zero() -> Words {
    _mm512_setzero_si512()
}

/// The numbers whose bit in the mask is 1; the others are not read.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(mask: u16, at: *const f32) -> Floats {
    // SAFETY: the caller guarantees that the numbers of the mask can be read.
    unsafe { _mm512_maskz_loadu_ps(mask, at) }
}

/// Writes the numbers whose bit in the mask is 1.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store(at: *mut f32, mask: u16, numbers: Floats) {
    // SAFETY: the caller guarantees that the numbers of the mask can be written.
    unsafe { _mm512_mask_storeu_ps(at, mask, numbers) }
}

/// Writes 16 words, at an address that is aligned to a cache line.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store_words(at: *mut f32, words: Words) {
    // SAFETY: the caller guarantees room and alignment.
    unsafe { at.cast::<Words>().write(words) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn sum(a: Floats, b: Floats) -> Floats {
    _mm512_add_ps(a, b)
}

/// The numbers of two vectors at even and at odd places.
#[inline]
#[target_feature(enable = "avx512f")]
fn even_odd(first: Floats, second: Floats) -> (Floats, Floats) {
    let evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    let odds = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    (_mm512_permutex2var_ps(first, evens, second), _mm512_permutex2var_ps(first, odds, second))
}

/// Rounds two vectors to pairs of bf16, and the remainders to other pairs: the high and the low parts.
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
fn cut(even: __m512, odd: __m512) -> (__m512i, __m512i) {
    let round = |x: __m512| {
        // SAFETY: both types are 32 bytes of plain data.
        let halves = unsafe { std::mem::transmute::<__m256bh, __m256i>(_mm512_cvtneps_pbh(x)) };
        _mm512_cvtepu16_epi32(halves)
    };
    let pair = |even: __m512i, odd: __m512i| _mm512_or_si512(even, _mm512_slli_epi32::<16>(odd));
    let rest = |x: __m512, high: __m512i| {
        round(_mm512_sub_ps(x, _mm512_castsi512_ps(_mm512_slli_epi32::<16>(high))))
    };
    let (even_high, odd_high) = (round(even), round(odd));
    (pair(even_high, odd_high), pair(rest(even, even_high), rest(odd, odd_high)))
}

/// Transposes 16 by 16 words, exchanging blocks of one, two, four and eight words.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(rows: &mut [__m512i; TILE]) {
    let mut t = *rows;
    for i in (0..TILE).step_by(2) {
        t[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
    }
    // Each quarter of u[4i + j] holds column 4q + j of rows 4i to 4i + 3.
    let mut u = t;
    for i in (0..TILE).step_by(4) {
        u[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
        u[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        u[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
        u[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    for j in 0..4 {
        let (a, b, c, d) = (u[j], u[4 + j], u[8 + j], u[12 + j]);
        let (ab_even, ab_odd) = (_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0xdd>(a, b));
        let (cd_even, cd_odd) = (_mm512_shuffle_i32x4::<0x88>(c, d), _mm512_shuffle_i32x4::<0xdd>(c, d));
        rows[j] = _mm512_shuffle_i32x4::<0x88>(ab_even, cd_even);
        rows[8 + j] = _mm512_shuffle_i32x4::<0xdd>(ab_even, cd_even);
        rows[4 + j] = _mm512_shuffle_i32x4::<0x88>(ab_odd, cd_odd);
        rows[12 + j] = _mm512_shuffle_i32x4::<0xdd>(ab_odd, cd_odd);
    }
}

/// Configures all eight tile registers as 16 rows of 64 bytes.
unsafe fn configure() {
    #[repr(align(64))]
    struct Layout([u8; 64]);
    static LAYOUT: Layout = {
        let mut bytes = [0; 64];
        bytes[0] = 1;
        let mut tile = 0;
        while tile < 8 {
            bytes[16 + 2 * tile] = 64;
            bytes[48 + tile] = TILE as u8;
            tile += 1;
        }
        Layout(bytes)
    };
    // SAFETY: the layout is valid for the unit, which the caller has found to be available.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &LAYOUT.0, options(nostack, readonly)) };
}

/// Releases the tile registers.
unsafe fn release() {
    // SAFETY: the caller has configured them.
    unsafe { asm!("tilerelease", options(nostack)) };
}

/// Multiplies two panels of rows by two panels of columns: four tiles of the result.
#[inline]
unsafe fn two_by_two(
    a0: *const f32,
    a1: *const f32,
    b0: *const f32,
    b1: *const f32,
    tiles: usize,
    to: *mut f32,
) {
    // SAFETY: the caller has configured the tiles, and guarantees `tiles` pairs in each panel and room in
    // `to`.
    unsafe {
        asm!(
            "tilezero tmm0", "tilezero tmm1", "tilezero tmm2", "tilezero tmm3",
            "2:",
            "tileloadd tmm4, [{a0} + {row}]", "tileloadd tmm6, [{b0} + {row}]", "tdpbf16ps tmm0, tmm4, tmm6",
            "tileloadd tmm7, [{b1} + {row}]", "tdpbf16ps tmm1, tmm4, tmm7",
            "tileloadd tmm5, [{a1} + {row}]", "tdpbf16ps tmm2, tmm5, tmm6", "tdpbf16ps tmm3, tmm5, tmm7",
            "tileloadd tmm4, [{a0} + {row} + 1024]",
            "tdpbf16ps tmm0, tmm4, tmm6", "tdpbf16ps tmm1, tmm4, tmm7",
            "tileloadd tmm5, [{a1} + {row} + 1024]",
            "tdpbf16ps tmm2, tmm5, tmm6", "tdpbf16ps tmm3, tmm5, tmm7",
            "tileloadd tmm4, [{a0} + {row}]",
            "tileloadd tmm6, [{b0} + {row} + 1024]", "tdpbf16ps tmm0, tmm4, tmm6",
            "tileloadd tmm7, [{b1} + {row} + 1024]", "tdpbf16ps tmm1, tmm4, tmm7",
            "tileloadd tmm5, [{a1} + {row}]", "tdpbf16ps tmm2, tmm5, tmm6", "tdpbf16ps tmm3, tmm5, tmm7",
            "add {a0}, 2048", "add {a1}, 2048", "add {b0}, 2048", "add {b1}, 2048",
            "dec {tiles}", "jnz 2b",
            "tilestored [{to} + {row}], tmm0", "tilestored [{to} + {row} + 1024], tmm1",
            "tilestored [{to} + {row} + 2048], tmm2", "tilestored [{to} + {row} + 3072], tmm3",
            a0 = inout(reg) a0 => _, a1 = inout(reg) a1 => _,
            b0 = inout(reg) b0 => _, b1 = inout(reg) b1 => _,
            tiles = inout(reg) tiles => _, row = in(reg) 64usize, to = in(reg) to,
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}

/// Multiplies one panel of rows by two panels of columns: two tiles of the result.
#[inline]
unsafe fn one_by_two(a0: *const f32, b0: *const f32, b1: *const f32, tiles: usize, to: *mut f32) {
    // SAFETY: the caller has configured the tiles, and guarantees `tiles` pairs in each panel and room in
    // `to`.
    unsafe {
        asm!(
            "tilezero tmm0", "tilezero tmm1",
            "2:",
            "tileloadd tmm4, [{a0} + {row}]", "tileloadd tmm6, [{b0} + {row}]", "tdpbf16ps tmm0, tmm4, tmm6",
            "tileloadd tmm7, [{b1} + {row}]", "tdpbf16ps tmm1, tmm4, tmm7",
            "tileloadd tmm5, [{a0} + {row} + 1024]",
            "tdpbf16ps tmm0, tmm5, tmm6", "tdpbf16ps tmm1, tmm5, tmm7",
            "tileloadd tmm6, [{b0} + {row} + 1024]", "tdpbf16ps tmm0, tmm4, tmm6",
            "tileloadd tmm7, [{b1} + {row} + 1024]", "tdpbf16ps tmm1, tmm4, tmm7",
            "add {a0}, 2048", "add {b0}, 2048", "add {b1}, 2048",
            "dec {tiles}", "jnz 2b",
            "tilestored [{to} + {row}], tmm0", "tilestored [{to} + {row} + 1024], tmm1",
            a0 = inout(reg) a0 => _, b0 = inout(reg) b0 => _, b1 = inout(reg) b1 => _,
            tiles = inout(reg) tiles => _, row = in(reg) 64usize, to = in(reg) to,
            out("tmm0") _, out("tmm1") _, out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}

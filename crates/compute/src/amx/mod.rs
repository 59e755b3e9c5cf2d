//! Products of `f32` matrices on the matrix unit (AMX) of recent x86 servers, which is several times as fast
//! as the vector unit.
//!
//! The unit multiplies 16-bit numbers (bf16) and accumulates in `f32`. Each number is therefore split into
//! two, `x = high + low`, and three of the four partial products are computed (`low · low` is below the
//! rounding error of the others). This gives 16 significant bits: fewer than the 24 of `f32`, but far more
//! than the 8 of bf16 training. Each entry is summed along `k` only, in an order that does not depend on the
//! other entries, so the bits of a result do not depend on how a product is divided into blocks of rows or
//! columns.
//!
//! Rust has no stable intrinsics for the unit, hence the assembly. All unsafe code is private to this module;
//! the methods of [`Packed`] check shapes before they call it.

#[cfg(test)]
mod tests;

use std::arch::asm;
use std::arch::x86_64::*;
use std::sync::OnceLock;

use faer::{Accum, MatMut, MatRef};

use crate::buffer::Buffer;

/// The number of rows of a tile; each row holds as many pairs of bf16.
const TILE: usize = 16;
/// The length of a tile along `k`, where it holds pairs.
const DEPTH: usize = 2 * TILE;
/// The length of a block along `k`: the tiles of two rows and two columns then fit into the L1 cache.
const BLOCK: usize = 8 * DEPTH;
/// The number of entries below which packing a factor does not pay off.
const WORTH_PACKING: usize = 1024;
/// The number of rows below which the vector unit is just as fast.
const MIN_ROWS: usize = 4;

/// Whether the processor has the unit and the operating system permits its use. Detected once.
fn available() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let vectors = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bf16");
        vectors && has_matrix_unit() && permitted()
    })
}

/// Whether the processor reports AMX-BF16 and AMX-TILE.
#[allow(unused_unsafe)] // Older compilers declare these intrinsics unsafe.
fn has_matrix_unit() -> bool {
    let flags = 1 << 22 | 1 << 24;
    // SAFETY: every x86-64 processor has the instruction CPUID, and leaf 7 is read only if it exists.
    unsafe { __cpuid(0).eax >= 7 && __cpuid_count(7, 0).edx & flags == flags }
}

/// Asks for the unit's registers: Linux grants them to a process only on request.
#[cfg(target_os = "linux")]
fn permitted() -> bool {
    const ARCH_REQ_XCOMP_PERM: libc::c_long = 0x1023;
    const TILE_DATA: libc::c_long = 18;
    // SAFETY: the call changes only this permission; a kernel that does not know it returns an error.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, TILE_DATA) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn permitted() -> bool {
    false
}

/// The second factor of a product, split into high and low parts and arranged in the order that the unit
/// reads.
pub struct Packed {
    tiles: Tiles,
    depth: usize,
    columns: usize,
}

impl Packed {
    /// Packs a matrix in row-major or column-major order. Returns `None` if the unit is not available, the
    /// matrix is too small to be worth it, or neither of its strides is 1.
    pub fn new(b: MatRef<'_, f32>) -> Option<Self> {
        let (depth, columns) = (b.nrows(), b.ncols());
        if depth * columns < WORTH_PACKING || !available() {
            return None;
        }
        let operand = Operand::new(b.as_ptr(), columns, depth, b.col_stride(), b.row_stride())?;
        let mut tiles = Tiles::new(columns, depth);
        // SAFETY: the unit is available, and the operand describes the matrix `b`.
        unsafe { operand.pack(0, depth, true, &mut tiles) };
        Some(Self { tiles, depth, columns })
    }

    /// Computes `to = a b` or `to += a b`. Returns `false` without computing anything if there are very few
    /// rows, if `to` is not row-major, or if `a` is neither row-major nor column-major.
    pub fn multiply(&self, to: &mut MatMut<'_, f32>, how: Accum, a: MatRef<'_, f32>) -> bool {
        let (rows, columns, depth) = (to.nrows(), to.ncols(), a.ncols());
        if rows < MIN_ROWS || to.col_stride() != 1 {
            return false;
        }
        assert!(
            a.nrows() == rows && depth == self.depth && columns == self.columns,
            "the shapes of the factors and the result do not match"
        );
        let Some(a) = Operand::new(a.as_ptr(), rows, depth, a.row_stride(), a.col_stride()) else {
            return false;
        };
        let mut tiles = Tiles::new(rows, BLOCK.min(depth));
        let result = Output { start: to.as_ptr_mut(), stride: to.row_stride(), rows, columns };
        // SAFETY: `self` exists, so the unit is available; the shapes of operands and result were checked
        // above.
        unsafe {
            configure();
            for from in (0..depth).step_by(BLOCK) {
                let length = BLOCK.min(depth - from);
                a.pack(from, length, false, &mut tiles);
                let add = from > 0 || matches!(how, Accum::Add);
                result.add_product(&tiles, &self.tiles, (from / DEPTH, length.div_ceil(DEPTH)), add);
            }
            asm!("tilerelease", options(nostack));
        }
        true
    }
}

/// Pairs of tiles, one for the high and one for the low parts. Pairs are contiguous along `k`, then along the
/// outer index.
struct Tiles {
    memory: Buffer<f32>,
    /// The index of the first number, which is aligned to a cache line.
    first: usize,
    /// The number of pairs along `k`.
    along: usize,
}

/// The size of a pair of tiles, in units of `f32`.
const PAIR: usize = 2 * TILE * TILE;

impl Tiles {
    /// Allocates an even number of tiles along the outer index, since products read two at a time.
    fn new(outer: usize, depth: usize) -> Self {
        let (along, across) = (depth.div_ceil(DEPTH), outer.div_ceil(TILE).next_multiple_of(2));
        let memory = Buffer::<f32>::unset(along * across * PAIR + TILE);
        let first = memory.as_ptr().align_offset(64);
        Self { memory, first, along }
    }

    /// A pointer to a pair of tiles.
    fn at(&self, outer: usize, step: usize) -> *const f32 {
        self.memory[self.first + (outer * self.along + step) * PAIR..][..PAIR].as_ptr()
    }

    fn at_mut(&mut self, outer: usize, step: usize) -> *mut f32 {
        self.memory[self.first + (outer * self.along + step) * PAIR..][..PAIR].as_mut_ptr()
    }
}

/// A factor of a product; `k` is its second index.
struct Operand {
    start: *const f32,
    outer: usize,
    depth: usize,
    /// The strides of the outer index and of `k`; one of them is 1.
    strides: (isize, isize),
}

impl Operand {
    fn new(
        start: *const f32,
        outer: usize,
        depth: usize,
        outer_stride: isize,
        depth_stride: isize,
    ) -> Option<Self> {
        (outer_stride == 1 || depth_stride == 1).then_some(Self {
            start,
            outer,
            depth,
            strides: (outer_stride, depth_stride),
        })
    }

    /// Packs `length` values of `k`, starting at `from`. `across`: as the second factor, whose tiles have `k`
    /// along their columns.
    #[target_feature(enable = "avx512f,avx512bf16")]
    unsafe fn pack(&self, from: usize, length: usize, across: bool, to: &mut Tiles) {
        debug_assert!(from + length <= self.depth);
        let along = self.strides.1 == 1;
        for tile in 0..self.outer.div_ceil(TILE) {
            let rows = TILE.min(self.outer - tile * TILE);
            for step in 0..length.div_ceil(DEPTH) {
                let k = from + step * DEPTH;
                let columns = DEPTH.min(from + length - k);
                let at = to.at_mut(tile, step).cast::<__m512i>();
                // SAFETY: the tile starts inside the matrix, masks keep every load inside it, and `to` has
                // room for the pair.
                unsafe {
                    let start = self
                        .start
                        .offset((tile * TILE) as isize * self.strides.0 + k as isize * self.strides.1);
                    let (mut high, mut low) = match along {
                        true => cut_along(start, self.strides.0, rows, columns),
                        false => cut_across(start, self.strides.1, rows, columns),
                    };
                    if along == across {
                        transpose(&mut high);
                        transpose(&mut low);
                    }
                    for (row, (high, low)) in high.into_iter().zip(low).enumerate() {
                        at.add(row).write(high);
                        at.add(TILE + row).write(low);
                    }
                }
            }
        }
    }
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

/// A tile whose `k` are contiguous in memory: one row per outer index.
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
unsafe fn cut_along(
    start: *const f32,
    stride: isize,
    rows: usize,
    columns: usize,
) -> ([__m512i; TILE], [__m512i; TILE]) {
    let zero = _mm512_setzero_si512();
    let (mut high, mut low) = ([zero; TILE], [zero; TILE]);
    let mask = (1u64 << columns) - 1;
    let evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    let odds = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    for row in 0..rows {
        // SAFETY: the caller guarantees that the tile is readable; masked lanes are not read.
        let (first, second) = unsafe {
            let at = start.offset(row as isize * stride);
            (
                _mm512_maskz_loadu_ps(mask as u16, at),
                _mm512_maskz_loadu_ps((mask >> TILE) as u16, at.wrapping_add(TILE)),
            )
        };
        (high[row], low[row]) =
            cut(_mm512_permutex2var_ps(first, evens, second), _mm512_permutex2var_ps(first, odds, second));
    }
    (high, low)
}

/// A tile whose outer indices are contiguous in memory: one row per pair of `k`.
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
unsafe fn cut_across(
    start: *const f32,
    stride: isize,
    rows: usize,
    columns: usize,
) -> ([__m512i; TILE], [__m512i; TILE]) {
    let zero = _mm512_setzero_si512();
    let (mut high, mut low) = ([zero; TILE], [zero; TILE]);
    let mask = ((1u32 << rows) - 1) as u16;
    for pair in 0..columns.div_ceil(2) {
        // SAFETY: the caller guarantees that the tile is readable; masked lanes are not read.
        let (even, odd) = unsafe {
            let at = start.offset(2 * pair as isize * stride);
            let odd_mask = if 2 * pair + 1 < columns { mask } else { 0 };
            (_mm512_maskz_loadu_ps(mask, at), _mm512_maskz_loadu_ps(odd_mask, at.wrapping_offset(stride)))
        };
        (high[pair], low[pair]) = cut(even, odd);
    }
    (high, low)
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

/// The memory of a result.
struct Output {
    start: *mut f32,
    stride: isize,
    rows: usize,
    columns: usize,
}

impl Output {
    /// Writes or adds a product, 32 rows by 32 columns at a time. `first` and `steps` are the first tile of
    /// the second factor's block along `k` and the number of its tiles.
    #[target_feature(enable = "avx512f")]
    unsafe fn add_product(&self, a: &Tiles, b: &Tiles, (first, steps): (usize, usize), add: bool) {
        #[repr(align(64))]
        struct Square([f32; 4 * TILE * TILE]);
        let mut square = Square([0.0; 4 * TILE * TILE]);
        for column in (0..self.columns).step_by(2 * TILE) {
            let (b0, b1) = (b.at(column / TILE, first), b.at(column / TILE + 1, first));
            for row in (0..self.rows).step_by(2 * TILE) {
                let a0 = a.at(row / TILE, 0);
                // SAFETY: each panel has `steps` pairs of tiles, the number of panels is even, and masks keep
                // loads and stores inside the result.
                unsafe {
                    if self.rows - row > TILE {
                        two_by_two(a0, a.at(row / TILE + 1, 0), b0, b1, steps, square.0.as_mut_ptr());
                    } else {
                        one_by_two(a0, b0, b1, steps, square.0.as_mut_ptr());
                    }
                    for i in 0..(2 * TILE).min(self.rows - row) {
                        let line = self.start.offset((row + i) as isize * self.stride).add(column);
                        let from = square.0.as_ptr().add((i / TILE * 2 * TILE + i % TILE) * TILE);
                        let left = self.columns - column;
                        for (half, left) in [(0, left), (1, left.saturating_sub(TILE))] {
                            let mask = if left >= TILE { !0 } else { (1u16 << left) - 1 };
                            let at = line.wrapping_add(half * TILE);
                            let mut value = _mm512_load_ps(from.add(half * TILE * TILE));
                            if add {
                                value = _mm512_add_ps(value, _mm512_maskz_loadu_ps(mask, at));
                            }
                            _mm512_mask_storeu_ps(at, mask, value);
                        }
                    }
                }
            }
        }
    }
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

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
//! The passes that pack factors and add products (`passes.rs`) are written once and compiled twice: for the
//! instructions of the processor (`hardware.rs`) and, in tests, for a model of these instructions in plain
//! Rust (`software.rs`), so that they are tested on every machine. All unsafe code is private to this
//! module; the methods of [`Packed`] check shapes before they call it.

mod hardware;
mod passes;
#[cfg(test)]
mod software;
#[cfg(test)]
mod tests;

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
        unsafe { hardware::pack(&operand, 0, depth, true, &mut tiles) };
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
        let result = Output { start: to.as_ptr_mut(), stride: to.row_stride(), rows, columns };
        // SAFETY: `self` exists, so the unit is available; the shapes of operands and result were checked
        // above.
        unsafe { hardware::multiply(&a, &self.tiles, &result, matches!(how, Accum::Add)) };
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

    /// A pointer to `steps` pairs of tiles that follow each other along `k`.
    fn at(&self, outer: usize, first: usize, steps: usize) -> *const f32 {
        assert!(first + steps <= self.along, "tiles beyond the end");
        self.memory[self.first + (outer * self.along + first) * PAIR..][..steps * PAIR].as_ptr()
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
}

/// The memory of a result.
struct Output {
    start: *mut f32,
    stride: isize,
    rows: usize,
    columns: usize,
}

//! Incorrect kernels that show that the shim detects their faults.

use crate::fibers::{Fault, Grid, launch, unwritten};

const THREADS: u32 = 64;
const GRIDS: [Grid; 2] = [Grid { blocks: 1, block: (THREADS, 1), shared: THREADS as usize }; 2];

unsafe extern "C" {
    fn faulty_sum(with_barrier: u32, x: *const f32, out: *mut f32);
    fn faulty_barrier(n: u32, out: *mut f32);
    fn faulty_shuffle(n: u32, out: *mut f32);
    fn faulty_bounds(n: u32, out: *mut f32);
    fn faulty_warp(out: *mut f32);
}

/// Sums 64 numbers in one block. Without the barrier the result is wrong.
pub fn sum(with_barrier: bool, x: &[f32; THREADS as usize]) -> Result<f32, Fault> {
    // SAFETY: 64 threads read 64 numbers, use 64 floats of shared memory, and one writes one number.
    let kernel = |[out]: [*mut f32; 1]| unsafe { faulty_sum(with_barrier.into(), x.as_ptr(), out) };
    launch(GRIDS, [unwritten(1)], kernel).map(|[out]| out[0])
}

/// Of 64 threads, all but the first `n` return before a barrier.
pub fn barrier(n: u32) -> Result<Vec<f32>, Fault> {
    // SAFETY: each of the 64 threads writes at most one number.
    launch(GRIDS, [unwritten(THREADS as usize)], |[out]| unsafe { faulty_barrier(n, out) }).map(|[out]| out)
}

/// Of 64 threads, all but the first `n` return before a shuffle.
pub fn shuffle(n: u32) -> Result<Vec<f32>, Fault> {
    // SAFETY: each of the 64 threads writes at most one number.
    launch(GRIDS, [unwritten(THREADS as usize)], |[out]| unsafe { faulty_shuffle(n, out) }).map(|[out]| out)
}

/// Writes `n + 1` numbers, one too many, where `n` is below 64.
pub fn bounds(n: u32) -> Result<Vec<f32>, Fault> {
    // SAFETY: the extra number falls into the margin that `launch` adds to every output.
    launch(GRIDS, [unwritten(n as usize)], |[out]| unsafe { faulty_bounds(n, out) }).map(|[out]| out)
}

/// Reads what another lane writes, without synchronisation.
pub fn warp() -> Result<Vec<f32>, Fault> {
    // SAFETY: each of the 64 threads writes one number of the output and one of 64 floats of shared memory.
    launch(GRIDS, [unwritten(THREADS as usize)], |[out]| unsafe { faulty_warp(out) }).map(|[out]| out)
}

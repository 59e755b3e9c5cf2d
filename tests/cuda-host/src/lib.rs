//! The CUDA kernels of `logicvae-gnn`, compiled for the host so that they can be run and tested without a
//! GPU.
//!
//! The file `kernels.cu` is compiled unchanged as C++, with a shim that runs the threads of a block as fibers
//! of one OS thread. Every function of [`sums`], [`gru`] and [`attention`] runs one kernel twice, in opposite
//! orders of threads and blocks and on grids of different sizes. Both results must have the same bits. This
//! detects missing barriers, barriers and shuffles that some threads skip, reads of uninitialised shared
//! memory, elements that are not written (they stay NaN), and writes beyond the end of an output.
//!
//! It cannot detect problems with the timing of real warps, with the memory order between concurrent blocks,
//! with the rounding of the device's `expf`, `tanhf` and fused multiply-add, with reads beyond the end of an
//! input, or with speed.

pub mod attention;
pub mod faulty;
mod fibers;
mod graph;
pub mod gru;
pub mod sums;

pub use fibers::Fault;
pub use graph::Csr;

/// A size as an argument of a kernel.
fn size(number: usize) -> u32 {
    u32::try_from(number).expect("a size below 2³²")
}

/// Checks the length of an array.
#[track_caller]
fn check(name: &str, array: &[f32], length: usize) {
    assert_eq!(array.len(), length, "the length of {name} is wrong");
}

/// The number of rows of an array.
#[track_caller]
fn rows(name: &str, array: &[f32], width: usize) -> usize {
    assert!(
        width > 0 && array.len().is_multiple_of(width),
        "the length of {name} is not a multiple of {width}"
    );
    array.len() / width
}

//! The CUDA kernels of `logicvae-gnn`, compiled for the host: a machine without a GPU can still run and test them.
//!
//! The file `kernels.cu` is compiled unchanged, as C++, with a shim that makes the threads of a block fibers of one OS
//! thread. Every function of [`sums`], [`gru`] and [`attention`] runs one kernel twice, in opposite orders of threads and
//! blocks and on grids of different sizes, and the two results must be the same bits. That finds a missing barrier, a
//! barrier or shuffle that some threads skip, shared memory read before it is written, elements that are not written (they
//! stay NaN), and writes behind the end of an output.
//!
//! What it cannot show: the timing of real warps, the order of memory between blocks that run at once, the rounding of the
//! device's own `expf` and `tanhf` and of its fused multiplications, reads behind the end of an input, and speed.

pub mod attention;
pub mod faulty;
mod fibers;
mod graph;
pub mod gru;
pub mod sums;

pub use fibers::Fault;
pub use graph::Csr;

/// A size as the kernels take it.
fn size(number: usize) -> u32 {
    u32::try_from(number).expect("sizes are below 2³²")
}

/// Checks the length of an array.
#[track_caller]
fn check(name: &str, array: &[f32], length: usize) {
    assert_eq!(array.len(), length, "length of {name}");
}

/// How many rows an array has.
#[track_caller]
fn rows(name: &str, array: &[f32], width: usize) -> usize {
    assert!(width > 0 && array.len().is_multiple_of(width), "{name} is not made of rows of {width}");
    array.len() / width
}

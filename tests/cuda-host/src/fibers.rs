//! Launching kernels on the scheduler in `shim/fibers.cpp`.

use std::ffi::{c_int, c_uint, c_void};

use thiserror::Error;

/// A fault of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// Some threads wait at a barrier that others never reach.
    #[error("threads wait at a barrier that other threads of the block never reach")]
    SkippedBarrier,
    /// Some lanes wait for a shuffle that others never reach.
    #[error("lanes wait for a shuffle that other lanes of the warp never reach")]
    SkippedShuffle,
    /// The result depends on the order of the threads.
    #[error("the result depends on the order in which threads run, or on the size of the grid")]
    Race,
    /// The kernel wrote beyond the end of an output.
    #[error("the kernel writes beyond the end of output {0}")]
    OutOfBounds(usize),
}

/// The numbers of blocks and threads, and the size of the dynamic shared memory.
#[derive(Clone, Copy)]
pub(crate) struct Grid {
    pub blocks: c_uint,
    /// The number of threads of a block in x and y.
    pub block: (c_uint, c_uint),
    /// The number of floats of dynamic shared memory.
    pub shared: usize,
}

impl Grid {
    /// Two grids of one-dimensional blocks. They are smaller than most inputs, so threads run several
    /// iterations.
    pub const LINES: [Self; 2] =
        [Self { blocks: 2, block: (64, 1), shared: 0 }, Self { blocks: 3, block: (96, 1), shared: 0 }];
}

unsafe extern "C" {
    fn cuda_host_run(
        blocks: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        shared_bytes: usize,
        descending: c_int,
        body: extern "C" fn(*mut c_void),
        data: *mut c_void,
    ) -> c_int;
}

/// A margin after the end of each output. If a kernel changes it, it wrote out of bounds.
const MARGIN: [f32; 64] = [-77.25; 64];

/// Runs a kernel on both grids, in opposite orders of threads. Both runs start with the given outputs, and
/// their results must have the same bits.
pub(crate) fn launch<const N: usize>(
    grids: [Grid; 2],
    mut outputs: [Vec<f32>; N],
    kernel: impl Fn([*mut f32; N]),
) -> Result<[Vec<f32>; N], Fault> {
    outputs.iter_mut().for_each(|output| output.extend(MARGIN));
    let run = |grid, descending| {
        let mut outputs = outputs.clone();
        let pointers = outputs.each_mut().map(|output| output.as_mut_ptr());
        launch_once(grid, descending, &|| kernel(pointers))?;
        for (number, output) in outputs.iter_mut().enumerate() {
            let margin = output.split_off(output.len() - MARGIN.len());
            if margin != MARGIN {
                return Err(Fault::OutOfBounds(number));
            }
        }
        Ok(outputs)
    };
    let [first, second] = [run(grids[0], false)?, run(grids[1], true)?];
    let bits = |outputs: &[Vec<f32>; N]| outputs.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
    if bits(&first) == bits(&second) { Ok(first) } else { Err(Fault::Race) }
}

/// An output that a kernel must write completely: elements that it misses stay NaN.
pub(crate) fn unwritten(length: usize) -> Vec<f32> {
    vec![f32::NAN; length]
}

fn launch_once(grid: Grid, descending: bool, body: &dyn Fn()) -> Result<(), Fault> {
    extern "C" fn call(data: *mut c_void) {
        // SAFETY: `data` points to the closure below, which outlives the run.
        let body = unsafe { &*data.cast::<&dyn Fn()>() };
        body();
    }
    let data = (&raw const body).cast_mut().cast();
    let (x, y) = grid.block;
    // SAFETY: `call` casts `data` back to its type; fibers that are abandoned after a fault own no resources.
    let fault = unsafe {
        cuda_host_run(grid.blocks, x, y, grid.shared * size_of::<f32>(), descending.into(), call, data)
    };
    match fault {
        0 => Ok(()),
        1 => Err(Fault::SkippedBarrier),
        2 => Err(Fault::SkippedShuffle),
        other => unreachable!("unknown fault {other}"),
    }
}

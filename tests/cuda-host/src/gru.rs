//! GRU gates. Rows of `gi` and `gh` hold reset, update and candidate, in PyTorch's order.

use crate::fibers::{Fault, Grid, launch, unwritten};
use crate::{check, rows, size};

unsafe extern "C" {
    fn gru_gates_forward(n: u32, width: u32, gi: *const f32, gh: *const f32, h: *const f32, out: *mut f32);
    fn gru_gates_backward(
        n: u32,
        width: u32,
        gi: *const f32,
        gh: *const f32,
        h: *const f32,
        grad: *const f32,
        grad_gi: *mut f32,
        grad_gh: *mut f32,
        grad_h: *mut f32,
    );
}

/// Runs `gru_gates_forward`, which computes the new state. Panics on wrong lengths.
pub fn forward(width: usize, gi: &[f32], gh: &[f32], h: &[f32]) -> Result<Vec<f32>, Fault> {
    let n = rows("h", h, width);
    check("gi", gi, 3 * h.len());
    check("gh", gh, 3 * h.len());
    let kernel = |[out]: [*mut f32; 1]| {
        // SAFETY: lengths are checked above, and `out` is as long as `h`.
        unsafe { gru_gates_forward(size(n), size(width), gi.as_ptr(), gh.as_ptr(), h.as_ptr(), out) };
    };
    launch(Grid::LINES, [unwritten(h.len())], kernel).map(|[out]| out)
}

/// Runs `gru_gates_backward`, which computes the gradients of `gi`, `gh` and `h`. Panics on wrong lengths.
pub fn backward(
    width: usize,
    gi: &[f32],
    gh: &[f32],
    h: &[f32],
    grad: &[f32],
) -> Result<[Vec<f32>; 3], Fault> {
    let n = rows("h", h, width);
    check("gi", gi, 3 * h.len());
    check("gh", gh, 3 * h.len());
    check("grad", grad, h.len());
    let (n, width) = (size(n), size(width));
    let kernel = |[grad_gi, grad_gh, grad_h]: [*mut f32; 3]| {
        // SAFETY: lengths are checked above, and each gradient is as long as its variable.
        unsafe {
            gru_gates_backward(
                n,
                width,
                gi.as_ptr(),
                gh.as_ptr(),
                h.as_ptr(),
                grad.as_ptr(),
                grad_gi,
                grad_gh,
                grad_h,
            );
        }
    };
    launch(Grid::LINES, [unwritten(gi.len()), unwritten(gh.len()), unwritten(h.len())], kernel)
}

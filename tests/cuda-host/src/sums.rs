//! Sums over neighbours.

use crate::fibers::{Fault, Grid, launch, unwritten};
use crate::{Csr, check, rows, size};

unsafe extern "C" {
    fn csr_gather(
        n: u32,
        width: u32,
        offsets: *const u32,
        sources: *const u32,
        weights: *const f32,
        x: *const f32,
        out: *mut f32,
    );
    fn gated_sum_forward(
        n: u32,
        width: u32,
        offsets: *const u32,
        sources: *const u32,
        weights: *const f32,
        gm: *const f32,
        out: *mut f32,
    );
    fn gated_sum_backward(
        rows: u32,
        width: u32,
        t_offsets: *const u32,
        t_targets: *const u32,
        t_weights: *const f32,
        gm: *const f32,
        grad_out: *const f32,
        grad_gm: *mut f32,
    );
}

/// Runs `csr_gather`, which computes for each row the weighted sum of its sources in `x`. Panics on wrong
/// lengths.
pub fn gather(width: usize, graph: Csr<'_>, weights: &[f32], x: &[f32]) -> Result<Vec<f32>, Fault> {
    graph.check(rows("x", x, width));
    check("weights", weights, graph.ends.len());
    let (n, columns) = (size(graph.rows()), size(width));
    let kernel = |[out]: [*mut f32; 1]| {
        // SAFETY: lengths and edges are checked above, and `out` has `width` numbers per row of the graph.
        unsafe {
            csr_gather(
                n,
                columns,
                graph.offsets.as_ptr(),
                graph.ends.as_ptr(),
                weights.as_ptr(),
                x.as_ptr(),
                out,
            );
        }
    };
    launch(Grid::LINES, [unwritten(graph.rows() * width)], kernel).map(|[out]| out)
}

/// Runs `gated_sum_forward`. Each row of `gm` holds `width` gates and then `width` values. Panics on wrong
/// lengths.
pub fn gated_forward(width: usize, graph: Csr<'_>, weights: &[f32], gm: &[f32]) -> Result<Vec<f32>, Fault> {
    graph.check(rows("gm", gm, 2 * width));
    check("weights", weights, graph.ends.len());
    let (n, columns) = (size(graph.rows()), size(width));
    let kernel = |[out]: [*mut f32; 1]| {
        // SAFETY: lengths and edges are checked above, and `out` has `width` numbers per row of the graph.
        unsafe {
            gated_sum_forward(
                n,
                columns,
                graph.offsets.as_ptr(),
                graph.ends.as_ptr(),
                weights.as_ptr(),
                gm.as_ptr(),
                out,
            );
        }
    };
    launch(Grid::LINES, [unwritten(graph.rows() * width)], kernel).map(|[out]| out)
}

/// Runs `gated_sum_backward`, which computes the gradient of `gm`. It takes the *transposed* graph and
/// weights. Panics on wrong lengths.
pub fn gated_backward(
    width: usize,
    transposed: Csr<'_>,
    t_weights: &[f32],
    gm: &[f32],
    grad_out: &[f32],
) -> Result<Vec<f32>, Fault> {
    transposed.check(rows("grad_out", grad_out, width));
    check("t_weights", t_weights, transposed.ends.len());
    check("gm", gm, transposed.rows() * 2 * width);
    let (n, columns) = (size(transposed.rows()), size(width));
    let (offsets, targets) = (transposed.offsets.as_ptr(), transposed.ends.as_ptr());
    let kernel = |[grad_gm]: [*mut f32; 1]| {
        // SAFETY: lengths and edges are checked above, and `grad_gm` is as long as `gm`.
        unsafe {
            gated_sum_backward(
                n,
                columns,
                offsets,
                targets,
                t_weights.as_ptr(),
                gm.as_ptr(),
                grad_out.as_ptr(),
                grad_gm,
            );
        }
    };
    launch(Grid::LINES, [unwritten(gm.len())], kernel).map(|[out]| out)
}

//! Attention: scores, the weighted sum, and its gradients. Each row holds `heads` parts of `dim` numbers.

use crate::fibers::{Fault, Grid, launch, unwritten};
use crate::{Csr, check, rows, size};

unsafe extern "C" {
    fn attention_scores(n: u32, heads: u32, dim: u32, x: *const f32, att: *const f32, out: *mut f32);
    fn attention_forward(
        n: u32,
        heads: u32,
        dim: u32,
        offsets: *const u32,
        sources: *const u32,
        times: *const f32,
        own: *const f32,
        msg: *const f32,
        score_own: *const f32,
        score_msg: *const f32,
        alpha_own: *mut f32,
        alpha: *mut f32,
        out: *mut f32,
    );
    fn attention_backward_receivers(
        n: u32,
        heads: u32,
        dim: u32,
        offsets: *const u32,
        sources: *const u32,
        own: *const f32,
        msg: *const f32,
        att: *const f32,
        score_own: *const f32,
        score_msg: *const f32,
        alpha_own: *const f32,
        alpha: *const f32,
        grad_out: *const f32,
        grad_own: *mut f32,
        grad_score_own: *mut f32,
        grad_edge: *mut f32,
    );
    fn attention_backward_messages(
        rows: u32,
        heads: u32,
        dim: u32,
        t_offsets: *const u32,
        t_targets: *const u32,
        t_edges: *const u32,
        alpha: *const f32,
        grad_edge: *const f32,
        att: *const f32,
        grad_out: *const f32,
        grad_score_msg: *mut f32,
        grad_msg: *mut f32,
    );
    fn attention_backward_att(
        rows: u32,
        heads: u32,
        dim: u32,
        x: *const f32,
        grad_score: *const f32,
        out: *mut f32,
    );
}

/// The division of a row into heads.
#[derive(Clone, Copy, Debug)]
pub struct Heads {
    /// The number of heads.
    pub count: usize,
    /// The width of a head.
    pub dim: usize,
}

impl Heads {
    fn width(self) -> usize {
        self.count * self.dim
    }

    /// The number of heads and their width, as arguments of kernels.
    fn sizes(self) -> (u32, u32) {
        (size(self.count), size(self.dim))
    }
}

/// The rows of receivers and sources, and their scores.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// One row of `heads · dim` numbers per receiver.
    pub own: &'a [f32],
    /// One row of `heads · dim` numbers per source.
    pub msg: &'a [f32],
    /// One score per receiver and head.
    pub score_own: &'a [f32],
    /// One score per source and head.
    pub score_msg: &'a [f32],
}

impl Rows<'_> {
    #[track_caller]
    fn check(&self, heads: Heads, graph: Csr<'_>) {
        let sources = rows("msg", self.msg, heads.width());
        graph.check(sources);
        check("own", self.own, graph.rows() * heads.width());
        check("score_own", self.score_own, graph.rows() * heads.count);
        check("score_msg", self.score_msg, sources * heads.count);
    }
}

/// Runs `attention_scores`, which computes the product of each row's heads with `att`. Panics on wrong
/// lengths.
pub fn scores(heads: Heads, x: &[f32], att: &[f32]) -> Result<Vec<f32>, Fault> {
    let n = rows("x", x, heads.width());
    check("att", att, heads.width());
    let (count, dim) = heads.sizes();
    let kernel = |[out]: [*mut f32; 1]| {
        // SAFETY: lengths are checked above, and `out` has one number per row and head.
        unsafe { attention_scores(size(n), count, dim, x.as_ptr(), att.as_ptr(), out) };
    };
    launch(Grid::LINES, [unwritten(n * heads.count)], kernel).map(|[out]| out)
}

/// Runs `attention_forward`, which computes `alpha_own`, `alpha` and the output. Panics on wrong lengths.
pub fn forward(heads: Heads, graph: Csr<'_>, times: &[f32], x: Rows<'_>) -> Result<[Vec<f32>; 3], Fault> {
    x.check(heads, graph);
    check("times", times, graph.ends.len());
    let (n, (count, dim)) = (size(graph.rows()), heads.sizes());
    let kernel = |[alpha_own, alpha, out]: [*mut f32; 3]| {
        // SAFETY: lengths and edges are checked above, and outputs have the lengths that the kernel writes.
        unsafe {
            attention_forward(
                n,
                count,
                dim,
                graph.offsets.as_ptr(),
                graph.ends.as_ptr(),
                times.as_ptr(),
                x.own.as_ptr(),
                x.msg.as_ptr(),
                x.score_own.as_ptr(),
                x.score_msg.as_ptr(),
                alpha_own,
                alpha,
                out,
            );
        }
    };
    let outputs = [x.score_own.len(), graph.ends.len() * heads.count, x.own.len()].map(unwritten);
    launch(Grid::LINES, outputs, kernel)
}

/// Runs `attention_backward_receivers`, which computes `grad_own`, `grad_score_own` and `grad_edge`. Panics
/// on wrong lengths.
pub fn backward_receivers(
    heads: Heads,
    graph: Csr<'_>,
    x: Rows<'_>,
    att: &[f32],
    [alpha_own, alpha]: [&[f32]; 2],
    grad_out: &[f32],
) -> Result<[Vec<f32>; 3], Fault> {
    x.check(heads, graph);
    check("att", att, heads.width());
    check("alpha_own", alpha_own, x.score_own.len());
    check("alpha", alpha, graph.ends.len() * heads.count);
    check("grad_out", grad_out, x.own.len());
    let (n, (count, dim)) = (size(graph.rows()), heads.sizes());
    let kernel = |[grad_own, grad_score_own, grad_edge]: [*mut f32; 3]| {
        // SAFETY: lengths and edges are checked above, and outputs have the lengths that the kernel writes.
        unsafe {
            attention_backward_receivers(
                n,
                count,
                dim,
                graph.offsets.as_ptr(),
                graph.ends.as_ptr(),
                x.own.as_ptr(),
                x.msg.as_ptr(),
                att.as_ptr(),
                x.score_own.as_ptr(),
                x.score_msg.as_ptr(),
                alpha_own.as_ptr(),
                alpha.as_ptr(),
                grad_out.as_ptr(),
                grad_own,
                grad_score_own,
                grad_edge,
            );
        }
    };
    launch(Grid::LINES, [x.own.len(), x.score_own.len(), alpha.len()].map(unwritten), kernel)
}

/// Runs `attention_backward_messages`, which computes `grad_score_msg` and `grad_msg`. It takes the
/// *transposed* graph, whose edge `i` is edge `t_edges[i]` of the graph. Panics on wrong lengths.
pub fn backward_messages(
    heads: Heads,
    transposed: Csr<'_>,
    t_edges: &[u32],
    [alpha, grad_edge]: [&[f32]; 2],
    att: &[f32],
    grad_out: &[f32],
) -> Result<[Vec<f32>; 2], Fault> {
    transposed.check(rows("grad_out", grad_out, heads.width()));
    let edges = transposed.ends.len();
    assert_eq!(t_edges.len(), edges, "the length of t_edges is wrong");
    assert!(
        t_edges.iter().all(|&e| (e as usize) < edges),
        "t_edges must be below {edges}, the number of edges"
    );
    check("alpha", alpha, edges * heads.count);
    check("grad_edge", grad_edge, edges * heads.count);
    check("att", att, heads.width());
    let (n, (count, dim)) = (size(transposed.rows()), heads.sizes());
    let kernel = |[grad_score_msg, grad_msg]: [*mut f32; 2]| {
        // SAFETY: lengths and edges are checked above, and outputs have the lengths that the kernel writes.
        unsafe {
            attention_backward_messages(
                n,
                count,
                dim,
                transposed.offsets.as_ptr(),
                transposed.ends.as_ptr(),
                t_edges.as_ptr(),
                alpha.as_ptr(),
                grad_edge.as_ptr(),
                att.as_ptr(),
                grad_out.as_ptr(),
                grad_score_msg,
                grad_msg,
            );
        }
    };
    launch(
        Grid::LINES,
        [transposed.rows() * heads.count, transposed.rows() * heads.width()].map(unwritten),
        kernel,
    )
}

/// Runs `attention_backward_att`, which adds the gradient of `att` to `out`. Panics on wrong lengths.
pub fn backward_att(heads: Heads, x: &[f32], grad_score: &[f32], out: &mut [f32]) -> Result<(), Fault> {
    let n = rows("x", x, heads.width());
    check("grad_score", grad_score, n * heads.count);
    check("out", out, heads.width());
    let (count, dim) = heads.sizes();
    let kernel = |[out]: [*mut f32; 1]| {
        // SAFETY: lengths are checked above, and the shared memory has one float per thread of the block.
        unsafe { attention_backward_att(size(n), count, dim, x.as_ptr(), grad_score.as_ptr(), out) };
    };
    // The order of summation depends on the height of a block, so both grids have the same height.
    let grids = [(2, 32), (1, 16)].map(|(blocks, columns)| Grid {
        blocks,
        block: (columns, 8),
        shared: columns as usize * 8,
    });
    let [sum] = launch(grids, [out.to_vec()], kernel)?;
    out.copy_from_slice(&sum);
    Ok(())
}

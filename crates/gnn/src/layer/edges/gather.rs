//! Weighted sums over the edges of each receiver.

#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};
use logicvae_compute::{Real, contiguous_slice};

#[cfg(feature = "cuda")]
use super::cuda;
use super::{Csr, EdgeSlices, by_type, columns, expect_shape};

/// From `x` `[senders, width]`: for every receiver, the weighted sum of its senders' rows,
/// `[receivers, width]`.
pub fn gather(x: &Tensor, edges: &Csr) -> Result<Tensor> {
    expect_shape("gather", x, edges.senders(), None)?;
    x.contiguous()?.apply_op1(Gather { edges: edges.clone() })
}

/// The loop behind [`gather`].
pub(in crate::layer) fn gather_loop<T: Real>(edges: EdgeSlices<'_>, width: usize, x: &[T]) -> Vec<T> {
    let mut out = vec![T::constant(0.0); edges.groups() * width];
    for (group, to) in out.chunks_exact_mut(width).enumerate() {
        for (_, other, weight) in edges.group(group) {
            for (to, &x) in to.iter_mut().zip(&x[other * width..]) {
                *to += T::constant(weight) * x;
            }
        }
    }
    out
}

struct Gather {
    edges: Csr,
}

impl CustomOp1 for Gather {
    fn name(&self) -> &'static str {
        "gather"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (edges, width) = (&self.edges.forward, columns(layout));
        let out = by_type!(x, |T| edges.on_cpu(|e| Ok(gather_loop(
            e,
            width,
            contiguous_slice::<T>(x, layout)?
        )))?);
        Ok((out, (edges.groups, width).into()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, x: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        let (edges, width) = (&self.edges.forward, columns(layout));
        Ok((cuda::gather(edges, width, (x, layout))?, (edges.groups, width).into()))
    }

    fn bwd(&self, _: &Tensor, _: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        let reversed = Csr { forward: self.edges.backward.clone(), backward: self.edges.forward.clone() };
        grad.contiguous()?.apply_op1_no_bwd(&Gather { edges: reversed }).map(Some)
    }
}

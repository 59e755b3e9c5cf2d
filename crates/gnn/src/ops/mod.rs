//! Differentiable operations on the edges of a graph that the tensor library lacks, for the CPU and, with the feature
//! `cuda`, for GPUs.
//!
//! On a GPU they are kernels of our own (`cuda/kernels.cu`). On the CPU they are plain loops: not what the encoders use
//! there (that is `fused`), but what the kernels are held against.

mod cpu;
mod csr;

#[cfg(feature = "cuda")]
#[path = "../cuda/launch.rs"]
mod cuda;

#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::{CpuStorage, CustomOp1, CustomOp2, CustomOp3, Layout, Result, Shape, Tensor};

use cpu::{Edges, Heads};
pub use csr::Csr;
use csr::Grouped;

use crate::numbers::{slice, with_slices};

/// Out of `x` `[senders, width]`: the weighted sum of its senders' rows for every receiver, `[receivers, width]`.
pub fn gather(x: &Tensor, edges: &Csr) -> Result<Tensor> {
    expect("gather", x, edges.senders(), None)?;
    x.contiguous()?.apply_op1(Gather { edges: edges.clone() })
}

/// Out of `gated` `[senders, 2 width]`, gates before their activation and then values: Σ weight · σ(gate) ⊙ value for every
/// receiver, `[receivers, width]`.
pub fn gated_sum(gated: &Tensor, edges: &Csr) -> Result<Tensor> {
    expect("gated_sum", gated, edges.senders(), None)?;
    if gated.dim(1)? % 2 != 0 {
        candle_core::bail!(
            "gated_sum: rows hold a gate and a value for each column, so their length is even"
        );
    }
    gated.contiguous()?.apply_op1(GatedSum { edges: edges.clone() })
}

/// A gated recurrent unit's new state out of the input's part and the hidden state's part of r, z and n, both `[n, 3 width]`,
/// and the hidden state `[n, width]`.
pub fn gru_gates(from_input: &Tensor, from_hidden: &Tensor, hidden: &Tensor) -> Result<Tensor> {
    let (rows, width) = hidden.dims2()?;
    expect("gru_gates", from_input, rows, Some(3 * width))?;
    expect("gru_gates", from_hidden, rows, Some(3 * width))?;
    from_input.contiguous()?.apply_op3(&from_hidden.contiguous()?, &hidden.contiguous()?, GruGates)
}

/// Attention of every receiver to itself and its senders; formulas: [`Gat`](crate::layers::Gat). `own` is
/// `[receivers, heads · dim]`, `messages` `[senders, heads · dim]`, `att` `[heads, dim]`; an edge's weight multiplies its
/// exponential.
pub fn attention(own: &Tensor, messages: &Tensor, att: &Tensor, edges: &Csr) -> Result<Tensor> {
    let (heads, dim) = att.dims2()?;
    expect("attention", own, edges.receivers(), Some(heads * dim))?;
    expect("attention", messages, edges.senders(), Some(heads * dim))?;
    let op = Attention { edges: edges.clone(), size: Heads { heads, dim } };
    own.contiguous()?.apply_op3(&messages.contiguous()?, &att.contiguous()?, op)
}

fn expect(op: &str, x: &Tensor, rows: usize, columns: Option<usize>) -> Result<()> {
    let (found_rows, found_columns) = x.dims2()?;
    if found_rows != rows || columns.is_some_and(|c| c != found_columns) {
        candle_core::bail!(
            "{op}: a tensor is {found_rows} × {found_columns}, but {rows} rows of {columns:?} are wanted"
        );
    }
    Ok(())
}

impl Grouped {
    /// Runs `work` with the edges as slices.
    fn on_cpu<R>(&self, work: impl FnOnce(Edges<'_>) -> Result<R>) -> Result<R> {
        with_slices(&[&self.offsets, &self.others], |ends| {
            with_slices(&[&self.weights], |weights| {
                work(Edges { offsets: ends[0], others: ends[1], weights: weights[0] })
            })
        })
    }
}

/// Runs `$work` for f32 or f64 storages and wraps what it returns.
macro_rules! by_type {
    ($first:expr, |$t:ident| $work:expr) => {
        match $first {
            CpuStorage::F32(_) => {
                type $t = f32;
                CpuStorage::F32($work)
            }
            CpuStorage::F64(_) => {
                type $t = f64;
                CpuStorage::F64($work)
            }
            _ => candle_core::bail!("operations on edges take f32 or f64"),
        }
    };
}

fn columns(layout: &Layout) -> usize {
    layout.dims()[1]
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
        let out = by_type!(x, |T| edges.on_cpu(|e| Ok(cpu::gather(e, width, slice::<T>(x, layout)?)))?);
        Ok((out, (edges.groups, width).into()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, x: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        let (edges, width) = (&self.edges.forward, columns(layout));
        Ok((cuda::gather(edges, width, (x, layout))?, (edges.groups, width).into()))
    }

    fn bwd(&self, _: &Tensor, _: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        let turned = Csr { forward: self.edges.backward.clone(), backward: self.edges.forward.clone() };
        grad.contiguous()?.apply_op1_no_bwd(&Gather { edges: turned }).map(Some)
    }
}

struct GatedSum {
    edges: Csr,
}

impl CustomOp1 for GatedSum {
    fn name(&self) -> &'static str {
        "gated-sum"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (edges, width) = (&self.edges.forward, columns(layout) / 2);
        let out = by_type!(x, |T| edges.on_cpu(|e| Ok(cpu::gated_sum(e, width, slice::<T>(x, layout)?)))?);
        Ok((out, (edges.groups, width).into()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(&self, x: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        let (edges, width) = (&self.edges.forward, columns(layout) / 2);
        Ok((cuda::gated_sum(edges, width, (x, layout))?, (edges.groups, width).into()))
    }

    fn bwd(&self, gated: &Tensor, _: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        gated
            .apply_op2_no_bwd(&grad.contiguous()?, &GatedSumGradient { edges: self.edges.backward.clone() })
            .map(Some)
    }
}

struct GatedSumGradient {
    /// Grouped by sender.
    edges: Grouped,
}

impl CustomOp2 for GatedSumGradient {
    fn name(&self) -> &'static str {
        "gated-sum-gradient"
    }

    fn cpu_fwd(
        &self,
        gated: &CpuStorage,
        l1: &Layout,
        grad: &CpuStorage,
        l2: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let out = by_type!(gated, |T| self.edges.on_cpu(|e| Ok(cpu::gated_sum_gradient(
            e,
            columns(l2),
            slice::<T>(gated, l1)?,
            slice::<T>(grad, l2)?
        )))?);
        Ok((out, l1.shape().clone()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        gated: &CudaStorage,
        l1: &Layout,
        grad: &CudaStorage,
        l2: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        Ok((cuda::gated_sum_gradient(&self.edges, columns(l2), (gated, l1), (grad, l2))?, l1.shape().clone()))
    }
}

struct GruGates;

impl CustomOp3 for GruGates {
    fn name(&self) -> &'static str {
        "gru-gates"
    }

    fn cpu_fwd(
        &self,
        gi: &CpuStorage,
        l1: &Layout,
        gh: &CpuStorage,
        l2: &Layout,
        h: &CpuStorage,
        l3: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let out =
            by_type!(gi, |T| cpu::gru_gates(columns(l3), slice::<T>(gi, l1)?, slice(gh, l2)?, slice(h, l3)?));
        Ok((out, l3.shape().clone()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        gi: &CudaStorage,
        l1: &Layout,
        gh: &CudaStorage,
        l2: &Layout,
        h: &CudaStorage,
        l3: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        Ok((cuda::gru_gates((gi, l1), (gh, l2), (h, l3))?, l3.shape().clone()))
    }

    fn bwd(
        &self,
        gi: &Tensor,
        gh: &Tensor,
        h: &Tensor,
        _: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let all = gi.apply_op3_no_bwd(gh, &grad.contiguous()?, &GruGatesGradient { hidden: h.clone() })?;
        split_gradients(&all, [gi, gh, h])
    }
}

/// Cuts a flat tensor into three of these shapes.
fn split_gradients(
    all: &Tensor,
    like: [&Tensor; 3],
) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
    let mut start = 0;
    let mut next = |like: &Tensor| {
        let part = all.narrow(0, start, like.elem_count())?.reshape(like.shape())?;
        start += like.elem_count();
        Ok::<_, candle_core::Error>(Some(part))
    };
    Ok((next(like[0])?, next(like[1])?, next(like[2])?))
}

struct GruGatesGradient {
    hidden: Tensor,
}

impl CustomOp3 for GruGatesGradient {
    fn name(&self) -> &'static str {
        "gru-gates-gradient"
    }

    fn cpu_fwd(
        &self,
        gi: &CpuStorage,
        l1: &Layout,
        gh: &CpuStorage,
        l2: &Layout,
        grad: &CpuStorage,
        l3: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let out = by_type!(gi, |T| with_slices(&[&self.hidden], |h| Ok(cpu::gru_gates_gradient(
            columns(l3),
            slice::<T>(gi, l1)?,
            slice(gh, l2)?,
            h[0],
            slice(grad, l3)?
        )))?);
        Ok((out, (7 * l3.shape().elem_count()).into()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        gi: &CudaStorage,
        l1: &Layout,
        gh: &CudaStorage,
        l2: &Layout,
        grad: &CudaStorage,
        l3: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        let out = cuda::gru_gates_gradient((gi, l1), (gh, l2), &self.hidden, (grad, l3))?;
        Ok((out, (7 * l3.shape().elem_count()).into()))
    }
}

struct Attention {
    edges: Csr,
    size: Heads,
}

impl CustomOp3 for Attention {
    fn name(&self) -> &'static str {
        "attention"
    }

    fn cpu_fwd(
        &self,
        own: &CpuStorage,
        l1: &Layout,
        messages: &CpuStorage,
        l2: &Layout,
        att: &CpuStorage,
        l3: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let out = by_type!(own, |T| self.edges.forward.on_cpu(|e| Ok(cpu::attention(
            e,
            self.size,
            slice::<T>(own, l1)?,
            slice(messages, l2)?,
            slice(att, l3)?
        )))?);
        Ok((out, l1.shape().clone()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        own: &CudaStorage,
        l1: &Layout,
        messages: &CudaStorage,
        l2: &Layout,
        att: &CudaStorage,
        l3: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        Ok((
            cuda::attention(&self.edges, self.size, (own, l1), (messages, l2), (att, l3))?,
            l1.shape().clone(),
        ))
    }

    fn bwd(
        &self,
        own: &Tensor,
        messages: &Tensor,
        att: &Tensor,
        _: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let op = AttentionGradient { edges: self.edges.clone(), size: self.size, att: att.clone() };
        let all = own.apply_op3_no_bwd(messages, &grad.contiguous()?, &op)?;
        split_gradients(&all, [own, messages, att])
    }
}

struct AttentionGradient {
    edges: Csr,
    size: Heads,
    att: Tensor,
}

impl CustomOp3 for AttentionGradient {
    fn name(&self) -> &'static str {
        "attention-gradient"
    }

    fn cpu_fwd(
        &self,
        own: &CpuStorage,
        l1: &Layout,
        messages: &CpuStorage,
        l2: &Layout,
        grad: &CpuStorage,
        l3: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let out = by_type!(own, |T| self.edges.forward.on_cpu(|e| with_slices(&[&self.att], |att| Ok(
            cpu::attention_gradient(
                e,
                self.size,
                slice::<T>(own, l1)?,
                slice(messages, l2)?,
                att[0],
                slice(grad, l3)?
            )
        )))?);
        let count = l1.shape().elem_count() + l2.shape().elem_count() + self.att.elem_count();
        Ok((out, count.into()))
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        own: &CudaStorage,
        l1: &Layout,
        messages: &CudaStorage,
        l2: &Layout,
        grad: &CudaStorage,
        l3: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        let out = cuda::attention_gradient(
            &self.edges,
            self.size,
            (own, l1),
            (messages, l2),
            &self.att,
            (grad, l3),
        )?;
        let count = l1.shape().elem_count() + l2.shape().elem_count() + self.att.elem_count();
        Ok((out, count.into()))
    }
}

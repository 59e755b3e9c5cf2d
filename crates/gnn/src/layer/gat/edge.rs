//! The GAT layer as matrix products and operations on edges: what runs on a GPU.

#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::{CpuStorage, CustomOp3, Layout, Result, Shape, Tensor};
use logicvae_compute::{contiguous_slice, linear, with_slices};

#[cfg(feature = "cuda")]
use super::cuda;
use super::loops::Heads;
use super::{Gat, GatWeights, loops};
use crate::layer::edges::{
    Csr, LevelEdges, ThreeGradients, all_rows, append_rows, by_type, expect_shape, split_gradients,
};

/// The states of all rows.
pub(super) fn run(
    layer: &Gat,
    weights: &GatWeights<Tensor>,
    x: &Tensor,
    levels: &[LevelEdges],
) -> Result<Tensor> {
    let own = linear(x, &weights.own, None)?; // [rows, heads · dim]
    let (mut states, mut messages): (Option<Tensor>, Option<Tensor>) = (None, None);
    for level in levels {
        let mut out = own.narrow(0, level.start, level.count)?;
        if let (Some(messages), Some(edges)) = (&messages, &level.edges) {
            out = attention(&out, messages, &weights.attention, edges)?;
        }
        let state = match layer.concat {
            true => out.relu()?,
            false => out.reshape((level.count, layer.heads, layer.dim))?.mean(1)?,
        };
        messages = Some(append_rows(messages, linear(&state, &weights.neighbour, None)?)?);
        states = Some(append_rows(states, state)?);
    }
    all_rows(states)
}

/// Attention of every receiver to itself and its senders, with the formulas of [`Gat`]. `own` is
/// `[receivers, heads · dim]`, `messages` `[senders, heads · dim]`, and `att` `[heads, dim]`. The weight of
/// an edge multiplies its exponential.
pub fn attention(own: &Tensor, messages: &Tensor, att: &Tensor, edges: &Csr) -> Result<Tensor> {
    let (heads, dim) = att.dims2()?;
    expect_shape("attention", own, edges.receivers(), Some(heads * dim))?;
    expect_shape("attention", messages, edges.senders(), Some(heads * dim))?;
    let op = Attention { edges: edges.clone(), size: Heads { heads, dim } };
    own.contiguous()?.apply_op3(&messages.contiguous()?, &att.contiguous()?, op)
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
        let out = by_type!(own, |T| self.edges.forward.on_cpu(|e| Ok(loops::attention(
            e,
            self.size,
            contiguous_slice::<T>(own, l1)?,
            contiguous_slice(messages, l2)?,
            contiguous_slice(att, l3)?
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
    ) -> Result<ThreeGradients> {
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
            loops::attention_gradient(
                e,
                self.size,
                contiguous_slice::<T>(own, l1)?,
                contiguous_slice(messages, l2)?,
                att[0],
                contiguous_slice(grad, l3)?
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

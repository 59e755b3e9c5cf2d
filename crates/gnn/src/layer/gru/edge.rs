//! The GRU layer as matrix products and operations on edges: what runs on a GPU.

#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::{CpuStorage, CustomOp1, CustomOp2, CustomOp3, Layout, Result, Shape, Tensor};
use logicvae_compute::{contiguous_slice, linear, with_slices};

#[cfg(feature = "cuda")]
use super::cuda;
use super::{Gru, GruWeights, loops};
use crate::layer::edges::{
    Csr, Grouped, LevelEdges, ThreeGradients, all_rows, append_rows, by_type, columns, expect_shape,
    split_gradients,
};

/// The states of all rows.
pub(super) fn run(
    layer: &Gru,
    weights: &GruWeights<Tensor>,
    x: &Tensor,
    levels: &[LevelEdges],
) -> Result<Tensor> {
    let from_input = linear(x, &weights.input, Some(&weights.input_bias))?; // [rows, 3 hidden]
    let gate_map = Tensor::cat(&[&weights.gate, &weights.map], 0)?; // [2 hidden, hidden]
    let bias = Tensor::cat(&[&weights.gate_bias, &weights.gate_bias.zeros_like()?], 0)?;
    let (mut states, mut gated): (Option<Tensor>, Option<Tensor>) = (None, None);
    for level in levels {
        let sum = match (&gated, &level.edges) {
            (Some(gated), Some(edges)) => gated_sum(gated, edges)?,
            _ => Tensor::zeros((level.count, layer.hidden), x.dtype(), x.device())?,
        };
        let from_sum = linear(&sum, &weights.recurrent, Some(&weights.recurrent_bias))?;
        let state = gru_gates(&from_input.narrow(0, level.start, level.count)?, &from_sum, &sum)?;
        gated = Some(append_rows(gated, linear(&state, &gate_map, Some(&bias))?)?);
        states = Some(append_rows(states, state)?);
    }
    all_rows(states)
}

/// From `gated` `[senders, 2 width]`, which holds gates before their activation and then values: for every
/// receiver, Σ weight · σ(gate) ⊙ value, `[receivers, width]`.
pub fn gated_sum(gated: &Tensor, edges: &Csr) -> Result<Tensor> {
    expect_shape("gated_sum", gated, edges.senders(), None)?;
    if gated.dim(1)? % 2 != 0 {
        candle_core::bail!(
            "gated_sum: rows hold one gate and one value per column, so their length must be even"
        );
    }
    gated.contiguous()?.apply_op1(GatedSum { edges: edges.clone() })
}

/// The new state of a gated recurrent unit, from the parts of r, z and n that come from the input and from
/// the hidden state, both `[n, 3 width]`, and the hidden state `[n, width]`.
pub fn gru_gates(from_input: &Tensor, from_hidden: &Tensor, hidden: &Tensor) -> Result<Tensor> {
    let (rows, width) = hidden.dims2()?;
    expect_shape("gru_gates", from_input, rows, Some(3 * width))?;
    expect_shape("gru_gates", from_hidden, rows, Some(3 * width))?;
    from_input.contiguous()?.apply_op3(&from_hidden.contiguous()?, &hidden.contiguous()?, GruGates)
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
        let out = by_type!(x, |T| edges.on_cpu(|e| Ok(loops::gated_sum(
            e,
            width,
            contiguous_slice::<T>(x, layout)?
        )))?);
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
        let out = by_type!(gated, |T| self.edges.on_cpu(|e| Ok(loops::gated_sum_gradient(
            e,
            columns(l2),
            contiguous_slice::<T>(gated, l1)?,
            contiguous_slice::<T>(grad, l2)?
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
        let out = by_type!(gi, |T| loops::gru_gates(
            columns(l3),
            contiguous_slice::<T>(gi, l1)?,
            contiguous_slice(gh, l2)?,
            contiguous_slice(h, l3)?
        ));
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

    fn bwd(&self, gi: &Tensor, gh: &Tensor, h: &Tensor, _: &Tensor, grad: &Tensor) -> Result<ThreeGradients> {
        let all = gi.apply_op3_no_bwd(gh, &grad.contiguous()?, &GruGatesGradient { hidden: h.clone() })?;
        split_gradients(&all, [gi, gh, h])
    }
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
        let out = by_type!(gi, |T| with_slices(&[&self.hidden], |h| Ok(loops::gru_gates_gradient(
            columns(l3),
            contiguous_slice::<T>(gi, l1)?,
            contiguous_slice(gh, l2)?,
            h[0],
            contiguous_slice(grad, l3)?
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

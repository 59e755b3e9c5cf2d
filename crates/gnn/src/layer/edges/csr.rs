//! Edges as tensors, grouped by both of their ends.

use candle_core::{Device, Result, Tensor};

/// Weighted edges from senders to receivers, on a device. They are grouped by receiver and, for backward
/// passes, by sender.
#[derive(Clone, Debug)]
pub struct Csr {
    pub(crate) forward: Grouped,
    pub(crate) backward: Grouped,
}

/// Edges grouped by one of their ends.
#[derive(Clone, Debug)]
pub(crate) struct Grouped {
    /// The number of groups.
    pub(crate) groups: usize,
    /// The start of each group: u32, `[groups + 1]`.
    pub(crate) offsets: Tensor,
    /// The other end of each edge: u32, `[edges]`.
    pub(crate) others: Tensor,
    /// The weight of each edge: f32, `[edges]`.
    pub(crate) weights: Tensor,
    /// The number of each edge when grouped by receiver: u32, `[edges]`. Only the CUDA kernels read it.
    #[cfg(feature = "cuda")]
    pub(crate) edges: Tensor,
}

impl Csr {
    /// Edges grouped by receiver: receiver `v` has the edges `offsets[v]..offsets[v + 1]`, from `sources`,
    /// with `weights`. There are `senders` senders.
    ///
    /// ```
    /// use candle_core::{Device, Tensor};
    /// use logicvae_gnn::edge_ops::{Csr, gather};
    /// // Receiver 0 gets sender 1 twice as much as sender 0; receiver 1 gets nothing.
    /// let edges = Csr::new(&[0, 2, 2], &[0, 1], &[1.0, 2.0], 2, &Device::Cpu)?;
    /// let x = Tensor::new(&[[1f32, 10.0], [2.0, 20.0]], &Device::Cpu)?;
    /// assert_eq!(gather(&x, &edges)?.to_vec2::<f32>()?, [[5.0, 50.0], [0.0, 0.0]]);
    /// # Ok::<(), candle_core::Error>(())
    /// ```
    pub fn new(
        offsets: &[u32],
        sources: &[u32],
        weights: &[f32],
        senders: usize,
        device: &Device,
    ) -> Result<Self> {
        // Edges and receivers are numbered by 32 bits.
        let (Ok(count), Ok(_)) = (u32::try_from(sources.len()), u32::try_from(offsets.len())) else {
            candle_core::bail!("a layer has at most {} edges and as many receivers", u32::MAX);
        };
        let ordered = offsets.first() == Some(&0) && offsets.is_sorted() && offsets.last() == Some(&count);
        if !ordered || sources.len() != weights.len() {
            candle_core::bail!(
                "offsets must increase from 0 to the number of sources, with one weight per source"
            );
        }
        if let Some(bad) = sources.iter().find(|&&s| s as usize >= senders) {
            candle_core::bail!(
                "an edge starts at sender {bad}, but senders are numbered 0 to {senders} (exclusive)"
            );
        }
        let mut starts = vec![0u32; senders + 1];
        for &source in sources {
            starts[source as usize + 1] += 1;
        }
        for sender in 0..senders {
            starts[sender + 1] += starts[sender];
        }
        let mut next = starts.clone();
        let (mut edges, mut targets) = (vec![0u32; sources.len()], vec![0u32; sources.len()]);
        for receiver in 0..offsets.len() - 1 {
            for edge in offsets[receiver]..offsets[receiver + 1] {
                let place = &mut next[sources[edge as usize] as usize];
                edges[*place as usize] = edge;
                targets[*place as usize] = receiver as u32;
                *place += 1;
            }
        }
        let turned: Vec<f32> = edges.iter().map(|&e| weights[e as usize]).collect();
        let numbers: Vec<u32> = (0..count).collect();
        Ok(Self {
            forward: Grouped::new(offsets, sources, weights, &numbers, device)?,
            backward: Grouped::new(&starts, &targets, &turned, &edges, device)?,
        })
    }

    /// The edges from receivers to senders, for operations that do not number edges.
    pub(crate) fn reversed(self) -> Self {
        Self { forward: self.backward, backward: self.forward }
    }

    pub(crate) fn receivers(&self) -> usize {
        self.forward.groups
    }

    pub(crate) fn senders(&self) -> usize {
        self.backward.groups
    }
}

impl Grouped {
    fn new(
        offsets: &[u32],
        others: &[u32],
        weights: &[f32],
        _edges: &[u32],
        device: &Device,
    ) -> Result<Self> {
        Ok(Self {
            groups: offsets.len() - 1,
            offsets: Tensor::new(offsets, device)?,
            others: Tensor::new(others, device)?,
            weights: Tensor::new(weights, device)?,
            #[cfg(feature = "cuda")]
            edges: Tensor::new(_edges, device)?,
        })
    }
}

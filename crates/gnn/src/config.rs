//! Settings of an encoder.

use serde::{Deserialize, Serialize};

use crate::error::GraphError;
use crate::graph::Readout;
use crate::layer::{Gat, Gcn, Gru, Layer};

/// The kind of layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Gated recurrent units: [`Gru`].
    Gru,
    /// Graph convolution: [`Gcn`].
    Gcn,
    /// Graph attention: [`Gat`].
    Gat,
}

/// Settings of an encoder. Start from [`EncoderConfig::gru`], [`gcn`](Self::gcn) or [`gat`](Self::gat), which
/// have the paper's values, and change what should differ.
///
/// ```
/// use logicvae_gnn::EncoderConfig;
/// let config = EncoderConfig { head_dim: Some(84), ..EncoderConfig::gat(10, 250) };
/// assert!(config.check().is_ok());
/// let wrong = EncoderConfig { heads: vec![3, 3], ..EncoderConfig::gat(10, 250) };
/// assert!(wrong.check().unwrap_err().to_string().contains("heads"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncoderConfig {
    /// The kind of layers.
    pub kind: Kind,
    /// The number of node types.
    pub types: usize,
    /// Whether nodes have a mark, which is one more input feature.
    #[serde(default)]
    pub positional: bool,
    /// The width of states.
    pub hidden: usize,
    /// The number of layers.
    pub layers: usize,
    /// The number of attention heads in every layer; only for GAT.
    #[serde(default)]
    pub heads: Vec<usize>,
    /// The width of a head in all layers but the last; `hidden` by default. Only for GAT.
    #[serde(default)]
    pub head_dim: Option<usize>,
    /// Whether messages pass in both directions or only downward.
    pub bidirectional: bool,
    /// Whether nodes also receive the states of their successors, from the layer below and with the same
    /// weights: one pass over all neighbours instead of two directions. Only for GCN.
    #[serde(default)]
    pub one_pass: bool,
    /// How node states become one vector per graph.
    #[serde(default)]
    pub readout: Readout,
}

impl EncoderConfig {
    /// One GRU layer.
    pub fn gru(types: usize, hidden: usize) -> Self {
        Self {
            kind: Kind::Gru,
            types,
            positional: false,
            hidden,
            layers: 1,
            heads: Vec::new(),
            head_dim: None,
            bidirectional: true,
            one_pass: false,
            readout: Readout::End,
        }
    }

    /// Two GCN layers.
    pub fn gcn(types: usize, hidden: usize) -> Self {
        Self { kind: Kind::Gcn, layers: 2, ..Self::gru(types, hidden) }
    }

    /// Three GAT layers with 3, 3 and 4 heads.
    pub fn gat(types: usize, hidden: usize) -> Self {
        Self { kind: Kind::Gat, layers: 3, heads: vec![3, 3, 4], ..Self::gru(types, hidden) }
    }

    /// The same with another number of layers. For GAT, every layer gets 3 heads and the last one 4.
    pub fn with_layers(mut self, layers: usize) -> Self {
        self.layers = layers;
        if self.kind == Kind::Gat {
            self.heads = vec![3; layers.saturating_sub(1)];
            self.heads.push(4);
        }
        self
    }

    /// Checks that the settings are valid and consistent.
    pub fn check(&self) -> Result<(), GraphError> {
        let invalid = |setting, reason: &str| Err(GraphError::Setting { setting, reason: reason.into() });
        if self.types == 0 {
            return invalid("types", "there must be at least one node type");
        }
        if self.hidden == 0 {
            return invalid("hidden", "the width of states must be at least 1");
        }
        if self.layers == 0 {
            return invalid("layers", "an encoder needs at least one layer");
        }
        if self.one_pass && (self.kind != Kind::Gcn || self.bidirectional || self.layers < 2) {
            let reason = "only GCN of at least two layers has it, with `bidirectional = false`";
            return invalid("one_pass", reason);
        }
        if self.kind == Kind::Gat {
            if self.heads.len() != self.layers {
                let reason = format!(
                    "there are {} numbers for {} layers: give one per layer",
                    self.heads.len(),
                    self.layers
                );
                return Err(GraphError::Setting { setting: "heads", reason });
            }
            if self.heads.contains(&0) {
                return invalid("heads", "every layer needs at least one head");
            }
            if self.head_dim == Some(0) {
                return invalid("head_dim", "the width of a head must be at least 1");
            }
        } else if !self.heads.is_empty() || self.head_dim.is_some() {
            return invalid("heads", "only GAT has heads: leave out `heads` and `head_dim`");
        }
        Ok(())
    }

    /// The number of input features of a node.
    pub fn features(&self) -> usize {
        self.types + usize::from(self.positional)
    }

    /// The width of an encoded graph.
    pub fn output(&self) -> usize {
        self.hidden * if self.bidirectional { 2 } else { 1 }
    }

    /// Layers of GRU, first to last.
    pub(crate) fn gru_layers(&self) -> Vec<Gru> {
        self.widths().map(|(input, hidden)| Gru { input, hidden }).collect()
    }

    /// Layers of GCN, first to last.
    pub(crate) fn gcn_layers(&self) -> Vec<Gcn> {
        let numbered = self.widths().enumerate();
        let layer =
            |(number, (input, hidden))| Gcn { input, hidden, successors: self.one_pass && number > 0 };
        numbered.map(layer).collect()
    }

    /// The widths of input and states of each layer, where all states have the same width.
    fn widths(&self) -> impl Iterator<Item = (usize, usize)> {
        let (features, hidden) = (self.features(), self.hidden);
        (0..self.layers).map(move |number| (if number == 0 { features } else { hidden }, hidden))
    }

    /// Layers of GAT, first to last.
    pub(crate) fn gat_layers(&self) -> Vec<Gat> {
        let mut input = self.features();
        let layer = |number: usize| {
            let last = number + 1 == self.layers;
            let dim = if last { self.hidden } else { self.head_dim.unwrap_or(self.hidden) };
            let layer = Gat { input, heads: self.heads[number], dim, concat: !last };
            input = layer.width();
            layer
        };
        (0..self.layers).map(layer).collect()
    }
}

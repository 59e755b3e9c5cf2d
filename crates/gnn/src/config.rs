//! Settings of an encoder.

use serde::{Deserialize, Serialize};

use crate::error::GraphError;
use crate::layers::{Gat, Gcn, Gru, Layer};

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

/// How node states become one vector a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Readout {
    /// The state of the nodes that are reached last: of END downward, of START upward. If a graph has several nodes
    /// without successors, their sum.
    #[default]
    End,
    /// The sum of the states of all nodes in between: those with a predecessor and a successor.
    Sum,
}

/// Settings of an encoder. Make one with [`EncoderConfig::gru`], [`gcn`](Self::gcn) or [`gat`](Self::gat), which set what
/// the paper has, and change what should differ.
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
    /// Whether nodes have a mark: one more input feature.
    #[serde(default)]
    pub positional: bool,
    /// The width of states.
    pub hidden: usize,
    /// The number of layers.
    pub layers: usize,
    /// Attention heads of every layer; GAT alone.
    #[serde(default)]
    pub heads: Vec<usize>,
    /// The width of a head in all layers but the last; `hidden` if not given. GAT alone.
    #[serde(default)]
    pub head_dim: Option<usize>,
    /// Both directions, or downward alone.
    pub bidirectional: bool,
    /// How node states become one vector.
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

    /// The same with another number of layers; GAT gets 3 heads in each, 4 in the last.
    pub fn with_layers(mut self, layers: usize) -> Self {
        self.layers = layers;
        if self.kind == Kind::Gat {
            self.heads = vec![3; layers.saturating_sub(1)];
            self.heads.push(4);
        }
        self
    }

    /// Whether the settings make sense together.
    pub fn check(&self) -> Result<(), GraphError> {
        let wrong = |setting, reason: &str| Err(GraphError::Setting { setting, reason: reason.into() });
        if self.types == 0 {
            return wrong("types", "there must be at least one node type");
        }
        if self.hidden == 0 {
            return wrong("hidden", "the width of states must be at least 1");
        }
        if self.layers == 0 {
            return wrong("layers", "an encoder needs at least one layer");
        }
        if self.kind == Kind::Gat {
            if self.heads.len() != self.layers {
                let reason = format!(
                    "{} numbers for {} layers: give one for each layer",
                    self.heads.len(),
                    self.layers
                );
                return Err(GraphError::Setting { setting: "heads", reason });
            }
            if self.heads.contains(&0) {
                return wrong("heads", "every layer needs at least one head");
            }
            if self.head_dim == Some(0) {
                return wrong("head_dim", "the width of a head must be at least 1");
            }
        } else if !self.heads.is_empty() || self.head_dim.is_some() {
            return wrong("heads", "only GAT has heads: leave `heads` and `head_dim` out");
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

    /// The layers of one direction, first to last.
    pub(crate) fn stack(&self) -> Vec<Box<dyn Layer>> {
        let mut input = self.features();
        (0..self.layers)
            .map(|number| {
                let layer: Box<dyn Layer> = match self.kind {
                    Kind::Gru => Box::new(Gru { input, hidden: self.hidden }),
                    Kind::Gcn => Box::new(Gcn { input, hidden: self.hidden }),
                    Kind::Gat => {
                        let last = number + 1 == self.layers;
                        let dim = if last { self.hidden } else { self.head_dim.unwrap_or(self.hidden) };
                        Box::new(Gat { input, heads: self.heads[number], dim, concat: !last })
                    }
                };
                input = layer.width();
                layer
            })
            .collect()
    }
}

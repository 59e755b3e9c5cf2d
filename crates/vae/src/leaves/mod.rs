//! The second half of the hierarchical model: which variable each leaf of a shape is.
//!
//! A formula consists of a [shape](crate::shape()) and the variables of its leaves. A VAE of shapes (settings
//! with `data.shapes`) has a vocabulary that does not grow with the number of variables. A [`LeafModel`] then
//! predicts the variables so that the formula has a given meaning. Its loss is that of the paper's appendix
//! D.2: the cross-entropy of the leaves, plus λ times the distance between the semantic vectors of prediction
//! and truth. The vector of the prediction comes from [fuzzy semantics](crate::fuzzy).

mod model;
mod pass;

pub use model::{LeafBatch, LeafLoss, LeafModel};

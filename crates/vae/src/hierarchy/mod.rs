//! The hierarchical model: trees first, then the variables at their leaves.
//!
//! A formula is a *shape*, its tree without the indices of variables, and the indices of its leaves. A VAE of shapes (settings
//! with `data.shapes`) has a vocabulary that does not grow with the number of variables; a [`LeafModel`] then says which
//! variable each leaf of a shape is, so that the whole has the meaning that is asked for. Its loss is that of the paper's
//! appendix D.2: the cross-entropy of a leaf plus λ times the distance between the semantic vectors of prediction and truth,
//! where the prediction's vector comes from [fuzzy values](fuzzy).

pub mod fuzzy;
mod leaves;
mod pass;
mod semantics;

use logicvae_logic::{Formula, Node, Var};

pub use leaves::{LeafBatch, LeafLoss, LeafModel};
pub use semantics::Semantics;

use crate::error::VaeError;

/// A formula without the indices of its variables: every leaf is x1.
///
/// ```
/// use logicvae_vae::hierarchy::shape;
/// assert_eq!(shape(&"x3 & !x7".parse().unwrap()), "x1 & !x1".parse().unwrap());
/// ```
pub fn shape(formula: &Formula) -> Formula {
    formula.rename(|_| Var::FIRST)
}

/// The indices of a formula's leaves from left to right, x1 being 0. A constant has none, and is refused.
pub fn indices(formula: &Formula) -> Result<Vec<u32>, VaeError> {
    let leaf = |node: Node| match node {
        Node::Var(v) => Some(Ok(v.position() as u32)),
        Node::True => {
            Some(Err(VaeError::Input("the constant 1 has no index: leaves are variables here".into())))
        }
        _ => None,
    };
    formula.preorder().filter_map(leaf).collect()
}

/// The formula of a shape with the given indices at its leaves, from left to right.
///
/// ```
/// use logicvae_vae::hierarchy::{indices, shape, with_indices};
/// let formula = "(x3 | x1) & !x7".parse().unwrap();
/// assert_eq!(with_indices(&shape(&formula), &indices(&formula)?)?, formula);
/// # Ok::<(), logicvae_vae::VaeError>(())
/// ```
pub fn with_indices(shape: &Formula, indices: &[u32]) -> Result<Formula, VaeError> {
    let mut names = indices.iter().map(|&index| Var::new(index + 1).ok());
    let mut missing = false;
    let formula = shape.rename(|old| {
        names.next().flatten().unwrap_or_else(|| {
            missing = true;
            old
        })
    });
    if missing || names.next().is_some() {
        return Err(VaeError::Input(format!("{} indices do not fit the leaves of {shape}", indices.len())));
    }
    Ok(formula)
}

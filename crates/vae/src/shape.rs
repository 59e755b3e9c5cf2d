//! Shapes: formulae without variable indices, for the hierarchical model.

use logicvae_logic::{Formula, Node, Var};

use crate::error::VaeError;

/// A formula without its variable indices: every leaf becomes x1.
///
/// ```
/// use logicvae_vae::shape;
/// assert_eq!(shape(&"x3 & !x7".parse().unwrap()), "x1 & !x1".parse().unwrap());
/// ```
pub fn shape(formula: &Formula) -> Formula {
    formula.rename(|_| Var::FIRST)
}

/// The variable indices of a formula's leaves from left to right, where x1 has index 0. Constants are an
/// error.
pub fn leaf_indices(formula: &Formula) -> Result<Vec<u32>, VaeError> {
    let leaf = |node: Node| match node {
        Node::Var(v) => Some(Ok(v.position() as u32)),
        Node::True => Some(Err(VaeError::Input(
            "the constant 1 has no variable index: simplify the formula first".into(),
        ))),
        _ => None,
    };
    formula.preorder().filter_map(leaf).collect()
}

/// The formula with a given shape and given variable indices at its leaves, from left to right.
pub(crate) fn with_leaf_indices(shape: &Formula, indices: &[u32]) -> Result<Formula, VaeError> {
    let mut names = indices.iter().map(|&index| Var::new(index + 1).ok());
    let mut missing = false;
    let formula = shape.rename(|old| {
        names.next().flatten().unwrap_or_else(|| {
            missing = true;
            old
        })
    });
    if missing || names.next().is_some() {
        return Err(VaeError::Input(format!(
            "there are {} indices for the leaves of {shape}",
            indices.len()
        )));
    }
    Ok(formula)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_and_its_indices_give_the_formula() {
        let formula: Formula = "(x3 | x1) & !x7".parse().unwrap();
        let indices = leaf_indices(&formula).unwrap();
        assert_eq!(indices, [2, 0, 6]);
        assert_eq!(with_leaf_indices(&shape(&formula), &indices).unwrap(), formula);
        assert!(with_leaf_indices(&shape(&formula), &indices[1..]).is_err());
    }
}

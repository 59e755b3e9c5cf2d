//! Fuzzy semantics: values between 0 and 1 instead of truth values, so that a formula with uncertain leaves
//! has a differentiable value. ¬x is 1 − x, x ∧ y is min(x, y), and x ∨ y is max(x, y). If all values are 0
//! or 1, this is ordinary logic. The gradient of min and max goes to the chosen operand, or to the left one
//! if both are equal.

use candle_core::{Shape, Tensor};
use logicvae_compute::{Operation, Real, apply};
use logicvae_logic::{Formula, Node};
use rayon::prelude::*;

use crate::error::VaeError;

/// The values of shapes at m assignments, `[shapes, m]`, from the values of their leaves, shape by shape and
/// from left to right: `[leaves, m]`. Differentiable.
pub fn values(shapes: &[Formula], leaves: &Tensor) -> Result<Tensor, VaeError> {
    let mut trees = Vec::with_capacity(shapes.len());
    let mut first = 0;
    for shape in shapes {
        let tree = Tree::new(shape, first);
        first += tree.leaves;
        trees.push(tree);
    }
    let (found, assignments) = leaves.dims2()?;
    if found != first {
        return Err(VaeError::Input(format!(
            "there are {found} rows of leaves, but the shapes have {first} leaves"
        )));
    }
    Ok(apply("fuzzy", Fuzzy { trees, assignments }, vec![leaves.clone()])?)
}

/// A node and its operands, which are positions in postorder.
#[derive(Clone, Copy)]
enum Part {
    /// A row of the input.
    Leaf(usize),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
}

/// A shape in postorder.
struct Tree {
    parts: Vec<Part>,
    /// The row of its first leaf.
    first: usize,
    leaves: usize,
}

impl Tree {
    fn new(shape: &Formula, first: usize) -> Self {
        let (mut parts, mut open, mut leaves) = (Vec::with_capacity(shape.size()), Vec::new(), 0);
        for node in shape.postorder() {
            let mut pop = || open.pop().unwrap_or_default();
            let part = match node {
                Node::Not => Part::Not(pop()),
                Node::And | Node::Or => {
                    let (right, left) = (pop(), pop());
                    if node == Node::And { Part::And(left, right) } else { Part::Or(left, right) }
                }
                Node::Var(_) | Node::True => {
                    leaves += 1;
                    Part::Leaf(first + leaves - 1)
                }
            };
            open.push(parts.len());
            parts.push(part);
        }
        Self { parts, first, leaves }
    }

    /// The values of all nodes, one row of `m` values per node.
    fn evaluate<T: Real>(&self, leaves: &[T], m: usize) -> Vec<T> {
        let mut all = vec![T::constant(0.0); self.parts.len() * m];
        for (position, part) in self.parts.iter().enumerate() {
            let (before, rest) = all.split_at_mut(position * m);
            let to = &mut rest[..m];
            let row = |number: usize| &before[number * m..(number + 1) * m];
            match *part {
                Part::Leaf(leaf) => to.copy_from_slice(&leaves[leaf * m..(leaf + 1) * m]),
                Part::Not(operand) => {
                    to.iter_mut().zip(row(operand)).for_each(|(to, &v)| *to = T::constant(1.0) - v);
                }
                Part::And(l, r) => fill(to, row(l), row(r), |l, r| if l <= r { l } else { r }),
                Part::Or(l, r) => fill(to, row(l), row(r), |l, r| if l >= r { l } else { r }),
            }
        }
        all
    }
}

fn fill<T: Real>(to: &mut [T], left: &[T], right: &[T], combine: impl Fn(T, T) -> T) {
    to.iter_mut().zip(left).zip(right).for_each(|((to, &l), &r)| *to = combine(l, r));
}

struct Fuzzy {
    trees: Vec<Tree>,
    assignments: usize,
}

impl<T: Real> Operation<T> for Fuzzy {
    type Memory = ();

    fn forward(&self, inputs: &[&[T]]) -> (Vec<T>, Shape, ()) {
        let m = self.assignments;
        let rows = self.trees.par_iter().map(|tree| {
            let all = tree.evaluate(inputs[0], m);
            all[all.len() - m..].to_vec()
        });
        (rows.collect::<Vec<Vec<T>>>().concat(), Shape::from((self.trees.len(), m)), ())
    }

    /// Values are recomputed: that is cheaper than storing them for all nodes.
    fn backward(&self, inputs: &[&[T]], _: &[bool], (): (), grad: &[T]) -> Vec<Vec<T>> {
        let m = self.assignments;
        let rows = self.trees.par_iter().zip(grad.par_chunks(m)).map(|(tree, grad)| {
            let values = tree.evaluate(inputs[0], m);
            let mut slopes = vec![T::constant(0.0); values.len()];
            let root = values.len() - m;
            slopes[root..].copy_from_slice(grad);
            let mut out = vec![T::constant(0.0); tree.leaves * m];
            for (position, part) in tree.parts.iter().enumerate().rev() {
                let (below, rest) = slopes.split_at_mut(position * m);
                let from = &rest[..m];
                match *part {
                    Part::Leaf(leaf) => out[(leaf - tree.first) * m..][..m].copy_from_slice(from),
                    Part::Not(operand) => below[operand * m..][..m]
                        .iter_mut()
                        .zip(from)
                        .for_each(|(to, &g)| *to = T::constant(0.0) - g),
                    Part::And(l, r) | Part::Or(l, r) => {
                        let least = matches!(part, Part::And(..));
                        for column in 0..m {
                            let (left, right) = (values[l * m + column], values[r * m + column]);
                            let chosen = if (left <= right) == least || left == right { l } else { r };
                            below[chosen * m + column] = from[column];
                        }
                    }
                }
            }
            out
        });
        vec![rows.collect::<Vec<Vec<T>>>().concat()]
    }
}

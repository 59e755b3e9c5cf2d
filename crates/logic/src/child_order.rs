//! The order of the children of ∧ and ∨: swapping them, and a canonical order.

use crate::formula::Formula;
use crate::node::arity;
use crate::random::mix64;

impl Formula {
    /// Swaps the children of every ∧ and ∨ for which `swap` returns true. `swap` is called once per binary
    /// node with its preorder position in `self`, in preorder of the result.
    ///
    /// ```
    /// let f: logicvae_logic::Formula = "x1 & (x2 | x3)".parse().unwrap();
    /// assert_eq!(f.with_swaps(|_| true).to_string(), "(x3 | x2) & x1");
    /// ```
    pub fn with_swaps(&self, mut swap: impl FnMut(usize) -> bool) -> Formula {
        let (codes, ends) = (self.codes(), self.ends());
        let mut out = Vec::with_capacity(codes.len());
        let mut due = vec![0];
        while let Some(at) = due.pop() {
            out.push(codes[at]);
            match arity(codes[at]) {
                0 => {}
                1 => due.push(at + 1),
                _ => {
                    let (left, right) = (at + 1, ends[at + 1]);
                    due.extend(if swap(at) { [left, right] } else { [right, left] });
                }
            }
        }
        Formula::from_codes(out)
    }

    /// The tree with the children of every ∧ and ∨ in a canonical order that depends only on the two
    /// subtrees. Formulae that differ only in the order of children have the same sorted form; all others
    /// have different ones.
    ///
    /// Subtrees are compared by root, then size, then a 64-bit hash. Two different subtrees that agree in all
    /// three keep their order, so a hash collision can make two reorderings compare unequal. The result is
    /// always a reordering of the formula, so formulae that are not reorderings of each other never compare
    /// equal.
    ///
    /// ```
    /// let sorted = |f: &str| f.parse::<logicvae_logic::Formula>().unwrap().sorted();
    /// assert_eq!(sorted("x1 & (x2 | !x3)"), sorted("(!x3 | x2) & x1"));
    /// assert_ne!(sorted("x1 & x2 | x3"), sorted("x1 & x3 | x2"));
    /// ```
    pub fn sorted(&self) -> Formula {
        let (codes, ends) = (self.codes(), self.ends());
        let mut keys = vec![(0u32, 0usize, 0u64); codes.len()];
        let mut swaps = vec![false; codes.len()];
        for at in (0..codes.len()).rev() {
            let code = u64::from(codes[at]);
            let hash = match arity(codes[at]) {
                0 => mix64(code),
                1 => mix64(mix64(code) ^ keys[at + 1].2),
                _ => {
                    let (left, right) = (keys[at + 1], keys[ends[at + 1]]);
                    swaps[at] = right < left;
                    let (first, second) = if swaps[at] { (right, left) } else { (left, right) };
                    mix64(mix64(mix64(code) ^ first.2).wrapping_add(second.2))
                }
            };
            keys[at] = (codes[at], ends[at] - at, hash);
        }
        self.with_swaps(|at| swaps[at])
    }
}

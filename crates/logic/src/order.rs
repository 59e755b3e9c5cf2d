//! The order of the children of ∧ and ∨: swapped, or sorted away.

use crate::formula::Formula;
use crate::node::arity;

impl Formula {
    /// The tree with children of ∧ and ∨ exchanged wherever `swap` says so; it is asked once for each, in preorder of the
    /// result.
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

    /// The tree with the children of every ∧ and ∨ in a fixed order, which depends on the two subtrees alone. Formulae that
    /// differ only in the order of children have the same sorted form, and no others have.
    ///
    /// Subtrees are compared by root, size, and then by a 64-bit hash: two that agree in all three and still differ would
    /// keep their order. The sorted form is always a reordering, so unequal formulae are never called equal.
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
                0 => mix(code),
                1 => mix(mix(code) ^ keys[at + 1].2),
                _ => {
                    let (left, right) = (keys[at + 1], keys[ends[at + 1]]);
                    swaps[at] = right < left;
                    let (first, second) = if swaps[at] { (right, left) } else { (left, right) };
                    mix(mix(mix(code) ^ first.2).wrapping_add(second.2))
                }
            };
            keys[at] = (codes[at], ends[at] - at, hash);
        }
        self.with_swaps(|at| swaps[at])
    }
}

/// The finaliser of SplitMix64: every bit of the input changes every bit of the output.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

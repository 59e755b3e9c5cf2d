//! The bit-parallel engine: `64 * W` assignments at once, one bit each.
//!
//! A node's values at all of them are a *row* of `W` words. Negation costs nothing: an operand is a row and a flag.
//! With flags, `a | b` is `!(!a & !b)`, so every inner node is one AND of two rows, each flipped or not, a loop
//! without branches that the compiler turns into vector instructions. Leaves are rows that are there already.

use super::batch::Assignments;
use crate::formula::Formula;
use crate::node::{AND, NOT, OR, TRUE, VAR};

/// Rows of one thread: the constant 1, the variables, then results that are still needed.
pub(super) struct Lanes<const W: usize> {
    rows: Vec<[u64; W]>,
    variables: usize,
    operands: Vec<u32>,
}

impl<const W: usize> Lanes<W> {
    pub fn new(variables: usize) -> Self {
        let mut rows = vec![[0; W]; 1 + variables];
        rows[0] = [!0; W];
        Self { rows, variables, operands: Vec::new() }
    }

    /// Loads words `block * W ..` of every variable.
    pub fn load(&mut self, assignments: &Assignments, block: usize) {
        for (variable, row) in self.rows[1..=self.variables].iter_mut().enumerate() {
            assignments.fill(variable, block, row);
        }
    }

    /// The formula's values at the loaded assignments. Its variables must be among the loaded ones.
    ///
    /// An operand is `row << 1 | flipped`. Results are used in the reverse order of their making, so their rows are a
    /// stack above the variables' rows.
    #[inline(always)]
    fn values(&mut self, codes: &[u32]) -> [u64; W] {
        let first = 1 + self.variables;
        let mut used = first;
        self.operands.clear();
        let mut top = TRUE; // the newest operand, kept out of the vector; its start value is never used
        let mut any = false;
        for &code in codes.iter().rev() {
            match code {
                NOT => top ^= 1,
                AND | OR => {
                    let flip = u32::from(code == OR);
                    let (left, right) = (top ^ flip, self.operands.pop().unwrap_or_default() ^ flip);
                    used -= usize::from((left >> 1) as usize >= first) + usize::from((right >> 1) as usize >= first);
                    let (a, b) = (&self.rows[(left >> 1) as usize], &self.rows[(right >> 1) as usize]);
                    let (flip_a, flip_b) = (mask(left), mask(right));
                    let result = std::array::from_fn(|i| (a[i] ^ flip_a) & (b[i] ^ flip_b));
                    match self.rows.get_mut(used) {
                        Some(row) => *row = result,
                        None => self.rows.push(result),
                    }
                    top = (used as u32) << 1 | flip;
                    used += 1;
                }
                leaf => {
                    if any {
                        self.operands.push(top);
                    }
                    any = true;
                    top = leaf.saturating_sub(VAR) << 1;
                }
            }
        }
        let flip = mask(top);
        self.rows[(top >> 1) as usize].map(|word| word ^ flip)
    }
}

/// All ones if the operand is flipped.
fn mask(operand: u32) -> u64 {
    u64::from(operand & 1).wrapping_neg()
}

/// Evaluates formulae at all assignments; `out` has `words` words for each formula.
pub(super) fn evaluate(formulae: &[Formula], assignments: &Assignments, out: &mut [u64], words: usize) {
    match words {
        1 => dispatch::<1>(formulae, assignments, out, words),
        2 => dispatch::<2>(formulae, assignments, out, words),
        3..=4 => dispatch::<4>(formulae, assignments, out, words),
        5..=8 => dispatch::<8>(formulae, assignments, out, words),
        _ => dispatch::<16>(formulae, assignments, out, words),
    }
}

fn dispatch<const W: usize>(formulae: &[Formula], assignments: &Assignments, out: &mut [u64], words: usize) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, as was just seen.
        return unsafe { with_avx2::<W>(formulae, assignments, out, words) };
    }
    blocks::<W>(formulae, assignments, out, words);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<const W: usize>(formulae: &[Formula], assignments: &Assignments, out: &mut [u64], words: usize) {
    blocks::<W>(formulae, assignments, out, words);
}

/// Blocks outside, formulae inside: the variables' rows are loaded once for all formulae.
#[inline(always)]
fn blocks<const W: usize>(formulae: &[Formula], assignments: &Assignments, out: &mut [u64], words: usize) {
    let mut lanes = Lanes::<W>::new(assignments.variables());
    for block in 0..words.div_ceil(W) {
        lanes.load(assignments, block);
        let start = block * W;
        let kept = W.min(words - start);
        for (formula, row) in formulae.iter().zip(out.chunks_exact_mut(words)) {
            let values = lanes.values(formula.codes());
            row[start..start + kept].copy_from_slice(&values[..kept]);
        }
    }
    let unused = words * 64 - assignments.len();
    for row in out.chunks_exact_mut(words) {
        row[words - 1] &= !0 >> unused;
    }
}

//! The bit-parallel engine: `64 * W` assignments at once, one bit each, in rows of `W` words.

use super::batch::Assignments;
use super::program::{Programs, Step, first_result};
use crate::formula::Formula;
use crate::node::{TRUE, VAR};

/// Evaluates formulae at all assignments; `out` has `words` words for each formula.
pub(super) fn evaluate(formulae: &[Formula], assignments: &Assignments, out: &mut [u64], words: usize) {
    // A result of every inner node is kept; for very large formulae, one word wide is wide enough.
    const LARGE: usize = 1 << 14;
    match words {
        _ if formulae.iter().any(|f| f.size() > LARGE) => dispatch::<1>(formulae, assignments, out, words),
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

/// Blocks of assignments outside, formulae inside: the variables' rows are loaded once for all formulae.
#[inline(always)]
fn blocks<const W: usize>(formulae: &[Formula], assignments: &Assignments, out: &mut [u64], words: usize) {
    let variables = assignments.variables();
    let programs = Programs::compile(formulae, variables);
    let first = first_result(variables);
    let longest = formulae.iter().map(Formula::size).max().unwrap_or(0) / 2;
    let mut rows = vec![[0; W]; first + longest];
    rows[TRUE as usize] = [!0; W];
    for block in 0..words.div_ceil(W) {
        for (variable, row) in rows[VAR as usize + 1..first].iter_mut().enumerate() {
            assignments.fill(variable, block, row);
        }
        let start = block * W;
        let kept = W.min(words - start);
        let mut done = 0;
        for (&(end, value), out) in programs.ends.iter().zip(out.chunks_exact_mut(words)) {
            for (result, step) in (first..).zip(&programs.steps[done..end]) {
                rows[result] = and(step, &rows);
            }
            done = end;
            let (row, flip) = (&rows[value.row()], value.mask());
            out[start..start + kept].iter_mut().zip(row).for_each(|(word, value)| *word = value ^ flip);
        }
    }
    let unused = words * 64 - assignments.len();
    for row in out.chunks_exact_mut(words) {
        row[words - 1] &= !0 >> unused;
    }
}

#[inline(always)]
fn and<const W: usize>(step: &Step, rows: &[[u64; W]]) -> [u64; W] {
    let (left, right) = (&rows[step.left.row()], &rows[step.right.row()]);
    let (flip_left, flip_right) = (step.left.mask(), step.right.mask());
    std::array::from_fn(|i| (left[i] ^ flip_left) & (right[i] ^ flip_right))
}

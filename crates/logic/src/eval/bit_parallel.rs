//! The bit-parallel evaluator: `64 * W` assignments at once, one bit each, in rows of `W` words.
//!
//! Node types follow no pattern that a branch predictor could learn, and a misprediction costs more than
//! processing a row. The evaluator is therefore a stack machine without branches: for every node it applies
//! the same operations to the top row of the stack, the row below it and a leaf row, and masks for each node
//! type select the right result.

use super::batch::Assignments;
#[cfg(target_arch = "x86_64")]
use super::short_avx512;
use crate::formula::Formula;
use crate::node::{TRUE, VAR};

const NO: u64 = 0;
const YES: u64 = !0;

/// A row of words, aligned to a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Row<const W: usize>(pub(super) [u64; W]);

/// The effect of a node on the stack. With the rows `top`, `below` and `leaf`, the new top is `leaf` where
/// `is_leaf` is set, and `(top ^ flip) & (below ^ flip | ignore) ^ (flip & !ignore)` elsewhere. Masks are
/// stored as whole rows so that they can be used without broadcasting.
#[derive(Clone, Copy)]
struct Action<const W: usize> {
    is_leaf: Row<W>,
    flip: Row<W>,
    ignore: Row<W>,
    /// The change of the stack height.
    growth: isize,
}

/// The actions, indexed by node code; all codes from [`VAR`] + 1 on are leaves.
fn actions<const W: usize>() -> [Action<W>; 5] {
    let action = |is_leaf, flip, ignore, growth| {
        let row = |mask| Row([mask; W]);
        Action { is_leaf: row(is_leaf), flip: row(flip), ignore: row(ignore), growth }
    };
    let leaf = action(YES, NO, NO, 1);
    let not = action(NO, YES, YES, 0); // !top
    let and = action(NO, NO, NO, -1); // top & below
    let or = action(NO, YES, NO, -1); // !(!top & !below)
    [leaf, not, and, or, leaf]
}

/// Leaf rows, indexed by node code: all ones for [`TRUE`], three unused rows for the operators, then the
/// variables.
fn leaf_rows<const W: usize>(variables: usize) -> Vec<Row<W>> {
    let mut rows = vec![Row([0; W]); VAR as usize + 1 + variables];
    rows[TRUE as usize] = Row([YES; W]);
    rows
}

/// The formula's values at the assignments in `leaves`. Reversed preorder visits operands before their
/// operators.
#[inline(always)]
fn values<const W: usize>(
    codes: &[u32],
    actions: &[Action<W>; 5],
    leaves: &[Row<W>],
    stack: &mut [Row<W>],
) -> [u64; W] {
    let mut top = [0; W];
    let mut below = 0usize; // the number of stack rows below the top
    for &code in codes.iter().rev() {
        let action = &actions[code.min(VAR + 1) as usize];
        let (is_leaf, flip, ignore) = (&action.is_leaf.0, &action.flip.0, &action.ignore.0);
        let leaf = &leaves[code as usize].0;
        let under = stack[below].0;
        stack[below + 1].0 = top;
        top = std::array::from_fn(|i| {
            let result = ((top[i] ^ flip[i]) & ((under[i] ^ flip[i]) | ignore[i])) ^ (flip[i] & !ignore[i]);
            (leaf[i] & is_leaf[i]) | (result & !is_leaf[i])
        });
        below = below.wrapping_add_signed(action.growth);
    }
    top
}

/// A formula has a variable out of range.
pub(super) struct VariableOutOfRange;

/// Evaluates formulae at all assignments; `out` has `words` words for each formula. Writes nothing if a
/// formula has a variable out of range.
pub(super) fn evaluate(
    formulae: &[Formula],
    assignments: &Assignments,
    out: &mut [u64],
    words: usize,
) -> Result<(), VariableOutOfRange> {
    // The stack has one row for each node of the largest formula; very large formulae use rows of one word to
    // save memory.
    const LARGE: usize = 1 << 14;
    let largest = formulae.iter().map(Formula::size).max().unwrap_or(0);
    let part = Part { formulae, assignments, words, largest };
    match words {
        _ if largest > LARGE => dispatch::<1>(&part, out),
        1 => dispatch::<1>(&part, out),
        2 => dispatch::<2>(&part, out),
        3..=4 => dispatch::<4>(&part, out),
        5..=8 => dispatch::<8>(&part, out),
        _ => dispatch::<16>(&part, out),
    }?;
    let unused = words * 64 - assignments.len();
    for row in out.chunks_exact_mut(words) {
        row[words - 1] &= YES >> unused;
    }
    Ok(())
}

/// The work of one thread.
pub(super) struct Part<'a> {
    pub(super) formulae: &'a [Formula],
    pub(super) assignments: &'a Assignments,
    pub(super) words: usize,
    /// The size of the largest formula.
    pub(super) largest: usize,
}

/// Selects the version compiled for the widest vector instructions of this processor.
fn dispatch<const W: usize>(part: &Part<'_>, out: &mut [u64]) -> Result<(), VariableOutOfRange> {
    #[cfg(target_arch = "x86_64")]
    {
        if short_avx512::is_available()
            && part.largest <= short_avx512::MAX_NODES
            && part.assignments.variables() <= short_avx512::MAX_VARIABLES
        {
            // SAFETY: `is_available` has checked that the processor has the required features.
            return unsafe { short_avx512::blocks::<W>(part, out) };
        }
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the check above ensures that the processor has AVX-512.
            return unsafe { with_avx512::<W>(part, out) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the check above ensures that the processor has AVX2.
            return unsafe { with_avx2::<W>(part, out) };
        }
    }
    blocks::<W>(part, out)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn with_avx512<const W: usize>(part: &Part<'_>, out: &mut [u64]) -> Result<(), VariableOutOfRange> {
    blocks::<W>(part, out)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<const W: usize>(part: &Part<'_>, out: &mut [u64]) -> Result<(), VariableOutOfRange> {
    blocks::<W>(part, out)
}

/// Evaluates block by block, so that the rows of the variables are loaded once for all formulae.
#[inline(always)]
fn blocks<const W: usize>(part: &Part<'_>, out: &mut [u64]) -> Result<(), VariableOutOfRange> {
    let &Part { formulae, assignments, words, largest } = part;
    if formulae.iter().any(|f| f.max_variable() as usize > assignments.variables()) {
        return Err(VariableOutOfRange);
    }
    let actions = actions::<W>();
    let mut leaves = leaf_rows::<W>(assignments.variables());
    let mut stack = vec![Row([0; W]); largest + 2];
    for block in 0..words.div_ceil(W) {
        for (variable, row) in leaves[VAR as usize + 1..].iter_mut().enumerate() {
            assignments.fill(variable, block, &mut row.0);
        }
        let start = block * W;
        let kept = W.min(words - start);
        for (formula, out) in formulae.iter().zip(out.chunks_exact_mut(words)) {
            let values = values(formula.codes(), &actions, &leaves, &mut stack);
            out[start..start + kept].copy_from_slice(&values[..kept]);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::SamplerParams;

    type Version = fn(&Part<'_>, &mut [u64]) -> Result<(), VariableOutOfRange>;

    /// Every version that this processor can run.
    fn versions<const W: usize>() -> Vec<(&'static str, Version)> {
        #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
        let mut all: Vec<(&'static str, Version)> = vec![("portable", blocks::<W>)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the check above ensures that the processor has AVX2.
                all.push(("AVX2", |part, out| unsafe { with_avx2::<W>(part, out) }));
            }
            if is_x86_feature_detected!("avx512f") {
                // SAFETY: the check above ensures that the processor has AVX-512.
                all.push(("AVX-512", |part, out| unsafe { with_avx512::<W>(part, out) }));
            }
            if short_avx512::is_available() {
                // SAFETY: `is_available` has checked that the processor has the required features.
                all.push(("short", |part, out| unsafe { short_avx512::blocks::<W>(part, out) }));
            }
        }
        all
    }

    /// Checks all versions and widths against the evaluation of one assignment at a time.
    fn agree<const W: usize>() {
        let formulae =
            SamplerParams::new(9).check().expect("valid settings").distinct(1, 60).expect("not empty");
        for assignments in
            [Assignments::all(9).expect("few variables"), Assignments::uniform(9, 700, 3).expect("not empty")]
        {
            let words = assignments.len().div_ceil(64);
            let largest = formulae.iter().map(Formula::size).max().unwrap_or(0);
            let part = Part { formulae: &formulae, assignments: &assignments, words, largest };
            for (name, version) in versions::<W>() {
                let mut out = vec![0; formulae.len() * words];
                assert!(version(&part, &mut out).is_ok());
                for (formula, row) in formulae.iter().zip(out.chunks(words)) {
                    for i in 0..assignments.len() {
                        let expected = formula.evaluate(&assignments.get(i)).expect("variables in range");
                        assert_eq!(
                            row[i / 64] >> (i % 64) & 1 == 1,
                            expected,
                            "{name}, {W} words: {formula} at {i}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn every_version_and_width_gives_the_same_values() {
        agree::<1>();
        agree::<2>();
        agree::<4>();
        agree::<8>();
        agree::<16>();
    }
}

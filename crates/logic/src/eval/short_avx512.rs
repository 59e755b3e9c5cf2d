//! A faster evaluator for formulae of at most 64 nodes, on processors with AVX-512. It takes one step per
//! operator instead of one step per node.
//!
//! First, each formula is *planned*, all of its nodes at once: its 64 codes are one vector of bytes, and
//! properties of nodes are masks of 64 bits. Planning removes negations, which leaves a tree of binary
//! operators, and finds the rows of each operator's operands. Evaluating an operator then takes two loads,
//! one operation and one store, and a leaf costs nothing. All formulae are planned before any is evaluated:
//! if the two phases alternated, each would wait for the results of the other.

use std::arch::x86_64::*;

use super::bit_parallel::{Part, Row, VariableOutOfRange};
use crate::node::{AND, NOT, OR, TRUE, VAR};

pub(super) const MAX_NODES: usize = 64;
/// The largest number of variables for which every row number fits in a byte.
pub(super) const MAX_VARIABLES: usize = (u8::MAX - LEAVES) as usize / 2 - VAR as usize;

/// 64 nodes contain at most 31 binary operators; each writes its own row.
const OPERATORS: usize = 32;
/// Leaf rows follow the operator rows: row `LEAVES + 2 * code`, and its negation in the next row.
const LEAVES: u8 = OPERATORS as u8;

pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

/// One row for each value of a byte, so that indexing by a byte needs no bounds check.
const ROWS: usize = 1 << u8::BITS;

/// The operations, indexed by kind: two consecutive masks `m` and `q` for `((a ^ m) & (b ^ m)) ^ q`. Indexing
/// by any byte and the one after it is in bounds.
const KINDS: [u64; ROWS + 1] = {
    let (and, or, not_and, not_or) = ([0, 0], [!0, !0], [0, !0], [!0, 0]);
    let mut kinds = [0; ROWS + 1];
    let mut mask = 0;
    while mask < 2 {
        kinds[mask] = and[mask];
        kinds[IS_OR as usize + mask] = or[mask];
        kinds[IS_NEGATED as usize + mask] = not_and[mask];
        kinds[(IS_OR + IS_NEGATED) as usize + mask] = not_or[mask];
        mask += 1;
    }
    kinds
};
/// A kind is a sum of these flags. They are even, because each kind has two masks.
const IS_OR: i8 = 2;
const IS_NEGATED: i8 = 4;

/// A formula without its negations, in preorder.
#[repr(align(64))]
struct Plan {
    /// The row of every node: the row of a leaf, or for an operator its own number, which is the row that it
    /// writes.
    rows: [u8; MAX_NODES],
    /// For each operator, the preorder position just after it, where its left operand begins.
    after: [u8; OPERATORS],
    /// For each operator, the row of its left operand.
    left: [u8; OPERATORS],
    /// The kind of each operator.
    kinds: [u8; OPERATORS],
    operators: usize,
    /// The positions of all right operands, as a bit mask.
    right: u64,
}

/// The plan of a formula of at most [`MAX_NODES`] nodes; `None` if a code is above `largest`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,bmi2,popcnt")]
fn plan(codes: &[u32], largest: u8) -> Option<Plan> {
    // Other lengths would shift by 64 bits or more, and read beyond the codes.
    assert!((1..=MAX_NODES).contains(&codes.len()), "a formula of {} nodes", codes.len());
    let all = !0 >> (MAX_NODES - codes.len());
    let sixteen = |from: usize| {
        // SAFETY: the mask has ones only for codes within the slice, and no other memory is read.
        unsafe { _mm512_maskz_loadu_epi32((all >> from) as u16, codes.as_ptr().wrapping_add(from).cast()) }
    };
    // Packing interleaves the four vectors in groups of four codes. Codes that do not fit in a byte saturate
    // to 255.
    let packed = _mm512_packus_epi16(
        _mm512_packs_epi32(sixteen(0), sixteen(16)),
        _mm512_packs_epi32(sixteen(32), sixteen(48)),
    );
    let in_order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    let codes = _mm512_permutexvar_epi32(in_order, packed);
    if _mm512_cmpgt_epu8_mask(codes, byte(largest)) != 0 {
        return None;
    }

    let not = _mm512_cmpeq_epi8_mask(codes, byte(NOT as u8));
    let kept = all & !not;
    let negated = _pext_u64(after_odd_runs(not), kept);
    let codes = _mm512_maskz_compress_epi8(kept, codes);
    let all = !0 >> (MAX_NODES as u32 - kept.count_ones());

    let or = _mm512_cmpeq_epi8_mask(codes, byte(OR as u8));
    let operators = or | _mm512_cmpeq_epi8_mask(codes, byte(AND as u8));
    let leaves = all & !operators;
    let leaf_rows = _mm512_add_epi8(_mm512_add_epi8(codes, codes), byte(LEAVES));
    let leaf_rows = _mm512_mask_add_epi8(leaf_rows, negated, leaf_rows, byte(1));
    // SAFETY: both types have 64 bytes and accept any bit pattern.
    let numbers = unsafe { std::mem::transmute::<[u8; 64], __m512i>(NUMBERS) };
    let rows = _mm512_mask_expand_epi8(leaf_rows, operators, numbers);
    let kinds = _mm512_maskz_set1_epi8(or, IS_OR);
    let kinds = _mm512_mask_add_epi8(kinds, negated, kinds, _mm512_set1_epi8(IS_NEGATED));
    let compress = |mask: u64, from| {
        // SAFETY: both types have 64 bytes and accept any bit pattern.
        let [first, _] = unsafe {
            std::mem::transmute::<__m512i, [[u8; OPERATORS]; 2]>(_mm512_maskz_compress_epi8(mask, from))
        };
        first
    };
    Some(Plan {
        // SAFETY: both types have 64 bytes and accept any bit pattern.
        rows: unsafe { std::mem::transmute::<__m512i, [u8; MAX_NODES]>(rows) },
        after: compress(operators << 1, numbers),
        // The node after an operator is its left operand.
        left: compress(operators << 1, rows),
        kinds: compress(operators, kinds),
        operators: operators.count_ones() as usize,
        // A left operand ends with a leaf, and the node after it is the right operand.
        right: leaves << 1 & all,
    })
}

const NUMBERS: [u8; 64] = {
    let mut numbers = [0; 64];
    let mut i = 0;
    while i < 64 {
        numbers[i] = i as u8;
        i += 1;
    }
    numbers
};

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn byte(value: u8) -> __m512i {
    _mm512_set1_epi8(value as i8)
}

/// The positions just after runs of ones of odd length. Adding its first bit to a run carries into the
/// position after the run.
fn after_odd_runs(bits: u64) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let starts = bits & !(bits << 1);
    let from_even = bits.wrapping_add(starts & EVEN) & !EVEN;
    let from_odd = bits.wrapping_add(starts & !EVEN) & EVEN;
    (from_even | from_odd) & !bits
}

/// Evaluates the operators in reverse preorder, so that operands come first. The right operand of an operator
/// is the nearest following right operand that no other operator has used yet.
#[inline(always)]
fn values<'a, const W: usize>(plan: &Plan, rows: &'a mut [Row<W>; ROWS]) -> &'a [u64; W] {
    let mut right = plan.right;
    for operator in (0..plan.operators.min(OPERATORS)).rev() {
        // Subtracting borrows from the nearest such bit and clears it; all bits in between are zero.
        let left = right & right.wrapping_sub(1 << (plan.after[operator] % 64));
        let place = (right ^ left).trailing_zeros() % 64;
        right = left;
        let a = &rows[plan.left[operator] as usize].0;
        let b = &rows[plan.rows[place as usize] as usize].0;
        let kind = plan.kinds[operator] as usize;
        let (m, q) = (KINDS[kind], KINDS[kind + 1]);
        rows[operator] = Row(std::array::from_fn(|i| ((a[i] ^ m) & (b[i] ^ m)) ^ q));
    }
    &rows[plan.rows[0] as usize].0
}

/// Copies the beginning of a row. A separate function, because otherwise the compiler also copies whole rows
/// with this slower code.
#[inline(never)]
fn copy_part(row: &[u64], out: &mut [u64]) {
    out.copy_from_slice(&row[..out.len()]);
}

/// Like `bit_parallel::evaluate`, for formulae and assignments within the limits of this evaluator.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) fn blocks<const W: usize>(part: &Part<'_>, out: &mut [u64]) -> Result<(), VariableOutOfRange> {
    let &Part { formulae, assignments, words, .. } = part;
    let variables = assignments.variables();
    // More variables have no rows. Results that do not fit would be left out.
    assert!(variables <= MAX_VARIABLES && out.len() == formulae.len() * words, "a part of another size");
    let largest = (VAR as usize + variables) as u8;
    let leaf = |code: u32| LEAVES as usize + 2 * code as usize;
    let mut rows = vec![Row([0; W]); ROWS];
    // The vector has this length, so the conversion cannot fail. It removes the bounds check for each row.
    let rows: &mut [Row<W>; ROWS] = rows.as_mut_slice().try_into().map_err(|_| VariableOutOfRange)?;
    rows[leaf(TRUE)] = Row([!0; W]);
    let mut plans = Vec::with_capacity(formulae.len());
    for formula in formulae {
        plans.push(plan(formula.codes(), largest).ok_or(VariableOutOfRange)?);
    }
    for block in 0..words.div_ceil(W) {
        for variable in 0..variables {
            let at = leaf(VAR + 1) + 2 * variable;
            assignments.fill(variable, block, &mut rows[at].0);
            rows[at + 1] = Row(rows[at].0.map(|word| !word));
        }
        let start = block * W;
        for (plan, out) in plans.iter().zip(out.chunks_exact_mut(words)) {
            let (row, out) = (values(plan, rows), &mut out[start..]);
            match out.first_chunk_mut() {
                Some(whole) => *whole = *row,
                None => copy_part(row, out),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::batch::Assignments;
    use super::*;
    use crate::formula::{Formula, x};
    use crate::sample::SamplerParams;

    fn evaluate(formulae: &[Formula], assignments: &Assignments) -> Option<Vec<u64>> {
        let words = assignments.len().div_ceil(64);
        let mut out = vec![0; formulae.len() * words];
        let part = Part { formulae, assignments, words, largest: MAX_NODES };
        assert!(is_available());
        // SAFETY: the evaluator is available.
        unsafe { blocks::<4>(&part, &mut out) }.is_ok().then_some(out)
    }

    fn check(formulae: &[Formula], variables: usize) {
        let assignments = Assignments::uniform(variables, 300, 1).expect("not empty");
        let out = evaluate(formulae, &assignments).expect("variables in range");
        for (formula, row) in formulae.iter().zip(out.chunks(5)) {
            assert!(formula.size() <= MAX_NODES, "{formula}");
            for i in 0..assignments.len() {
                let expected = formula.evaluate(&assignments.get(i)).expect("variables in range");
                assert_eq!(row[i / 64] >> (i % 64) & 1 == 1, expected, "{formula} at {i}");
            }
        }
    }

    #[test]
    #[cfg_attr(not(avx512_evaluator), ignore = "this machine has no AVX-512 with VBMI2")]
    fn extreme_shapes_are_evaluated() {
        let negations = |n: usize, f: Formula| (0..n).fold(f, |f, _| !f);
        let left = |n: u32| (2..=n).fold(x(1), |f, i| if i % 3 == 0 { !(f & x(i)) } else { f | !x(i) });
        let right = |n: u32| (2..=n).fold(x(1), |f, i| if i % 3 == 0 { !(x(i) | f) } else { !!x(i) & f });
        let mut formulae =
            vec![Formula::truth(), Formula::falsity(), Formula::all((1..=32).map(x)), left(21), right(18)];
        formulae.extend((0..MAX_NODES).map(|n| negations(n, x(7))));
        formulae.extend((0..=61).map(|n| negations(n, x(7) | x(8))));
        formulae.extend((0..=30).map(|n| negations(n, Formula::truth()) & negations(59 - n, x(2) & x(1))));
        formulae.retain(|f| f.size() <= MAX_NODES);
        assert!(formulae.len() > 150 && formulae.iter().any(|f| f.size() == MAX_NODES));
        check(&formulae, 32);
    }

    #[test]
    #[cfg_attr(not(avx512_evaluator), ignore = "this machine has no AVX-512 with VBMI2")]
    fn large_formulae_and_many_variables_are_evaluated() {
        let sampler =
            SamplerParams { max_nodes: MAX_NODES, p_leaf: 0.3, ..SamplerParams::new(MAX_VARIABLES as u32) };
        let formulae = sampler.check().expect("valid settings").distinct(5, 300).expect("not empty");
        assert!(formulae.iter().any(|f| f.size() > 60));
        check(&formulae, MAX_VARIABLES);
    }

    #[test]
    #[cfg_attr(not(avx512_evaluator), ignore = "this machine has no AVX-512 with VBMI2")]
    fn formulae_that_are_too_large_are_not_read_beyond_their_end() {
        let large = Formula::all((0..33).map(|_| x(1)));
        assert_eq!(large.size(), MAX_NODES + 1);
        let assignments = Assignments::uniform(1, 10, 1).expect("not empty");
        let panic = std::panic::catch_unwind(|| evaluate(std::slice::from_ref(&large), &assignments));
        assert!(panic.is_err(), "it is an error of the caller");
    }

    #[test]
    #[cfg_attr(not(avx512_evaluator), ignore = "this machine has no AVX-512 with VBMI2")]
    fn variables_out_of_range_are_seen() {
        let assignments = Assignments::uniform(MAX_VARIABLES, 10, 1).expect("not empty");
        let largest = MAX_VARIABLES as u32;
        assert!(evaluate(&[x(largest)], &assignments).is_some());
        for variable in [largest + 1, 252, 253, 300, 32_764, 40_000, 65_533, 70_000, crate::MAX_VARIABLE] {
            assert!(evaluate(&[x(1), x(1) & x(variable)], &assignments).is_none(), "x{variable}");
        }
    }
}

//! Bit-parallel evaluation compared with naive evaluation, and simplification checked by truth table.

use logicvae_logic::{
    Assignment, Assignments, BatchError, Formula, SamplerParams, TableError, truth_tables, x,
};
use proptest::prelude::*;

use crate::naive::{Tree, formulae};

fn naive_table(f: &Formula, variables: u32) -> String {
    let tree = Tree::new(f);
    (0..1u64 << variables).map(|i| if tree.value(i) { '1' } else { '0' }).collect()
}

proptest! {
    /// Numbers of variables on both sides of every row width: 1, 2, 4, 8, 16 words, and several blocks.
    #[test]
    fn truth_tables_agree_with_the_naive_evaluator(
        f in formulae(4, 60), spread in 1u32..4, extra in 0u32..3
    ) {
        let f = f.rename(|v| (v.index() * spread).try_into().expect("small"));
        let n = 4 * spread + extra;
        let table = f.truth_table(n as usize).expect("few variables");
        let naive = naive_table(&f, n);
        prop_assert_eq!(table.count_ones() as usize, naive.matches('1').count());
        prop_assert_eq!(table.to_string(), naive);
    }

    #[test]
    fn one_assignment_agrees(f in formulae(6, 60), i in 0u64..64) {
        let a = Assignment::from_index(i, 6);
        prop_assert_eq!(f.evaluate(&a), Ok(Tree::new(&f).value(i)));
        prop_assert_eq!(f.sign(&a), Ok(if Tree::new(&f).value(i) { 1 } else { -1 }));
    }

    /// Sampled and observed batches of many lengths around the word and block sizes.
    #[test]
    fn batches_agree(fs in prop::collection::vec(formulae(7, 40), 1..6), m in 1usize..2100, seed: u64) {
        let drawn = Assignments::uniform(7, m, seed).expect("not empty");
        let rows: Vec<Assignment> = (0..m).map(|i| drawn.get(i)).collect();
        let observed = Assignments::observed(&rows).expect("same length");
        prop_assert_eq!(&observed, &drawn);
        let values = drawn.evaluate(&fs).expect("variables covered");
        for (r, f) in fs.iter().enumerate() {
            let naive = rows.iter().filter(|a| f.evaluate(a) == Ok(true)).count();
            prop_assert_eq!(values.count_ones(r) as usize, naive);
            prop_assert!(rows.iter().enumerate().all(|(i, a)| f.evaluate(a) == Ok(values.get(r, i))));
        }
    }

    #[test]
    fn simplifying_keeps_the_table_and_never_grows(f in formulae(5, 80)) {
        let simple = f.simplify();
        prop_assert_eq!(naive_table(&simple, 5), naive_table(&f, 5));
        prop_assert!(simple.size() <= f.size(), "{} became {}", f, simple);
        prop_assert_eq!(simple.simplify(), simple);
    }
}

proptest! {
    #[test]
    fn transposing_swaps_rows_and_columns(rows in 0usize..200, bits in 1usize..200, seed: u64) {
        let Ok(drawn) = Assignments::uniform(rows, bits, seed) else { return Ok(()) };
        let matrix = drawn.columns().expect("drawn").clone();
        let turned = matrix.transposed();
        prop_assert_eq!((turned.rows(), turned.bits()), (bits, rows));
        prop_assert!((0..rows).all(|r| (0..bits).all(|b| matrix.get(r, b) == turned.get(b, r))));
        prop_assert_eq!(turned.transposed(), matrix);
    }
}

#[test]
fn simplification_rules() {
    for (from, to) in [
        ("!!x1", "x1"),
        ("!!!x1", "!x1"),
        ("x1 & 1", "x1"),
        ("x1 & 0", "0"),
        ("x1 | 1", "1"),
        ("0 | x1", "x1"),
        ("!0", "1"),
        ("x1 & x1", "x1"),
        ("x1 | x2 | x1", "x1 | x2"),
        ("x1 & !x1", "0"),
        ("(x1 & x2) | !(x2 & x1)", "1"),
        ("x1 & (x1 | x2)", "x1"),
        ("x2 & x1 | x1", "x1"),
        ("x1 & (x2 & (x3 & x1))", "x1 & x2 & x3"),
        ("(x1 | x2) & (x3 | (x2 | x1) & 1)", "x2 | x1"),
        ("x1 & x2 & x3 | x4 | x3 & x1", "x4 | x3 & x1"),
        ("x1 & (0 | x2 & x1)", "x2 & x1"),
    ] {
        let parse = |t: &str| t.parse::<Formula>().expect("a formula");
        assert_eq!(parse(from).simplify().to_string(), to, "{from}");
    }
}

#[test]
fn twenty_variables_and_more() {
    let f = Formula::all((1..=20).map(x));
    let table = f.truth_table(20).expect("20 variables");
    assert!(table.count_ones() == 1 && table.get((1 << 20) - 1));
    assert_eq!(x(24).truth_table(24).expect("24 variables").count_ones(), 1 << 23);
    assert_eq!(x(1).truth_table(27), Err(TableError::TooManyVariables { variables: 27 }));
}

#[test]
fn no_variables_have_one_assignment() {
    assert_eq!(Formula::truth().truth_table(0).expect("none").to_string(), "1");
    assert_eq!(Formula::falsity().truth_table(0).expect("none").to_string(), "0");
}

#[test]
fn what_does_not_fit_is_refused() {
    let error = truth_tables(&[x(1), x(4)], 3).expect_err("x4 of 3").to_string();
    assert!(error.contains("formula 2") && error.contains("x4") && error.contains("3 variables"), "{error}");
    assert!(x(3).evaluate(&"10".parse().expect("two")).is_err());
    assert_eq!(Assignments::uniform(3, 0, 1), Err(BatchError::Empty));
    assert_eq!(Assignments::observed(&[]), Err(BatchError::Empty));
    let ragged = ["10", "101"].map(|t| t.parse().expect("bits"));
    assert_eq!(Assignments::observed(&ragged), Err(BatchError::Ragged { row: 2, found: 3, expected: 2 }));
    assert_eq!("10x".parse::<Assignment>().expect_err("not a bit").position, 3);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let formulae =
        SamplerParams::new(10).check().expect("valid settings").distinct(3, 1000).expect("enough formulae");
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| truth_tables(&formulae, 10).expect("ten variables"))
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn drawn_assignments_are_uniform() {
    let drawn = Assignments::uniform(3, 80_000, 9).expect("not empty");
    let mut counts = [0f64; 8];
    for i in 0..drawn.len() {
        let a = drawn.get(i);
        counts[a.values().iter().enumerate().map(|(b, &v)| usize::from(v) << b).sum::<usize>()] += 1.0;
    }
    let chi2: f64 = counts.iter().map(|c| (c - 10_000.0).powi(2) / 10_000.0).sum();
    assert!(chi2 < 24.3, "chi-square {chi2} of 7 degrees of freedom"); // 99.9 % quantile
}

//! Satisfiability, equivalence and model counting, by truth table and by SAT solver.

use logicvae_logic::{CountError, Equivalence, Formula, Var, x};
use proptest::prelude::*;

use crate::naive::formulae;

/// Adds variables so that the SAT solver has to decide, without changing whether the formula is satisfiable.
fn widened(f: &Formula, conjunction: bool) -> Formula {
    let extra = (101..=130).map(x);
    if conjunction { f & Formula::all(extra) } else { f & Formula::any(extra) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn models_satisfy(f in formulae(5, 40)) {
        let table = f.truth_table(5).expect("five");
        prop_assert_eq!(f.is_satisfiable(), table.count_ones() > 0);
        prop_assert_eq!(f.is_tautology(), table.count_ones() == 32);
        for g in [f.clone(), widened(&f, true), widened(&f, false)] {
            match g.find_model() {
                Some(model) => prop_assert_eq!(g.evaluate(&model), Ok(true)),
                None => prop_assert_eq!(table.count_ones(), 0),
            }
        }
    }

    #[test]
    fn differences_are_real(f in formulae(4, 30), g in formulae(4, 30)) {
        let same = f.truth_table(4) == g.truth_table(4);
        prop_assert_eq!(f.is_equivalent(&g), same);
        let both_widened = |conjunction| (widened(&f, conjunction), widened(&g, conjunction));
        for (a, b) in [(f.clone(), g.clone()), both_widened(true), both_widened(false)] {
            match a.compare(&b) {
                Equivalence::Equivalent => prop_assert!(same),
                Equivalence::Differ(at) => prop_assert_ne!(a.evaluate(&at), b.evaluate(&at)),
            }
        }
    }

    #[test]
    fn solver_and_table_agree_on_rewritten_formulae(f in formulae(30, 60)) {
        prop_assert!(f.is_equivalent(&f.simplify()));
        prop_assert!(!f.is_equivalent(&!&f));
    }

    #[test]
    fn counts_agree_with_tables(f in formulae(12, 60)) {
        let models = u128::from(f.truth_table(12).expect("twelve").count_ones());
        prop_assert_eq!(f.count_models(12), Ok(models));
        prop_assert_eq!(f.count_models(14), Ok(models << 2));
        // 30 more variables that must not all be false, so that the count has to be decomposed.
        prop_assert_eq!(widened(&f, false).rename(squeeze).count_models(42), Ok(models * ((1 << 30) - 1)));
    }

    /// Truth tables of 24 variables are the reference; counting itself uses them only up to 20 variables.
    #[test]
    fn branching_counts_right(f in formulae(24, 100)) {
        let models = u128::from(f.truth_table(24).expect("24").count_ones());
        prop_assert_eq!(f.count_models(24), Ok(models));
    }
}

fn squeeze(v: Var) -> Var {
    if v.index() > 100 { Var::new(v.index() - 88).expect("13..") } else { v }
}

#[test]
fn entangled_formulae_are_counted_or_given_up() {
    // A ring: some neighbours differ. All 2^n assignments but the two constant ones satisfy it.
    let n = 40;
    let ring =
        Formula::any((1..=n).map(|i| format!("x{i} ^ x{}", i % n + 1).parse::<Formula>().expect("xor")));
    assert_eq!(ring.count_models(40), Ok((1 << 40) - 2));
    assert_eq!(x(3).count_models(2), Err(CountError::Variable { variable: 3, variables: 2 }));
    assert_eq!(x(3).count_models(128), Err(CountError::TooManyVariables { variables: 128 }));
}

#[test]
fn pigeons_do_not_fit() {
    // Seven pigeons in six holes: unsatisfiable, with 42 variables, and hard enough to need clause learning.
    let at = |pigeon: u32, hole: u32| x(pigeon * 6 + hole + 1);
    let housed = (0..7).map(|p| Formula::any((0..6).map(|h| at(p, h))));
    let alone = (0..6).flat_map(|h| (0..7).flat_map(move |p| (0..p).map(move |q| !(at(p, h) & at(q, h)))));
    assert!(!Formula::all(housed.chain(alone)).is_satisfiable());
}

//! Relations within a set of formulae, against truth tables of all pairs.

use logicvae_logic::{Budget, Formula, Relations, mix64, relations, x};
use proptest::prelude::*;

use crate::naive::formulae;

/// All relations by truth tables.
fn by_tables(list: &[Formula], variables: usize) -> Relations {
    let tables: Vec<u64> = list.iter().map(|f| f.truth_table(variables).expect("small").words()[0]).collect();
    let all =
        tables.first().map_or(0, |_| Formula::truth().truth_table(variables).expect("small").words()[0]);
    let mut found = Relations::default();
    let ordinary = |table: u64| table != 0 && table != all;
    for (a, &first) in tables.iter().enumerate() {
        if first == 0 {
            found.unsatisfiable.push(a);
        }
        if first == all {
            found.tautologies.push(a);
        }
        for (b, &second) in tables.iter().enumerate() {
            if a == b || !ordinary(first) || !ordinary(second) {
                continue;
            }
            if a < b && first == second {
                found.equivalent.push((a, b));
            } else if first != second && first & !second == 0 {
                found.entails.push((a, b));
            }
            if a < b && first & second == 0 {
                found.contradicts.push((a, b));
            }
        }
    }
    found.consistent = Some(tables.iter().fold(all, |together, table| together & table) != 0);
    found
}

/// The size of a smallest inconsistent subset, by trying all.
fn smallest_core(list: &[Formula], variables: usize) -> u32 {
    let tables: Vec<u64> = list.iter().map(|f| f.truth_table(variables).expect("small").words()[0]).collect();
    let inconsistent = |subset: &u32| {
        let chosen = tables.iter().enumerate().filter(|(at, _)| subset >> at & 1 == 1);
        chosen.fold(u64::MAX, |together, (_, table)| together & table) == 0
    };
    (1..1u32 << list.len()).filter(inconsistent).map(u32::count_ones).min().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn relations_are_those_of_the_truth_tables(list in prop::collection::vec(formulae(6, 12), 1..11)) {
        let found = relations(&list, &Budget::unlimited());
        let expected = by_tables(&list, 6);
        prop_assert_eq!(&found.tautologies, &expected.tautologies);
        prop_assert_eq!(&found.unsatisfiable, &expected.unsatisfiable);
        prop_assert_eq!(&found.equivalent, &expected.equivalent);
        prop_assert_eq!(&found.entails, &expected.entails);
        prop_assert_eq!(&found.contradicts, &expected.contradicts);
        prop_assert_eq!(found.consistent, expected.consistent);
        prop_assert_eq!(found.core.is_empty(), expected.consistent == Some(true));
        prop_assert!(found.core_is_smallest || found.core.is_empty());
        prop_assert_eq!(found.core.len() as u32, smallest_core(&list, 6));
        let core = Formula::all(found.core.iter().map(|&at| list[at].clone()));
        prop_assert_eq!(core.is_satisfiable(), expected.consistent == Some(true));
    }
}

/// Formulae over many variables, which truth tables cannot decide.
#[test]
fn pairs_with_many_variables_are_decided_by_the_solver() {
    let all = |from: u32, to: u32| Formula::all((from..=to).map(x));
    let any = |from: u32, to: u32| Formula::any((from..=to).map(x));
    let negated = Formula::any((1..=40).map(|i| !x(i)));
    let list = [all(1, 40), !negated, all(1, 30), any(20, 60), !any(5, 50)];
    let found = relations(&list, &Budget::unlimited());
    assert_eq!(found.equivalent, [(0, 1)]);
    assert_eq!(found.entails, [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
    assert_eq!(found.contradicts, [(0, 4), (1, 4), (2, 4)]);
    assert_eq!((found.consistent, found.core.len(), found.core_is_smallest), (Some(false), 2, true));
}

#[test]
fn a_spent_budget_leaves_pairs_undecided() {
    let list = [x(1) & x(2), x(1) & x(3), x(1)];
    let found = relations(&list, &Budget::seconds(0.0));
    assert_eq!((found.undecided, found.consistent), (3, None));
}

/// A conflict of three formulae among many others.
#[test]
fn a_planted_conflict_is_found() {
    let mut seed = 7;
    let mut pick = |below: u32| {
        seed += 1;
        (mix64(seed) % u64::from(below)) as u32
    };
    let mut list: Vec<Formula> =
        (0..500).map(|_| !x(1 + pick(50)) | x(51 + pick(10)) | x(1 + pick(50))).collect();
    list.insert(100, x(61) | x(62));
    list.insert(300, !x(61) | x(63));
    list.insert(400, !(x(62) & !x(63)));
    list.insert(450, !x(63));
    let found = relations(&list, &Budget::unlimited());
    assert_eq!(found.core, [100, 300, 400, 450]);
    assert!(found.core_is_smallest);
}

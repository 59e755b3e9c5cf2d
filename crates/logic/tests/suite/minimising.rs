//! Minimisation: equivalence, exactness up to four variables, and sizes beyond.

use std::collections::BTreeMap;

use logicvae_logic::{Budget, Formula, Operators, SamplerParams, minimise, x};
use proptest::prelude::*;

use crate::naive::formulae;

const ALL: [Operators; 2] = [Operators::BASIC, Operators::WITH_XOR];

/// The sizes of the smallest expressions of all functions of three variables, by joining everything with
/// everything until nothing changes.
fn naive_sizes(operators: Operators) -> BTreeMap<u8, usize> {
    let mut sizes: BTreeMap<u8, usize> = [0xffu8, 0xaa, 0xcc, 0xf0].into_iter().map(|f| (f, 1)).collect();
    loop {
        let known: Vec<(u8, usize)> = sizes.iter().map(|(&f, &size)| (f, size)).collect();
        let mut changed = false;
        let mut offer = |function: u8, size: usize| {
            let entry = sizes.entry(function).or_insert(usize::MAX);
            changed |= size < *entry;
            *entry = size.min(*entry);
        };
        for &(a, size) in &known {
            if operators.not {
                offer(!a, size + 1);
            }
            for &(b, other) in &known {
                let joined = [(operators.and, a & b), (operators.or, a | b), (operators.xor, a ^ b)];
                joined.into_iter().filter(|j| j.0).for_each(|(_, f)| offer(f, size + other + 1));
            }
        }
        if !changed {
            return sizes;
        }
    }
}

fn from_table(table: u64, variables: u32) -> Formula {
    let rows = (0..1u64 << variables).filter(|index| table >> index & 1 == 1);
    Formula::any(rows.map(|index| {
        Formula::all((0..variables).map(|bit| if index >> bit & 1 == 1 { x(bit + 1) } else { !x(bit + 1) }))
    }))
}

#[test]
fn functions_of_three_variables_have_the_smallest_size() {
    let others = [
        Operators { not: true, and: true, or: false, xor: false },
        Operators { not: false, and: true, or: false, xor: true },
        Operators { not: false, and: true, or: true, xor: false },
    ];
    for operators in ALL.into_iter().chain(others) {
        let sizes = naive_sizes(operators);
        for function in 0..=255u8 {
            let formula = from_table(function.into(), 3);
            let found = minimise(&formula, operators, &Budget::unlimited());
            let size = found.as_ref().ok().map(|found| found.expression.size());
            assert_eq!(size, sizes.get(&function).copied(), "{formula} with {operators:?}");
            if let Ok(found) = found {
                assert!(found.optimal && found.expression.to_formula().is_equivalent(&formula));
            }
        }
    }
}

/// The sizes of the smallest expressions of all functions of four variables, by plain enumeration: what has
/// size s negates something of size s - 1, or joins two whose sizes add up to s - 1.
fn enumerated_sizes(operators: Operators) -> Vec<usize> {
    const ALL: usize = 1 << 16;
    let mut sizes = vec![0; ALL];
    let mut of_size: Vec<Vec<usize>> = vec![Vec::new(), vec![0xffff, 0xaaaa, 0xcccc, 0xf0f0, 0xff00]];
    of_size[1].iter().for_each(|&function| sizes[function] = 1);
    let mut known = of_size[1].len();
    while known < ALL {
        let size = of_size.len();
        let mut new = Vec::new();
        let mut offer = |function: usize| {
            if sizes[function] == 0 {
                sizes[function] = size;
                new.push(function);
            }
        };
        of_size[size - 1].iter().for_each(|a| offer(!a & 0xffff));
        for first in 1..=(size - 1) / 2 {
            for &a in &of_size[first] {
                for &b in &of_size[size - 1 - first] {
                    offer(a & b);
                    offer(a | b);
                    if operators.xor {
                        offer(a ^ b);
                    }
                }
            }
        }
        known += new.len();
        of_size.push(new);
    }
    sizes
}

/// All 65,536 functions: the expression is right, and of the size that plain enumeration finds.
#[test]
fn all_functions_of_four_variables_are_exact() {
    for operators in ALL {
        for (table, size) in (0..).zip(enumerated_sizes(operators)) {
            let formula = if table == 0 { x(1) & !x(1) } else { from_table(table, 4) };
            let found = minimise(&formula, operators, &Budget::unlimited()).expect("complete operators");
            let values = found.expression.to_formula().truth_table(4).expect("four variables").words()[0];
            assert_eq!(values, table);
            assert_eq!(found.expression.size(), size, "{} with {operators:?}", found.expression);
            assert!(found.optimal);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_formula_stays_equivalent(formula in formulae(9, 40), xor in any::<bool>()) {
        let operators = if xor { Operators::WITH_XOR } else { Operators::BASIC };
        let found = minimise(&formula, operators, &Budget::seconds(0.0)).expect("complete operators");
        prop_assert!(found.expression.size() <= formula.size());
        prop_assert!(found.expression.to_formula().is_equivalent(&formula), "{}", found.expression);
        // What is printed is read as a formula with this meaning.
        let read: Formula = found.expression.to_string().parse().expect("a formula");
        prop_assert!(read.is_equivalent(&formula), "{}", found.expression);
    }

    #[test]
    fn other_operators_are_obeyed(formula in formulae(7, 30)) {
        let operators = Operators { not: true, and: true, or: false, xor: false };
        let found = minimise(&formula, operators, &Budget::seconds(0.0)).expect("complete operators");
        prop_assert!(!found.expression.to_string().contains('|'), "{}", found.expression);
        prop_assert!(found.expression.to_formula().is_equivalent(&formula));
    }
}

#[test]
fn five_and_six_variables_are_found_and_proven_when_small() {
    let sampler = SamplerParams { max_nodes: 30, ..SamplerParams::new(6) }.check().expect("good");
    let mut proven = 0;
    for i in 0..200 {
        let formula = sampler.sample(11, i).expect("one");
        let found = minimise(&formula, Operators::BASIC, &Budget::seconds(0.0)).expect("complete operators");
        assert!(found.expression.to_formula().is_equivalent(&formula));
        assert!(found.expression.size() <= formula.size());
        proven += usize::from(found.optimal);
    }
    assert!(proven > 150, "{proven}");
}

#[test]
fn many_variables_are_minimised_in_parts() {
    let pairs = |from: u32| Formula::any((from..from + 20).map(|i| (x(i) & x(i + 1)) | (x(i) & !x(i + 1))));
    let formula = pairs(1);
    let found = minimise(&formula, Operators::BASIC, &Budget::seconds(1.0)).expect("complete operators");
    assert!(found.expression.to_formula().is_equivalent(&formula));
    assert_eq!(found.expression.size(), 39);
    assert!(!found.optimal);
}

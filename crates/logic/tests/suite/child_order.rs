//! The order of children: swapping and sorting.

use logicvae_logic::Formula;
use proptest::prelude::*;

use crate::naive::{Tree, formulae};

/// A naive canonical form: the text with the children of every operator sorted.
fn canonical(tree: &Tree) -> String {
    match tree {
        Tree::Not(a) => format!("!{}", canonical(a)),
        Tree::And(a, b) | Tree::Or(a, b) => {
            let sign = if matches!(tree, Tree::And(..)) { '&' } else { '|' };
            let mut parts = [canonical(a), canonical(b)];
            parts.sort();
            format!("({}{sign}{})", parts[0], parts[1])
        }
        leaf => leaf.text(),
    }
}

proptest! {
    #[test]
    fn swapping_keeps_the_sorted_form(f in formulae(3, 30), choices in any::<u64>()) {
        let mut bits = choices;
        let swapped = f.with_swaps(|_| {
            bits = bits.rotate_left(1);
            bits & 1 == 1
        });
        prop_assert_eq!(swapped.size(), f.size());
        prop_assert_eq!(swapped.sorted(), f.sorted());
        prop_assert_eq!(canonical(&Tree::new(&swapped)), canonical(&Tree::new(&f)));
        prop_assert!(swapped.is_equivalent(&f));
        prop_assert_eq!(f.sorted().sorted(), f.sorted());
    }

    #[test]
    fn sorted_forms_are_equal_exactly_when_trees_are_reorderings(a in formulae(2, 7), b in formulae(2, 7)) {
        let same = canonical(&Tree::new(&a)) == canonical(&Tree::new(&b));
        prop_assert_eq!(a.sorted() == b.sorted(), same);
    }
}

#[test]
fn a_deep_tree_is_sorted_without_recursion() {
    let mut text = "x1".to_owned();
    for _ in 0..50_000 {
        text = format!("!{text}");
    }
    let f: Formula = text.parse().unwrap();
    assert_eq!(f.sorted(), f);
}

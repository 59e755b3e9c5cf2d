//! The tree edit distance, compared with known cases, with its definition, and with the axioms of a metric.

use std::collections::HashMap;

use logicvae_logic::{Formula, edit_distance, x};
use proptest::prelude::*;

use crate::naive::{Tree, formulae};

/// The recursive definition: delete the last root on either side, or match the last trees.
fn naive(a: &[Tree], b: &[Tree], known: &mut HashMap<String, usize>) -> usize {
    let key = format!("{a:?} {b:?}");
    if let Some(&distance) = known.get(&key) {
        return distance;
    }
    let opened = |forest: &[Tree]| {
        forest.split_last().map(|(last, rest)| ([rest, &children(last)].concat(), last.clone()))
    };
    let distance = match (opened(a), opened(b)) {
        (None, None) => 0,
        (Some((rest, _)), None) => naive(&rest, b, known) + 1,
        (None, Some((rest, _))) => naive(a, &rest, known) + 1,
        (Some((a_rest, a_last)), Some((b_rest, b_last))) => {
            let inside = naive(&children(&a_last), &children(&b_last), known);
            let before = naive(&a[..a.len() - 1], &b[..b.len() - 1], known);
            let both = inside + before + usize::from(label(&a_last) != label(&b_last));
            both.min(naive(&a_rest, b, known) + 1).min(naive(a, &b_rest, known) + 1)
        }
    };
    known.insert(key, distance);
    distance
}

fn children(tree: &Tree) -> Vec<Tree> {
    match tree {
        Tree::True | Tree::Var(_) => vec![],
        Tree::Not(a) => vec![Tree::clone(a)],
        Tree::And(a, b) | Tree::Or(a, b) => vec![Tree::clone(a), Tree::clone(b)],
    }
}

fn label(tree: &Tree) -> u32 {
    match tree {
        Tree::Not(_) => 0,
        Tree::And(..) => 1,
        Tree::Or(..) => 2,
        Tree::True => 3,
        Tree::Var(i) => 3 + i,
    }
}

fn parse(text: &str) -> Formula {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn hand_made_cases() {
    for (a, b, distance) in [
        ("x1", "x1", 0),
        ("x1", "x2", 1),
        ("x1", "1", 1),
        ("x1", "!x1", 1),
        ("x1", "!!!x1", 3),
        ("0", "1", 1),
        ("x1 & x2", "x2 & x1", 2),
        ("x1 & x2", "x1", 2),
        ("x1 & x2", "!x1", 2),                 // relabel &, delete x2
        ("!(x1 & x2)", "!x1 & x2", 2),         // move the negation: delete it, insert it
        ("!(x1 & x2)", "!x1 | !x2", 4),        // delete !, relabel &, insert two
        ("x1 & x2 & x3", "x1 & (x2 & x3)", 2), // move the inner &
        ("x1 & x2 | x3", "x1 | x2 & x3", 2),
        ("x1 & (x2 | x3)", "x1 & (x2 | !x3)", 1),
        ("x1 & (x2 | x3)", "x4 | (x2 | x3)", 2),
        ("x1 & (x2 | x3)", "x2 | x3", 2),
    ] {
        assert_eq!(edit_distance(&parse(a), &parse(b)), distance, "{a} to {b}");
    }
}

#[test]
fn long_and_deep_trees() {
    let negations = |n: usize| parse(&format!("{}x1", "!".repeat(n)));
    assert_eq!(edit_distance(&negations(3000), &negations(2000)), 1000);
    let left = |n: u32| Formula::all((0..n).map(|i| x(i % 3 + 1)));
    assert_eq!(edit_distance(&left(300), &left(290)), 20);
}

proptest! {
    #[test]
    fn agrees_with_the_definition(a in formulae(2, 9), b in formulae(2, 9)) {
        let expected = naive(&[Tree::new(&a)], &[Tree::new(&b)], &mut HashMap::new());
        prop_assert_eq!(edit_distance(&a, &b), expected);
    }

    #[test]
    fn is_a_metric(a in formulae(3, 30), b in formulae(3, 30), c in formulae(3, 30)) {
        let (ab, bc, ac) = (edit_distance(&a, &b), edit_distance(&b, &c), edit_distance(&a, &c));
        prop_assert_eq!(ab, edit_distance(&b, &a));
        prop_assert_eq!(ab == 0, a == b);
        prop_assert!(ac <= ab + bc, "{} to {} by way of {}", a, c, b);
        prop_assert!(ab >= a.size().abs_diff(b.size()) && ab <= a.size() + b.size());
    }
}

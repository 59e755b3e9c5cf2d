//! Parsing, printing, traversal and substitution.

use logicvae_logic::{Formula, Node, ParseErrorKind, PreorderError, Var, x};
use proptest::prelude::*;

use crate::naive::{Tree, formulae};

fn parse(text: &str) -> Formula {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn refused(text: &str) -> (ParseErrorKind, usize, usize) {
    let error = text.parse::<Formula>().expect_err(text);
    (error.kind.clone(), error.line, error.column)
}

proptest! {
    #[test]
    fn text_round_trips_as_a_tree(f in formulae(5, 60)) {
        prop_assert_eq!(&parse(&f.to_string()), &f);
        prop_assert_eq!(&parse(&Tree::new(&f).text()), &f);
    }

    /// Removing any pair of parentheses changes the tree.
    #[test]
    fn text_has_the_fewest_parentheses(f in formulae(4, 30)) {
        let text = f.to_string();
        let mut open = Vec::new();
        for (at, c) in text.char_indices() {
            match c {
                '(' => open.push(at),
                ')' => {
                    let mut shorter = text.clone();
                    shorter.replace_range(at..=at, " ");
                    let start = open.pop().expect("balanced");
                    shorter.replace_range(start..=start, " ");
                    prop_assert_ne!(parse(&shorter), f.clone(), "needless parentheses in {}", text);
                }
                _ => {}
            }
        }
    }

    #[test]
    fn other_spellings_are_the_same_formula(f in formulae(5, 40)) {
        let text = f.to_string();
        let unicode = text.replace('&', "∧").replace('|', "∨").replace('!', "¬");
        let words = text.replace('&', "and").replace('|', "or").replace('!', "not ");
        let doubled = text.replace('&', "&&").replace('|', "||").replace('!', "~").replace('x', "x_");
        for other in [unicode, words, doubled, text.replace(' ', ""), text.replace(' ', "\n\t")] {
            prop_assert_eq!(parse(&other), f.clone(), "{}", other);
        }
    }

    #[test]
    fn walks_agree_with_the_boxed_tree(f in formulae(5, 60)) {
        let tree = Tree::new(&f);
        prop_assert_eq!(f.depth(), tree.depth());
        let name = |n: Node| match n {
            Node::True => "1".to_string(),
            Node::Not => "!".into(),
            Node::And => "&".into(),
            Node::Or => "|".into(),
            Node::Var(v) => v.to_string(),
        };
        prop_assert_eq!(f.postorder().map(name).collect::<Vec<_>>(), tree.postorder());
        prop_assert_eq!(f.postorder().len(), f.size());
        for (i, sub) in f.subformulae().enumerate() {
            prop_assert_eq!(f.subformula(i), Some(sub));
        }
        prop_assert_eq!(f.subformula(f.size()), None);
        let ends = f.ends();
        for (child, parent) in f.parents().into_iter().enumerate() {
            prop_assert_eq!(parent.is_none(), child == 0);
            prop_assert!(parent.is_none_or(|p| p < child && ends[child] <= ends[p]));
        }
    }

    #[test]
    fn json_round_trips(f in formulae(5, 40)) {
        let json = serde_json::to_string(&f).expect("serialises");
        prop_assert_eq!(&json, &format!("\"{f}\""));
        prop_assert_eq!(serde_json::from_str::<Formula>(&json).expect("reads"), f);
    }

    #[test]
    fn any_text_is_read_or_refused_with_a_place_inside_it(text in "[ x_0-9!&|^()<>-]{0,40}|\\PC{0,20}") {
        if let Err(error) = text.parse::<Formula>() {
            prop_assert!(error.line >= 1 && error.column >= 1 && error.column <= text.chars().count() + 1);
            prop_assert!(error.to_string().lines().count() == 3);
        }
    }

    #[test]
    fn renaming_is_substitution_of_variables(f in formulae(5, 40)) {
        let swap = |v: Var| Var::new(6 - v.index()).expect("1..=5");
        prop_assert_eq!(f.rename(swap), f.substitute(|v| Some(Formula::var(swap(v)))));
        prop_assert_eq!(f.rename(swap).rename(swap), f.clone());
        let (compact, names) = f.compact();
        prop_assert_eq!(compact.variables().len(), compact.max_variable() as usize);
        prop_assert_eq!(compact.rename(|v| names[v.position()]), f);
    }
}

#[test]
fn precedence_and_associativity() {
    for (text, tree) in [
        ("x1 & x2 & x3", "((x1 & x2) & x3)"),
        ("x1 | x2 | x3", "((x1 | x2) | x3)"),
        ("x1 | x2 & x3", "(x1 | (x2 & x3))"),
        ("!x1 & x2", "((!x1) & x2)"),
        ("!!x1", "(!(!x1))"),
        ("0 | !0", "((!1) | (!(!1)))"),
        ("x1 -> x2 -> x3", "((!x1) | ((!x2) | x3))"),
        ("x1 | x2 -> x3 & x4", "((!(x1 | x2)) | (x3 & x4))"),
        ("x1 ^ x2", "((x1 & (!x2)) | ((!x1) & x2))"),
        ("x1 ^ x2 | x3 & x4", "(((x1 & (!x2)) | ((!x1) & x2)) | (x3 & x4))"),
        ("x1 & x2 ^ x3", "(((x1 & x2) & (!x3)) | ((!(x1 & x2)) & x3))"),
        ("x1 <-> x2", "((x1 & x2) | ((!x1) & (!x2)))"),
        ("x1 → x2 ↔ x3", "((((!x1) | x2) & x3) | ((!((!x1) | x2)) & (!x3)))"),
        (
            "x1 ⊕ x1 xor x1",
            "((((x1 & (!x1)) | ((!x1) & x1)) & (!x1)) | ((!((x1 & (!x1)) | ((!x1) & x1))) & x1))",
        ),
        ("((x1))", "x1"),
        ("x01 & x_2", "(x1 & x2)"),
        ("NOT X1 AND true OR False", "(((!x1) & 1) | (!1))"),
        ("x1 => x2 implies x3", "((!x1) | ((!x2) | x3))"),
        ("x1 <=> x2", "((x1 & x2) | ((!x1) & (!x2)))"),
        ("x1 Iff x2", "((x1 & x2) | ((!x1) & (!x2)))"),
        ("x1 nand x2 & x3", "((!(x1 & x2)) & x3)"),
        ("x1 & x2 nand x3", "(!((x1 & x2) & x3))"),
        ("x1 nor x2 nand x3", "(!(x1 | (!(x2 & x3))))"),
        ("x1 | x2 nor x3", "(!((x1 | x2) | x3))"),
    ] {
        assert_eq!(Tree::new(&parse(text)).text(), tree, "{text}");
    }
}

#[test]
fn canonical_text() {
    for text in
        ["x1 & !x2 | 1", "x1 & (x2 & x3)", "(x1 | x2) & !(x3 & 0)", "!!x1", "!0", "x1 | (x2 | x3) & x4", "0"]
    {
        assert_eq!(parse(text).to_string(), text);
    }
    assert_eq!(parse("!1").to_string(), "0");
}

#[test]
fn errors_name_the_place_and_the_cure() {
    use ParseErrorKind::*;
    assert_eq!(refused(""), (Empty, 1, 1));
    assert_eq!(refused("x1 @ x2"), (UnknownSymbol { symbol: '@' }, 1, 4));
    assert_eq!(refused("x1 & x0"), (VariableZero, 1, 6));
    assert_eq!(refused("x1 &\n(x2 | x3"), (UnclosedOpen, 2, 1));
    assert_eq!(refused("x1 & x2)"), (UnmatchedClose, 1, 8));
    assert_eq!(refused("x1 x2"), (ExpectedOperator { found: "x2".into() }, 1, 4));
    assert_eq!(refused("x1 &"), (ExpectedOperand { found: "".into() }, 1, 5));
    assert_eq!(refused("∧ x1"), (ExpectedOperand { found: "∧".into() }, 1, 1));
    assert_eq!(refused("x1 & y2"), (UnknownWord { word: "y2".into() }, 1, 6));
    assert_eq!(refused("x99999999"), (VariableTooLarge { name: "x99999999".into() }, 1, 1));
    assert_eq!(refused("x1 < x2"), (UnknownSymbol { symbol: '<' }, 1, 4));
    let shown = "¬x1 ∧ & x2".parse::<Formula>().expect_err("two operators").to_string();
    assert_eq!(
        shown,
        "line 1, column 7: expected a variable, 1, 0, `!` or `(`, found `&`\n  | ¬x1 ∧ & x2\n  |       ^"
    );
}

#[test]
fn a_long_line_is_shown_around_the_place() {
    let text = format!("{} $ {}", vec!["x1"; 5000].join(" & "), "x2 ".repeat(5000));
    let shown = text.parse::<Formula>().expect_err("a dollar").to_string();
    assert!(shown.len() < 400, "{shown}");
    let lines: Vec<&str> = shown.lines().collect();
    let caret = lines[2].chars().count() - 1;
    assert_eq!(lines[1].chars().nth(caret), Some('$'));
}

#[test]
fn nested_equivalences_stay_within_the_inputs_size_times_a_constant() {
    let nested = |depth: usize| format!("{}x1{}", "(x1 <-> ".repeat(depth), ")".repeat(depth));
    assert!(parse(&nested(9)).size() > 1000);
    assert!(matches!(refused(&nested(60)).0, ParseErrorKind::TooLarge { .. }));
}

#[test]
fn chains_of_exclusive_or_grow_with_the_square_of_their_length() {
    let text: Vec<String> = (1..=60).map(|i| format!("x{i}")).collect();
    let chain = parse(&text.join(" ^ "));
    assert!(chain.size() < 3 * 60 * 60, "{}", chain.size());
    let short = |operator: &str| parse(&text[..7].join(operator));
    let grouped = "(((x1 # x2) # x3) # x4) # ((x5 # x6) # x7)";
    assert!(short(" ^ ").is_equivalent(&parse(&grouped.replace('#', "^"))));
    assert!(short(" <-> ").is_equivalent(&parse(&grouped.replace('#', "<->"))));
}

#[test]
fn lists_that_are_no_tree_are_refused() {
    let v = Node::Var(Var::new(1).expect("x1"));
    assert_eq!(Formula::from_preorder([]), Err(PreorderError::Incomplete { nodes: 0, missing: 1 }));
    assert_eq!(
        Formula::from_preorder([Node::And, v]),
        Err(PreorderError::Incomplete { nodes: 2, missing: 1 })
    );
    assert_eq!(Formula::from_preorder([v, v]), Err(PreorderError::Trailing { complete: 1 }));
}

#[test]
fn builders_and_operators() {
    let f = parse("x1 & !x2 | x3");
    assert_eq!(&(&x(1) & &!x(2)) | &x(3), f);
    assert_eq!(Formula::all([x(1), x(2), x(3)]), parse("x1 & x2 & x3"));
    assert_eq!(Formula::any([x(1), x(2) & x(3)]), parse("x1 | x2 & x3"));
    assert_eq!(Formula::all([]), Formula::truth());
    assert_eq!(Formula::any([]), Formula::falsity());
    assert_eq!(f.variables().iter().map(|v| v.index()).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(Formula::truth().max_variable(), 0);
}

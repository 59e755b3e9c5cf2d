//! Terms of SMT-LIB: every operator, and files that small programs write to harm others.

use logicvae_logic::{FileFormat, Formula, FormulaFile, x};

/// The formulae of a file that declares a, b, c and d, which are x1 to x4.
fn read(terms: &[String]) -> Result<Vec<Formula>, String> {
    let declared = ["a", "b", "c", "d"].map(|name| format!("(declare-const {name} Bool)"));
    let asserted = terms.iter().map(|term| format!("(assert {term})"));
    let text: String = declared.into_iter().chain(asserted).collect();
    let file = FormulaFile::read(text.as_bytes(), FileFormat::SmtLib).map_err(|e| e.to_string())?;
    Ok(file.entries.into_iter().map(|entry| entry.formula).collect())
}

fn one(term: &str) -> Formula {
    read(&[term.into()]).unwrap().remove(0)
}

#[test]
fn every_operator_has_its_meaning() {
    for (term, text) in [
        ("(and a b c)", "x1 & x2 & x3"),
        ("(or a (not b) c)", "x1 | !x2 | x3"),
        ("(=> a b c)", "x1 -> (x2 -> x3)"),
        ("(=> (=> a b) (and c d))", "(x1 -> x2) -> x3 & x4"),
        ("(xor a b c d)", "x1 ^ x2 ^ x3 ^ x4"),
        ("(xor a (and b c))", "x1 ^ x2 & x3"),
        ("(= a b c)", "(x1 <-> x2) & (x2 <-> x3)"),
        ("(= (or a b) (not c) d true)", "((x1 | x2) <-> !x3) & (!x3 <-> x4) & x4"),
        ("(distinct a (not d))", "x1 ^ !x4"),
        ("(ite a b c)", "x1 & x2 | !x1 & x3"),
        (
            "(ite (ite a b c) (ite b c d) (xor a d))",
            "(x1 & x2 | !x1 & x3) & (x2 & x3 | !x2 & x4) \
          | !(x1 & x2 | !x1 & x3) & (x1 ^ x4)",
        ),
        ("(let ((e (and a b)) (f d)) (let ((e (not e))) (or e f)))", "!(x1 & x2) | x4"),
    ] {
        let wanted: Formula = text.parse().unwrap();
        assert!(one(term).is_equivalent(&wanted), "{term} is {}", one(term));
    }
    // Trees of `and`, `or` and `not` stay what they are.
    assert_eq!(
        one("(or (and a b c) (not (or c (and d a))))"),
        "x1 & x2 & x3 | !(x3 | x4 & x1)".parse().unwrap()
    );
    for wrong in ["(not a b)", "(and)", "(ite a b)", "(distinct a b c)", "(= a)", "(f a)"] {
        let error = read(&[wrong.into()]).unwrap_err();
        assert!(error.contains("is not Boolean"), "{wrong}: {error}");
    }
}

#[test]
fn long_terms_take_no_more_nodes_than_their_text_allows() {
    // Each operand of a left-associated chain would double the tree.
    assert!(one(&format!("(xor{})", " a".repeat(45))).is_equivalent(&x(1)));
    let deep = |open: &str, depth: usize| format!("{}a{}", open.repeat(depth), ")".repeat(depth));
    for many in
        [format!("(xor{})", " a".repeat(4000)), deep("(= a ", 60), deep("(let ((a (not a))) ", 50_000)]
    {
        let error = read(&[many]).unwrap_err();
        assert!(error.contains("nodes as trees"), "{error}");
    }
    let repeated = format!("(and{})", " a".repeat(4000));
    let defined = format!("(let ((e {repeated})) (or{}))", " e".repeat(4000));
    assert!(read(&[defined]).unwrap_err().contains("nodes as trees"));
}

#[test]
fn deep_terms_take_linear_time() {
    let deep = |open: &str, depth: usize| format!("{}a{}", open.repeat(depth), ")".repeat(depth));
    for (term, nodes) in [
        (deep("(not ", 300_000), 300_001),
        (deep("(and b ", 300_000), 600_001),
        (deep("(=> b ", 200_000), 600_001),
        (deep("(ite b c ", 100_000), 700_001),
        (format!("(=>{})", " a".repeat(200_000)), 599_998),
    ] {
        assert_eq!(one(&term).size(), nodes);
    }
}

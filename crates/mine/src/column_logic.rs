//! What answers about one column say about each other: `speed >= 50` implies `speed >= 30`, and a value that
//! is true is not missing. Parts that make no difference for this reason are left out of a formula.

use crate::expr::{Expr, Join};
use crate::feature::{Feature, Test};

/// A feature, and whether it is negated.
type Literal = (u32, bool);

/// The formula without the parts that other parts imply or exclude.
pub(crate) fn simplified(expr: &Expr, features: &[Feature]) -> Expr {
    simplify(expr, features, &mut Vec::new())
}

/// `known` are literals that are true wherever the formula matters.
fn simplify(expr: &Expr, features: &[Feature], known: &mut Vec<Literal>) -> Expr {
    match expr {
        Expr::Const(_) => expr.clone(),
        Expr::Literal(feature, negated) => {
            let implied = |literal| known.iter().any(|&other| implies(other, literal, features));
            match () {
                () if implied((*feature, *negated)) => Expr::Const(true),
                () if implied((*feature, !negated)) => Expr::Const(false),
                () => expr.clone(),
            }
        }
        Expr::Join(join @ (Join::And | Join::Or), children) => {
            // Beside a literal of `&`, only rows matter at which it is true; of `|`, at which it is false.
            let flip = *join == Join::Or;
            let (before, mut kept) = (known.len(), Vec::new());
            for (at, child) in children.iter().enumerate() {
                let others = kept.iter().chain(&children[at + 1..]);
                known.extend(others.filter_map(literal).map(|(feature, negated)| (feature, negated ^ flip)));
                kept.push(simplify(child, features, known));
                known.truncate(before);
            }
            Expr::join(*join, kept)
        }
        Expr::Join(join, children) => {
            let simple = |child| match simplify(child, features, known) {
                Expr::Const(_) => child.clone(),
                simple => simple,
            };
            Expr::join(*join, children.iter().map(simple).collect())
        }
    }
}

fn literal(expr: &Expr) -> Option<Literal> {
    match expr {
        Expr::Literal(feature, negated) => Some((*feature, *negated)),
        _ => None,
    }
}

/// Whether one literal is true for every value of a column for which another one is.
fn implies(a: Literal, b: Literal, features: &[Feature]) -> bool {
    let [first, second] = [a.0, b.0].map(|feature| &features[feature as usize]);
    if first.column != second.column {
        return false;
    }
    // Values on both sides of everything that is asked about, and a missing one.
    let mut values: Vec<Option<String>> = Vec::new();
    for feature in [first, second] {
        match &feature.test {
            Test::True => values.extend(["0", "1"].map(|value| Some(value.into()))),
            Test::Equals(text) | Test::Differs(text) => {
                values.extend([text.clone(), format!("{text}'")].map(Some));
            }
            Test::AtLeast(limit) | Test::Below(limit) => {
                values.extend([*limit, limit.next_down()].map(|value| Some(value.to_string())));
            }
            Test::Missing => {}
        }
    }
    if !first.complete {
        values.push(None);
    }
    let answer = |(feature, negated): Literal, value: &Option<String>| {
        features[feature as usize].answer(value.as_deref()).map(|yes| yes != negated)
    };
    values.iter().all(|value| match (answer(a, value), answer(b, value)) {
        (Ok(a), Ok(b)) => !a || b,
        // A column has values of one kind only.
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a is true, whether it is missing, t >= 3, t >= 5, t < 5, colour = red, colour = blue.
    fn features() -> Vec<Feature> {
        let incomplete = |column, test| Feature { complete: false, ..Feature::new(column, test) };
        vec![
            incomplete("a", Test::True),
            incomplete("a", Test::Missing),
            incomplete("t", Test::AtLeast(3.0)),
            incomplete("t", Test::AtLeast(5.0)),
            incomplete("t", Test::Below(5.0)),
            Feature::new("colour", Test::Equals("red".into())),
            Feature::new("colour", Test::Equals("blue".into())),
        ]
    }

    fn and(list: &[(u32, bool)]) -> Expr {
        Expr::join(Join::And, list.iter().map(|&(f, n)| Expr::Literal(f, n)).collect())
    }

    fn or(list: &[(u32, bool)]) -> Expr {
        Expr::join(Join::Or, list.iter().map(|&(f, n)| Expr::Literal(f, n)).collect())
    }

    #[test]
    fn parts_that_others_imply_are_left_out() {
        let features = features();
        for (expr, wanted) in [
            (and(&[(0, false), (1, true)]), and(&[(0, false)])),
            (and(&[(2, false), (3, false)]), and(&[(3, false)])),
            (or(&[(2, false), (3, false)]), or(&[(2, false)])),
            (and(&[(5, false), (6, false)]), Expr::Const(false)),
            (or(&[(5, true), (6, true)]), Expr::Const(true)),
            // A missing t is neither.
            (or(&[(3, false), (4, false)]), or(&[(3, false), (4, false)])),
            (
                Expr::join(Join::And, vec![Expr::positive(5), or(&[(6, false), (0, false)])]),
                and(&[(0, false), (5, false)]),
            ),
        ] {
            assert_eq!(simplified(&expr, &features), wanted, "{expr:?}");
        }
    }
}

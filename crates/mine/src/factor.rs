//! Factoring: `a & b | a & c` is written as `a & (b | c)`, which has fewer literals.
//!
//! The score judges a formula by its most regular form, such as a list of similar conjunctions. The shortest
//! way to write the same is often another one.

use crate::expr::{Expr, Join};

/// The same function with at most as many literals: operands that several parts of a conjunction or
/// disjunction share are taken out, the most frequent one first.
pub(crate) fn factored(expr: &Expr) -> Expr {
    let Expr::Join(join, children) = expr else { return expr.clone() };
    let (Join::And | Join::Or) = join else {
        return Expr::join(*join, children.iter().map(factored).collect());
    };
    // Every shared operand can be the first one. After that, the most frequent one is taken.
    let firsts = shared(dual(*join), children);
    let start = Expr::join(*join, children.iter().map(factored).collect());
    let ways = firsts.iter().map(|(_, operand)| taken_out(*join, operand, children));
    ways.fold(start, |best, way| if way.literals() < best.literals() { way } else { best })
}

/// Takes an operand out of all children that have it, and continues with the rest.
fn taken_out(join: Join, operand: &Expr, children: &[Expr]) -> Expr {
    let dual = dual(join);
    let (with, mut rest): (Vec<Expr>, Vec<Expr>) =
        children.iter().cloned().partition(|child| operands(dual, child).contains(operand));
    let without = with.iter().map(|child| {
        let left = operands(dual, child).iter().filter(|other| *other != operand).cloned();
        Expr::join(dual, left.collect())
    });
    let inner = greedy(&Expr::join(join, without.collect()));
    rest.push(Expr::join(dual, vec![operand.clone(), inner]));
    greedy(&Expr::join(join, rest))
}

/// Takes out the most frequent operand until none is shared.
fn greedy(expr: &Expr) -> Expr {
    let Expr::Join(join, children) = expr else { return expr.clone() };
    let most = match join {
        Join::And | Join::Or => shared(dual(*join), children).into_iter().max_by_key(|(count, _)| *count),
        _ => None,
    };
    match most {
        Some((_, operand)) => taken_out(*join, &operand, children),
        None => Expr::join(*join, children.iter().map(factored).collect()),
    }
}

/// The operands that occur in at least two of the children, with their number.
fn shared(dual: Join, children: &[Expr]) -> Vec<(usize, Expr)> {
    let mut all: Vec<&Expr> = children.iter().flat_map(|child| operands(dual, child)).collect();
    all.sort_unstable();
    let groups = all.chunk_by(|a, b| a == b).filter(|group| group.len() > 1);
    groups.map(|group| (group.len(), group[0].clone())).collect()
}

/// The operands of a formula, seen as this operator.
fn operands(join: Join, expr: &Expr) -> &[Expr] {
    match expr {
        Expr::Join(own, children) if *own == join => children,
        other => std::slice::from_ref(other),
    }
}

/// The other one of `&` and `|`.
fn dual(join: Join) -> Join {
    if join == Join::And { Join::Or } else { Join::And }
}

#[cfg(test)]
mod tests {
    use logicvae_logic::uniform;

    use super::*;
    use crate::random::{below, generator};

    fn conjunction(features: &[u32]) -> Expr {
        Expr::join(Join::And, features.iter().map(|&f| Expr::positive(f)).collect())
    }

    #[test]
    fn shared_literals_are_taken_out() {
        let rows: Vec<Expr> = (0..7).map(|first| conjunction(&[first, first + 1, first + 2])).collect();
        assert_eq!(factored(&Expr::join(Join::Or, rows)).literals(), 14);
        // A part that contains another one is absorbed.
        let both = Expr::join(Join::Or, vec![conjunction(&[0]), conjunction(&[0, 1])]);
        assert_eq!(factored(&both), Expr::positive(0));
    }

    #[test]
    fn values_stay_the_same() {
        let rng = &mut generator(1, 2, 3);
        for _ in 0..300 {
            let expr = random(3, rng);
            let short = factored(&expr);
            assert!(short.literals() <= expr.literals(), "{expr:?} {short:?}");
            for row in 0..64u32 {
                let value = |expr: &Expr| expr.value(&|feature| row >> feature & 1 == 1);
                assert_eq!(value(&expr), value(&short), "{expr:?} {short:?}");
            }
        }
    }

    fn random(depth: usize, rng: &mut rand_chacha::ChaCha8Rng) -> Expr {
        if depth == 0 || uniform(rng) < 0.2 {
            return Expr::Literal(below(rng, 6) as u32, uniform(rng) < 0.3);
        }
        let join = [Join::And, Join::Or, Join::Xor(false), Join::AtLeast(2)][below(rng, 4)];
        Expr::join(join, (0..2 + below(rng, 3)).map(|_| random(depth - 1, rng)).collect())
    }
}

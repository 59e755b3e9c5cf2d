//! Two-level minimisation: a function as a disjunction of conjunctions, none of which can be left out.
//!
//! The algorithm is that of Minato and Morreale. A function with gaps is split by its last variable x: what
//! must be covered under `!x` alone, what under `x` alone, and the rest without x.

use super::expression::Expression;
use crate::node::{AND, NOT, OR, VAR};

/// A conjunction of literals: bit i stands for variable i + 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cube {
    positive: u64,
    negative: u64,
}

/// A truth table: one bit per assignment, in words of 64. Fewer than six variables use the low bits.
pub(super) type Table = Vec<u64>;

/// The cubes of a function of this many variables.
pub(super) fn cover(function: &Table, variables: usize) -> Vec<Cube> {
    between(function, function, variables).0
}

/// Cubes that cover at least `lower` and at most `upper`, and the function that they cover.
fn between(lower: &[u64], upper: &[u64], variables: usize) -> (Vec<Cube>, Table) {
    let all_ones = |table: &[u64]| {
        let full = if variables >= 6 { u64::MAX } else { (1 << (1 << variables)) - 1 };
        table.iter().all(|&word| word & full == full)
    };
    if lower.iter().all(|&word| word == 0) {
        return (Vec::new(), vec![0; lower.len()]);
    }
    if variables == 0 || all_ones(upper) {
        let full = if variables >= 6 { u64::MAX } else { (1 << (1 << variables)) - 1 };
        return (vec![Cube { positive: 0, negative: 0 }], vec![full; lower.len()]);
    }
    let last = variables - 1;
    let ([l0, l1], [u0, u1]) = (halves(lower, last), halves(upper, last));
    let and_not = |a: &[u64], b: &[u64]| a.iter().zip(b).map(|(x, y)| x & !y).collect::<Table>();
    let (mut cubes0, f0) = between(&and_not(&l0, &u1), &u0, last);
    let (mut cubes1, f1) = between(&and_not(&l1, &u0), &u1, last);
    let (rest0, rest1) = (and_not(&l0, &f0), and_not(&l1, &f1));
    let rest: Table = rest0.iter().zip(&rest1).map(|(x, y)| x | y).collect();
    let both: Table = u0.iter().zip(&u1).map(|(x, y)| x & y).collect();
    let (cubes, common) = between(&rest, &both, last);
    let join = |own: &[u64]| own.iter().zip(&common).map(|(x, y)| x | y).collect::<Table>();
    let covered = whole(&join(&f0), &join(&f1), last);
    cubes0.iter_mut().for_each(|cube| cube.negative |= 1 << last);
    cubes1.iter_mut().for_each(|cube| cube.positive |= 1 << last);
    (cubes0.into_iter().chain(cubes1).chain(cubes).collect(), covered)
}

/// The halves of a table in which the variable at this position, the last one, is 0 and 1.
fn halves(table: &[u64], last: usize) -> [Table; 2] {
    if last >= 6 {
        let (low, high) = table.split_at(table.len() / 2);
        return [low.to_vec(), high.to_vec()];
    }
    let bits = 1 << last;
    let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    [vec![table[0] & mask], vec![table[0] >> bits & mask]]
}

fn whole(low: &[u64], high: &[u64], last: usize) -> Table {
    if last >= 6 {
        return [low, high].concat();
    }
    vec![low[0] | high[0] << (1 << last)]
}

/// A factored expression of a cover: the literal that occurs most often is taken out, again and again. An
/// empty cover is the constant 0.
pub(super) fn factored(cubes: &[Cube]) -> Expression {
    match cubes {
        [] => return Expression::constant(false),
        [one] => return product(*one),
        _ => {}
    }
    // What all cubes have in common.
    let common = cubes.iter().fold(Cube { positive: u64::MAX, negative: u64::MAX }, |common, cube| Cube {
        positive: common.positive & cube.positive,
        negative: common.negative & cube.negative,
    });
    if common.positive | common.negative != 0 {
        let rest: Vec<Cube> = cubes.iter().map(|cube| cube.without(common)).collect();
        return Expression::join(AND, &product(common), &factored(&rest));
    }
    let literals = (0..64)
        .flat_map(|bit| [Cube { positive: 1 << bit, negative: 0 }, Cube { positive: 0, negative: 1 << bit }]);
    let uses = |literal: &Cube| cubes.iter().filter(|cube| cube.has(*literal)).count();
    let best = literals.max_by_key(|literal| (uses(literal), literal.positive.count_ones()));
    match best.filter(|literal| uses(literal) > 1) {
        None => {
            let products = cubes.iter().map(|&cube| product(cube));
            Expression::chain(OR, products).unwrap_or_else(|| Expression::constant(false))
        }
        Some(literal) => {
            let (with, without): (Vec<Cube>, Vec<Cube>) = cubes.iter().partition(|cube| cube.has(literal));
            let with: Vec<Cube> = with.iter().map(|cube| cube.without(literal)).collect();
            let first = Expression::join(AND, &product(literal), &factored(&with));
            if without.is_empty() { first } else { Expression::join(OR, &first, &factored(&without)) }
        }
    }
}

impl Cube {
    fn has(self, literal: Cube) -> bool {
        self.positive & literal.positive == literal.positive
            && self.negative & literal.negative == literal.negative
    }

    fn without(self, other: Cube) -> Cube {
        Cube { positive: self.positive & !other.positive, negative: self.negative & !other.negative }
    }
}

fn product(cube: Cube) -> Expression {
    let literal = |bit: u32| {
        let variable = VAR + 1 + bit;
        match (cube.positive >> bit & 1, cube.negative >> bit & 1) {
            (1, _) => Some(Expression::leaf(variable)),
            (_, 1) => Some(Expression::from_codes(vec![NOT, variable])),
            _ => None,
        }
    };
    Expression::chain(AND, (0..64).filter_map(literal)).unwrap_or_else(|| Expression::constant(true))
}

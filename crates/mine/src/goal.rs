//! What a subformula should be, given the rest of the formula.
//!
//! At some rows the value of a subformula decides whether the whole formula is right, at others it makes no
//! difference. A [`Goal`] has the rows where it matters, with the value it should have. The errors of the
//! whole formula, with any function g in this place, then follow from one number, the *benefit* of g: the
//! weight of the rows in g that should be true minus that of those that should be false. The benefits of
//! disjoint sets add up, so those of `a & b`, `a & !b`, `a ^ b`, ... follow from those of a, b and `a & b`.

use crate::expr::{Expr, Join, counts};
use crate::rows::{Bits, Rows};

/// The rows at which a subformula matters.
pub(crate) struct Goal {
    /// For each bit plane: the rows that should be true.
    positive: Vec<Bits>,
    /// For each bit plane: the rows that should be false.
    negative: Vec<Bits>,
    /// The errors at all other rows.
    fixed: u64,
    /// The weight of the rows that should be true.
    wanted: i64,
    /// The benefit of the constant 1.
    pub all: i64,
}

/// The rows where a subformula matters, and its value there, while descending.
#[derive(Clone)]
pub(crate) struct Place {
    care: Bits,
    want: Bits,
}

impl Place {
    /// The whole formula.
    pub fn root(rows: &Rows) -> Self {
        Self { care: vec![u64::MAX; rows.words()], want: rows.label().to_vec() }
    }

    /// One operand of an operator, given the values of the others.
    pub fn operand(mut self, join: Join, others: impl Iterator<Item = Bits>) -> Self {
        match join {
            Join::And => others.for_each(|value| self.care.iter_mut().zip(value).for_each(|(c, v)| *c &= v)),
            Join::Or => others.for_each(|value| self.care.iter_mut().zip(value).for_each(|(c, v)| *c &= !v)),
            Join::Xor(negated) => {
                others.for_each(|value| self.want.iter_mut().zip(value).for_each(|(w, v)| *w ^= v));
                if negated {
                    self.want.iter_mut().for_each(|want| *want = !*want);
                }
            }
            Join::AtLeast(least) => {
                let reached = counts(others, least as usize);
                if let [.., below, above] = &reached[..] {
                    let exactly = below.iter().zip(above).map(|(b, a)| b & !a);
                    self.care.iter_mut().zip(exactly).for_each(|(c, e)| *c &= e);
                }
            }
        }
        self
    }

    /// The node at a path.
    pub fn at(rows: &Rows, expr: &Expr, path: &[usize]) -> Self {
        let mut place = Self::root(rows);
        let mut node = expr;
        for &child in path {
            if let Expr::Join(join, children) = node {
                let others = children.iter().enumerate().filter(|(at, _)| *at != child);
                place = place.operand(*join, others.map(|(_, other)| other.values(rows)));
                node = &children[child];
            }
        }
        place
    }

    /// The goal, where the whole formula has these values now.
    pub fn goal(&self, rows: &Rows, values: &[u64]) -> Goal {
        let mut goal =
            Goal { positive: Vec::new(), negative: Vec::new(), fixed: rows.unavoidable(), wanted: 0, all: 0 };
        for (bit, plane) in rows.planes().iter().enumerate() {
            let mut positive = Vec::with_capacity(plane.len());
            let mut negative = Vec::with_capacity(plane.len());
            let mut outside = 0;
            for (at, &plane) in plane.iter().enumerate() {
                let (care, want) = (self.care[at] & plane, self.want[at]);
                positive.push(care & want);
                negative.push(care & !want);
                outside += u64::from(((values[at] ^ rows.label()[at]) & plane & !self.care[at]).count_ones());
            }
            let weight = |bits: &Bits| -> i64 { bits.iter().map(|word| i64::from(word.count_ones())).sum() };
            goal.fixed += outside << bit;
            goal.wanted += weight(&positive) << bit;
            goal.all += (weight(&positive) - weight(&negative)) << bit;
            goal.positive.push(positive);
            goal.negative.push(negative);
        }
        goal
    }
}

impl Goal {
    /// The errors of the whole formula if a function with this benefit stands here.
    pub fn errors(&self, benefit: i64) -> u64 {
        self.fixed + (self.wanted - benefit).max(0) as u64
    }

    /// The benefit of a function.
    #[inline(always)]
    pub fn benefit(&self, values: &[u64]) -> i64 {
        let mut sum = 0;
        for (bit, (positive, negative)) in self.positive.iter().zip(&self.negative).enumerate() {
            let mut part = 0;
            for ((value, yes), no) in values.iter().zip(positive).zip(negative) {
                part += i64::from((value & yes).count_ones()) - i64::from((value & no).count_ones());
            }
            sum += part << bit;
        }
        sum
    }

    /// The benefit of the conjunction of two functions.
    #[inline(always)]
    pub fn benefit_of_both(&self, first: &[u64], second: &[u64]) -> i64 {
        let mut sum = 0;
        for (bit, (positive, negative)) in self.positive.iter().zip(&self.negative).enumerate() {
            let mut part = 0;
            for (((a, b), yes), no) in first.iter().zip(second).zip(positive).zip(negative) {
                let both = a & b;
                part += i64::from((both & yes).count_ones()) - i64::from((both & no).count_ones());
            }
            sum += part << bit;
        }
        sum
    }

    /// The benefits of all features.
    pub fn singles(&self, rows: &Rows) -> Vec<i64> {
        pulp::Arch::new().dispatch(|| (0..rows.features()).map(|f| self.benefit(rows.column(f))).collect())
    }

    /// The benefits of the conjunctions of all pairs of some features, in the order of the list: (0, 1),
    /// (0, 2), (1, 2), (0, 3), ...
    pub fn pairs(&self, rows: &Rows, features: &[usize]) -> Vec<i64> {
        pulp::Arch::new().dispatch(|| {
            let mut all = Vec::with_capacity(features.len() * features.len() / 2);
            for (at, &second) in features.iter().enumerate() {
                for &first in &features[..at] {
                    all.push(self.benefit_of_both(rows.column(first), rows.column(second)));
                }
            }
            all
        })
    }

    /// The benefits of all combinations of values of some features: entry i has feature b equal to bit b of
    /// i.
    pub fn cells(&self, rows: &Rows, features: &[usize]) -> Vec<i64> {
        pulp::Arch::new().dispatch(|| {
            let words = rows.words();
            let mut regions: Vec<Bits> = vec![vec![u64::MAX; words]];
            for &feature in features {
                let column = rows.column(feature);
                let split = |value: u64| {
                    let part = move |region: &Bits| -> Bits {
                        region.iter().zip(column).map(|(r, c)| r & (c ^ value)).collect()
                    };
                    regions.iter().map(part).collect::<Vec<Bits>>()
                };
                let (low, high) = (split(u64::MAX), split(0));
                regions = low.into_iter().chain(high).collect();
            }
            regions.iter().map(|region| self.benefit(region)).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::RowCounter;
    use logicvae_logic::mix64;

    #[test]
    fn errors_follow_from_benefits() {
        let mut counter = RowCounter::default();
        for i in 0..300u64 {
            counter.add(&[mix64(i) & 63], mix64(i + 1000) & 1 == 1, 1 + (mix64(i + 7) & 3));
        }
        let rows = counter.finish(6);
        let v = Expr::positive;
        let expr = Expr::join(
            Join::Or,
            vec![
                Expr::join(Join::And, vec![v(0), v(1).negated()]),
                Expr::join(Join::AtLeast(2), vec![v(2), v(3), v(4).negated(), v(5)]),
                Expr::join(Join::Xor(true), vec![v(1), v(2)]),
            ],
        );
        for path in expr.paths() {
            let goal = Place::at(&rows, &expr, &path).goal(&rows, &expr.values(&rows));
            for new in [v(0), v(5).negated(), Expr::join(Join::And, vec![v(2), v(3)]), Expr::Const(true)] {
                let with = expr.with(&path, new.clone());
                let errors = goal.errors(goal.benefit(&new.values(&rows)));
                assert_eq!(errors, rows.errors(&with.values(&rows)), "{path:?} {new:?}");
            }
            let (singles, pairs) = (goal.singles(&rows), goal.pairs(&rows, &[1, 3, 4]));
            let cells = goal.cells(&rows, &[1, 3]);
            assert_eq!(cells[3], pairs[0]);
            assert_eq!(cells[1] + cells[3], singles[1]);
            assert_eq!(cells.iter().sum::<i64>(), goal.all);
        }
    }
}

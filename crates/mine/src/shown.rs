//! Formulae as people read them: negations where they are shortest.

use crate::expr::{Expr, Join};
use crate::feature::Feature;

/// A formula with negations placed. Its number of nodes is the size of the formula.
#[derive(Clone, Debug)]
pub(crate) enum Shown {
    Const(bool),
    /// A feature. The flag is set for a negation that has its own sign, such as `!=`.
    Leaf(u32, bool),
    Not(Box<Shown>),
    Join(Join, Vec<Shown>),
    Implies(Box<Shown>, Box<Shown>),
}

/// How formulae are shown.
pub(crate) struct Style<'a> {
    pub features: &'a [Feature],
    /// Whether `->` may be used.
    pub implies: bool,
}

impl Style<'_> {
    /// The number of nodes of the shortest way to show a formula, and of its negation.
    fn sizes(&self, expr: &Expr) -> [usize; 2] {
        match expr {
            Expr::Const(_) => [1, 1],
            Expr::Literal(feature, sign) => {
                let short = self.features.get(*feature as usize).is_some_and(Feature::has_short_negation);
                let [plain, negated] = [1, if short { 1 } else { 2 }];
                if *sign { [negated, plain] } else { [plain, negated] }
            }
            Expr::Join(join, children) => {
                let sizes: Vec<[usize; 2]> = children.iter().map(|child| self.sizes(child)).collect();
                let direct = [false, true].map(|negated| self.direct(*join, &sizes, negated));
                [0, 1].map(|at: usize| match join {
                    Join::Xor(_) => direct[at],
                    _ => direct[at].min(direct[1 - at] + 1),
                })
            }
        }
    }

    /// The number of nodes of an operator, given those of its operands and of their negations, without a
    /// negation at its root (an exclusive or may have one).
    fn direct(&self, join: Join, sizes: &[[usize; 2]], negated: bool) -> usize {
        let at = usize::from(negated);
        let signs = sizes.len() - 1;
        match join {
            Join::Xor(sign) => {
                let total: usize = sizes.iter().map(|[plain, opposite]| plain.min(opposite)).sum();
                let flips = sizes.iter().filter(|[plain, opposite]| opposite < plain).count();
                let odd = (sign != negated) != (flips % 2 == 1);
                // An operand whose negation is as short makes up for one.
                let free = sizes.iter().any(|[plain, opposite]| plain == opposite);
                total + signs + usize::from(odd && !free)
            }
            Join::AtLeast(_) => 1 + sizes.iter().map(|size| size[at]).sum::<usize>(),
            _ => {
                let total: usize = sizes.iter().map(|size| size[at]).sum();
                let grouped = sizes.iter().filter(|size| size[1 - at] < size[at]).count();
                let plain = sizes.len() - grouped;
                let disjunction = (join == Join::Or) != negated;
                let saved = match () {
                    () if self.implies && disjunction && grouped > 0 && plain > 0 => grouped,
                    () if grouped >= 2 && plain > 0 => grouped - 1,
                    () => 0,
                };
                total + signs - saved
            }
        }
    }

    /// The shortest way to show a formula or its negation.
    pub(super) fn arrange(&self, expr: &Expr, negated: bool) -> Shown {
        match expr {
            Expr::Const(value) => Shown::Const(*value != negated),
            Expr::Literal(feature, sign) => {
                let short = self.features.get(*feature as usize).is_some_and(Feature::has_short_negation);
                match *sign != negated {
                    false => Shown::Leaf(*feature, false),
                    true if short => Shown::Leaf(*feature, true),
                    true => not(Shown::Leaf(*feature, false)),
                }
            }
            Expr::Join(Join::Xor(sign), children) => {
                let mut odd = *sign != negated;
                let flips =
                    children.iter().filter(|child| self.opposite_is(child, std::cmp::Ordering::Less)).count();
                odd ^= flips % 2 == 1;
                let mut free = odd;
                let mut arrange = |child: &Expr| {
                    let flip = self.opposite_is(child, std::cmp::Ordering::Less)
                        || (free && self.opposite_is(child, std::cmp::Ordering::Equal));
                    if flip && !self.opposite_is(child, std::cmp::Ordering::Less) {
                        (free, odd) = (false, false);
                    }
                    self.arrange(child, flip)
                };
                let parts = children.iter().map(&mut arrange).collect();
                let shown = Shown::Join(Join::Xor(false), parts);
                if odd { not(shown) } else { shown }
            }
            Expr::Join(join, children) => {
                let sizes: Vec<[usize; 2]> = children.iter().map(|child| self.sizes(child)).collect();
                let opposite = self.direct(*join, &sizes, !negated) + 1 < self.direct(*join, &sizes, negated);
                let shown = self.arrange_direct(*join, children, negated != opposite);
                if opposite { not(shown) } else { shown }
            }
        }
    }

    /// How the negation's size compares with that of the formula.
    fn opposite_is(&self, expr: &Expr, order: std::cmp::Ordering) -> bool {
        let [plain, opposite] = self.sizes(expr);
        opposite.cmp(&plain) == order
    }

    /// An operator or its dual, without a negation at its root. Several negated operands share one `!`.
    fn arrange_direct(&self, join: Join, children: &[Expr], negated: bool) -> Shown {
        let dual = |join: Join| match join {
            Join::And => Join::Or,
            Join::Or => Join::And,
            Join::AtLeast(least) => Join::AtLeast(children.len() as u32 + 1 - least),
            Join::Xor(_) => join,
        };
        let own = if negated { dual(join) } else { join };
        if let Join::AtLeast(_) = own {
            return Shown::Join(own, children.iter().map(|child| self.arrange(child, negated)).collect());
        }
        let at = usize::from(negated);
        let is_grouped = |child: &&Expr| {
            let sizes = self.sizes(child);
            sizes[1 - at] < sizes[at]
        };
        let (grouped, plain): (Vec<&Expr>, Vec<&Expr>) = children.iter().partition(is_grouped);
        let arrange =
            |list: &[&Expr], negated: bool| list.iter().map(|child| self.arrange(child, negated)).collect();
        if self.implies && own == Join::Or && !grouped.is_empty() && !plain.is_empty() {
            let premise = chain(Join::And, arrange(&grouped, !negated));
            let conclusion = chain(Join::Or, arrange(&plain, negated));
            return Shown::Implies(Box::new(premise), Box::new(conclusion));
        }
        if grouped.len() >= 2 && !plain.is_empty() {
            let mut parts: Vec<Shown> = arrange(&plain, negated);
            parts.push(not(chain(dual(own), arrange(&grouped, !negated))));
            return chain(own, parts);
        }
        chain(own, plain.iter().chain(&grouped).map(|child| self.arrange(child, negated)).collect())
    }

    /// The number of nodes of a formula.
    pub fn size(&self, expr: &Expr) -> usize {
        self.sizes(expr)[0]
    }

    /// The formula as an outline: lines with their depth.
    pub fn outline(&self, expr: &Expr) -> Vec<(usize, String)> {
        let mut lines = Vec::new();
        let mut open = vec![(0, expr.clone())];
        while let Some((depth, expr)) = open.pop() {
            let line = match &expr {
                Expr::Const(value) => if *value { "always" } else { "never" }.to_owned(),
                Expr::Literal(feature, negated) => match self.features.get(*feature as usize) {
                    Some(feature) => feature.text(*negated),
                    None => format!("x{}", feature + 1),
                },
                Expr::Join(Join::And, _) => "all of".into(),
                Expr::Join(Join::Or, _) => "any of".into(),
                Expr::Join(Join::Xor(false), list) if list.len() == 2 => "exactly one of".into(),
                Expr::Join(Join::Xor(true), list) if list.len() == 2 => "both or neither of".into(),
                Expr::Join(Join::Xor(false), _) => "an odd number of".into(),
                Expr::Join(Join::Xor(true), _) => "an even number of".into(),
                Expr::Join(Join::AtLeast(least), _) => format!("at least {least} of"),
            };
            lines.push((depth, line));
            open.extend(expr.children().iter().rev().map(|child| (depth + 1, child.clone())));
        }
        lines
    }
}

fn not(shown: Shown) -> Shown {
    match shown {
        Shown::Not(inner) => *inner,
        other => Shown::Not(Box::new(other)),
    }
}

fn chain(join: Join, mut parts: Vec<Shown>) -> Shown {
    if parts.len() == 1 { parts.swap_remove(0) } else { Shown::Join(join, parts) }
}

#[cfg(test)]
impl Shown {
    fn size(&self) -> usize {
        match self {
            Self::Const(_) | Self::Leaf(..) => 1,
            Self::Not(inner) => 1 + inner.size(),
            Self::Implies(premise, conclusion) => 1 + premise.size() + conclusion.size(),
            Self::Join(Join::AtLeast(_), parts) => 1 + parts.iter().map(Self::size).sum::<usize>(),
            Self::Join(_, parts) => parts.len() - 1 + parts.iter().map(Self::size).sum::<usize>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::Test;
    use crate::random::{below, generator};

    fn features() -> Vec<Feature> {
        let plain = ["a", "b", "c", "d"].map(|column| Feature::new(column, Test::True));
        let speed = Feature::new("speed", Test::AtLeast(30.0));
        plain.into_iter().chain([speed]).collect()
    }

    fn show(expr: &Expr) -> (usize, String) {
        let features = features();
        let style = Style { features: &features, implies: false };
        (style.size(expr), style.text(expr))
    }

    #[test]
    fn negations_stand_where_they_are_shortest() {
        let v = Expr::positive;
        let no = |f: u32| v(f).negated();
        let join = Expr::join;
        assert_eq!(show(&join(Join::Or, vec![no(0), no(1)])), (4, "!(a & b)".into()));
        assert_eq!(show(&join(Join::And, vec![no(0), no(1), v(2)])), (6, "c & !(a | b)".into()));
        assert_eq!(show(&join(Join::And, vec![v(0), no(4)])), (3, "a & speed < 30".into()));
        assert_eq!(show(&join(Join::Xor(true), vec![v(0), v(1)])), (4, "!(a ^ b)".into()));
        assert_eq!(show(&join(Join::Xor(true), vec![v(0), v(4)])), (3, "a ^ speed < 30".into()));
        let two = join(Join::AtLeast(2), vec![v(0), v(1), v(2)]);
        assert_eq!(show(&two), (4, "at least 2 of (a, b, c)".into()));
        assert_eq!(show(&join(Join::And, vec![two, v(3)])).0, 6);
    }

    #[test]
    fn sizes_are_those_of_what_is_shown() {
        let features = features();
        let rng = &mut generator(1, 2, 3);
        for number in 0..2000 {
            let mut expr = Expr::Literal(below(rng, 5) as u32, below(rng, 2) == 1);
            for _ in 0..6 {
                let join =
                    [Join::And, Join::Or, Join::Xor(below(rng, 2) == 1), Join::AtLeast(2)][below(rng, 4)];
                let mut parts = vec![expr];
                parts.extend((0..2).map(|_| Expr::Literal(below(rng, 5) as u32, below(rng, 2) == 1)));
                expr = Expr::join(join, parts);
            }
            let style = Style { features: &features, implies: number % 2 == 0 };
            assert_eq!(style.size(&expr), style.arrange(&expr, false).size(), "{}", style.text(&expr));
            let again = crate::parse::parse(&style.text(&expr)).unwrap();
            let at = |name: &str| features.iter().position(|f| f.column == name).unwrap();
            for i in 0..32usize {
                let value = expr.value(&|f| i >> f & 1 == 1);
                let answer = |feature: &Feature| {
                    (i >> at(&feature.column) & 1 == 1) != matches!(feature.test, Test::Below(_))
                };
                let read = again.expr.value(&|f| answer(&again.features[f as usize]));
                assert_eq!(read, value, "{}", style.text(&expr));
            }
        }
    }

    #[test]
    fn implications_are_used_where_they_are_allowed() {
        let features = features();
        let style = Style { features: &features, implies: true };
        let v = Expr::positive;
        let expr = Expr::join(Join::Or, vec![v(0).negated(), v(1).negated(), v(2)]);
        assert_eq!((style.size(&expr), style.text(&expr).as_str()), (5, "a & b -> c"));
    }
}

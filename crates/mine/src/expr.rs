//! Formulae over features: negation normal form with operators of any number of operands.
//!
//! Negations stand at literals only, since every operator here has a dual. So two formulae that differ in
//! their negations alone are equal, and a search does not try both. The size and the printed text put
//! negations where they are shortest. The size of mined formulae is limited, so functions may recurse.

use crate::rows::{Bits, Rows};

/// A formula over features.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expr {
    /// A constant.
    Const(bool),
    /// A feature, and whether it is negated.
    Literal(u32, bool),
    /// An operator with at least two operands, which are sorted.
    Join(Join, Vec<Expr>),
}

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Join {
    /// All operands.
    And,
    /// At least one operand.
    Or,
    /// An odd number of operands; an even number if negated.
    Xor(bool),
    /// At least this many operands; neither all nor one.
    AtLeast(u32),
}

impl Expr {
    /// A feature.
    pub(crate) fn positive(feature: u32) -> Self {
        Self::Literal(feature, false)
    }

    /// The negation.
    #[must_use]
    pub(crate) fn negated(&self) -> Self {
        match self {
            Self::Const(value) => Self::Const(!value),
            Self::Literal(feature, negated) => Self::Literal(*feature, !negated),
            Self::Join(Join::Xor(negated), children) => Self::Join(Join::Xor(!negated), children.clone()),
            Self::Join(join, children) => {
                let count = children.len() as u32;
                let dual = match join {
                    Join::And => Join::Or,
                    Join::Or => Join::And,
                    Join::AtLeast(least) => Join::AtLeast(count + 1 - least),
                    Join::Xor(_) => *join,
                };
                let mut children: Vec<Self> = children.iter().map(Self::negated).collect();
                children.sort_unstable();
                Self::Join(dual, children)
            }
        }
    }

    /// An operator with any operands, simplified: nested equal operators are flattened, constants and
    /// repeated operands disappear, and contradictory literals decide.
    pub(crate) fn join(join: Join, children: Vec<Self>) -> Self {
        match join {
            Join::And => Self::lattice(Join::And, children),
            Join::Or => Self::lattice(Join::Or, children),
            Join::Xor(negated) => Self::xor(negated, children),
            Join::AtLeast(least) => Self::at_least(least, children),
        }
    }

    fn lattice(join: Join, children: Vec<Self>) -> Self {
        let neutral = join == Join::And;
        let mut flat: Vec<Self> = Vec::with_capacity(children.len());
        for child in children {
            match child {
                Self::Const(value) if value == neutral => {}
                Self::Const(value) => return Self::Const(value),
                Self::Join(inner, parts) if inner == join => flat.extend(parts),
                other => flat.push(other),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        // A literal stands next to its negation.
        let opposite = |pair: &[Self]| match pair {
            [Self::Literal(a, false), Self::Literal(b, true)] => a == b,
            _ => false,
        };
        if flat.windows(2).any(opposite) {
            return Self::Const(!neutral);
        }
        Self::of_parts(join, flat, neutral)
    }

    fn of_parts(join: Join, mut parts: Vec<Self>, empty: bool) -> Self {
        match parts.len() {
            0 => Self::Const(empty),
            1 => parts.swap_remove(0),
            _ => Self::Join(join, parts),
        }
    }

    fn xor(negated: bool, children: Vec<Self>) -> Self {
        let mut odd = negated;
        let mut flat: Vec<Self> = Vec::with_capacity(children.len());
        for child in children {
            match child {
                Self::Const(value) => odd ^= value,
                Self::Literal(feature, sign) => {
                    odd ^= sign;
                    flat.push(Self::positive(feature));
                }
                Self::Join(Join::Xor(sign), parts) => {
                    odd ^= sign;
                    flat.extend(parts);
                }
                other => flat.push(other),
            }
        }
        flat.sort_unstable();
        let mut kept: Vec<Self> = Vec::with_capacity(flat.len());
        for child in flat {
            if kept.last() == Some(&child) {
                kept.pop();
            } else {
                kept.push(child);
            }
        }
        match kept.len() {
            0 => Self::Const(odd),
            1 if odd => kept[0].negated(),
            1 => kept.swap_remove(0),
            _ => Self::Join(Join::Xor(odd), kept),
        }
    }

    fn at_least(mut least: u32, children: Vec<Self>) -> Self {
        let mut kept: Vec<Self> = Vec::with_capacity(children.len());
        for child in children {
            match child {
                Self::Const(true) => least = least.saturating_sub(1),
                Self::Const(false) => {}
                other => kept.push(other),
            }
        }
        kept.sort_unstable();
        let count = kept.len() as u32;
        match least {
            0 => Self::Const(true),
            _ if least > count => Self::Const(false),
            1 => Self::lattice(Join::Or, kept),
            _ if least == count => Self::lattice(Join::And, kept),
            _ => Self::Join(Join::AtLeast(least), kept),
        }
    }

    /// The operands.
    pub(crate) fn children(&self) -> &[Self] {
        match self {
            Self::Join(_, children) => children,
            _ => &[],
        }
    }

    /// The number of literals.
    pub fn literals(&self) -> usize {
        match self {
            Self::Literal(..) => 1,
            _ => self.children().iter().map(Self::literals).sum(),
        }
    }

    /// The features that occur, sorted, without repetitions.
    pub(crate) fn features(&self) -> Vec<u32> {
        let mut all = Vec::new();
        self.visit(&mut |expr| {
            if let Self::Literal(feature, _) = expr {
                all.push(*feature);
            }
        });
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Visits every node, parents first.
    pub(crate) fn visit(&self, action: &mut impl FnMut(&Self)) {
        action(self);
        self.children().iter().for_each(|child| child.visit(action));
    }

    /// The values at all rows. Bits beyond the last row are arbitrary.
    pub(crate) fn values(&self, rows: &Rows) -> Bits {
        match self {
            Self::Const(value) => vec![if *value { u64::MAX } else { 0 }; rows.words()],
            Self::Literal(feature, negated) => {
                let flip = if *negated { u64::MAX } else { 0 };
                rows.column(*feature as usize).iter().map(|word| word ^ flip).collect()
            }
            Self::Join(join, children) => join.values(children.iter().map(|child| child.values(rows))),
        }
    }

    /// The value for one assignment of features.
    pub fn value(&self, feature: &impl Fn(u32) -> bool) -> bool {
        match self {
            Self::Const(value) => *value,
            Self::Literal(index, negated) => feature(*index) != *negated,
            Self::Join(join, children) => {
                let count = children.iter().filter(|child| child.value(feature)).count();
                match join {
                    Join::And => count == children.len(),
                    Join::Or => count > 0,
                    Join::Xor(negated) => (count % 2 == 1) != *negated,
                    Join::AtLeast(least) => count >= *least as usize,
                }
            }
        }
    }

    /// The nodes of this formula, each as the list of child positions that leads to it.
    pub(crate) fn paths(&self) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new()];
        let mut next = 0;
        while next < all.len() {
            let path = all[next].clone();
            for child in 0..self.at(&path).children().len() {
                all.push([&path[..], &[child]].concat());
            }
            next += 1;
        }
        all
    }

    /// The node at a path.
    pub(crate) fn at(&self, path: &[usize]) -> &Self {
        path.iter().fold(self, |expr, &child| &expr.children()[child])
    }

    /// The formula with another node at a path, simplified on the way up.
    #[must_use]
    pub(crate) fn with(&self, path: &[usize], new: Self) -> Self {
        match (path, self) {
            ([first, rest @ ..], Self::Join(join, children)) => {
                let mut children = children.clone();
                children[*first] = children[*first].with(rest, new);
                Self::join(*join, children)
            }
            _ => new,
        }
    }
}

impl Join {
    /// The values of this operator on its operands' values.
    pub(crate) fn values(self, operands: impl Iterator<Item = Bits>) -> Bits {
        let combine = |operands: &mut dyn Iterator<Item = Bits>, with: fn(&mut u64, u64)| {
            let mut all = operands.next().unwrap_or_default();
            operands.for_each(|next| all.iter_mut().zip(next).for_each(|(a, b)| with(a, b)));
            all
        };
        let mut operands = operands;
        match self {
            Self::And => combine(&mut operands, |a, b| *a &= b),
            Self::Or => combine(&mut operands, |a, b| *a |= b),
            Self::Xor(negated) => {
                let mut all = combine(&mut operands, |a, b| *a ^= b);
                if negated {
                    all.iter_mut().for_each(|word| *word = !*word);
                }
                all
            }
            Self::AtLeast(least) => counts(operands, least as usize).pop().unwrap_or_default(),
        }
    }
}

/// Entry k: the rows at which at least k of the operands are true, for k from 0 to `most`.
pub(crate) fn counts(operands: impl Iterator<Item = Bits>, most: usize) -> Vec<Bits> {
    let mut reached: Vec<Bits> = Vec::new();
    for operand in operands {
        if reached.is_empty() {
            reached = vec![vec![0; operand.len()]; most + 1];
            reached[0].fill(u64::MAX);
        }
        for k in (1..=most).rev() {
            let (below, above) = reached.split_at_mut(k);
            above[0].iter_mut().zip(&below[k - 1]).zip(&operand).for_each(|((a, b), o)| *a |= b & o);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(feature: u32) -> Expr {
        Expr::positive(feature)
    }

    #[test]
    fn joins_are_simplified() {
        let and = |list: Vec<Expr>| Expr::join(Join::And, list);
        assert_eq!(and(vec![v(1), and(vec![v(0), v(1)])]), and(vec![v(0), v(1)]));
        assert_eq!(and(vec![v(1), v(1).negated()]), Expr::Const(false));
        assert_eq!(Expr::join(Join::Xor(false), vec![v(1).negated(), v(1)]), Expr::Const(true));
        assert_eq!(Expr::join(Join::AtLeast(1), vec![v(1), v(2)]), Expr::join(Join::Or, vec![v(2), v(1)]));
    }

    #[test]
    fn negations_are_opposite_everywhere() {
        let all = |expr: &Expr| (0..16u32).map(|i| expr.value(&|f| i >> f & 1 == 1)).collect::<Vec<bool>>();
        for join in [Join::And, Join::Or, Join::Xor(false), Join::AtLeast(2)] {
            let inner = Expr::join(join, vec![v(0), v(1).negated(), v(2)]);
            let expr = Expr::join(Join::Or, vec![inner, Expr::join(Join::And, vec![v(3), v(0)])]);
            let opposite: Vec<bool> = all(&expr).iter().map(|value| !value).collect();
            assert_eq!(all(&expr.negated()), opposite, "{expr:?}");
        }
    }
}

//! The score of a formula: bits for its errors plus bits for the formula itself (minimum description length).
//!
//! The errors are described by listing which rows are wrong: log2 of the number of ways to choose e of N
//! rows. A formula is described from the root down. An operator costs its kind, the number of its operands,
//! and the choice of its literals: k of F features in any order, so log2 of the binomial coefficient, plus
//! one bit for each sign. Parts of the same form, such as conjunctions of three literals, have it described
//! once. The kinds of operators have different probabilities: people write `&` and `|` most, so these are
//! preferred where `^` or a threshold has the same values.

use crate::expr::{Expr, Join};
use crate::rows::Rows;

/// Computes scores for a table.
#[derive(Clone, Debug)]
pub struct Score {
    features: f64,
    total: u64,
    /// The weight that counts as one row.
    grain: u64,
    /// What a bit of the formula counts, compared with a bit of the errors.
    weight: f64,
    /// The bits of each number of errors, for tables that are not too large.
    error_bits: Vec<f32>,
}

/// The bits of an operand of `^` that is not a literal.
const UNUSUAL: f64 = 4.0;

/// With fewer spare features, the weight of bits depends on the rows alone.
const SPARE: usize = 6;

/// Up to this total weight, the bits of errors are tabulated.
const TABULATED: u64 = 1 << 16;

impl Score {
    /// Scores for rows with their weights.
    pub(crate) fn for_rows(rows: &Rows) -> Self {
        Self::with_grain(rows.features(), rows.len(), rows.total(), rows.grain())
    }

    fn with_grain(features: usize, distinct: usize, total: u64, grain: u64) -> Self {
        let evidence = total as f64 / grain as f64;
        let mut score = Self {
            features: features.max(1) as f64,
            total,
            grain,
            weight: weight(evidence, features.saturating_sub(distinct.max(1).ilog2() as usize)),
            error_bits: Vec::new(),
        };
        if total <= TABULATED {
            score.error_bits = (0..=total).map(|errors| score.exact_errors(errors) as f32).collect();
        }
        score
    }

    fn exact_errors(&self, errors: u64) -> f64 {
        error_bits(self.total as f64 / self.grain as f64, errors as f64 / self.grain as f64)
    }

    /// The bits that describe which rows are wrong.
    pub fn errors(&self, errors: u64) -> f64 {
        match self.error_bits.get(errors as usize) {
            Some(&bits) => bits.into(),
            None => self.exact_errors(errors),
        }
    }

    /// The bits of a formula with this many errors, and of these errors. Bits of the formula are weighted by
    /// the share of them that is not redundant.
    pub fn total(&self, errors: u64, expr: &Expr) -> f64 {
        self.errors(errors) + self.weight * self.description(expr)
    }

    /// The bits that describe a formula exactly.
    pub fn description(&self, expr: &Expr) -> f64 {
        match expr {
            Expr::Const(_) => 1.0,
            // A single literal is a list of one.
            Expr::Literal(..) => 3.0 + self.features.log2(),
            Expr::Join(join, children) => {
                let (literals, parts): (Vec<&Expr>, Vec<&Expr>) =
                    children.iter().partition(|child| matches!(child, Expr::Literal(..)));
                let (few, many) = (literals.len() as f64, parts.len() as f64);
                let threshold = if matches!(join, Join::AtLeast(_)) { (few + many).log2() } else { 0.0 };
                // Hardly anybody can read an exclusive or of conjunctions.
                let unusual = if matches!(join, Join::Xor(_)) { UNUSUAL * many } else { 0.0 };
                let one_by_one: f64 = parts.iter().map(|part| self.description(part)).sum();
                kind(*join)
                    + integer(few)
                    + integer(many)
                    + self.choice(few)
                    + signs(*join, &literals)
                    + threshold
                    + unusual
                    + self.alike(&parts).map_or(one_by_one, |alike| alike.min(one_by_one) + 1.0)
                    - log2_factorial(many)
            }
        }
    }

    /// The bits of parts that are lists of literals, if each distinct form is described once. Then every part
    /// names its form, its features and its signs. People write formulae whose parts look alike: three cells
    /// in a row, two of several alarms, the cases of a distinction. `None` for other parts.
    fn alike(&self, parts: &[&Expr]) -> Option<f64> {
        let forms: Option<Vec<Form>> = parts.iter().map(|part| Form::of(part)).collect();
        let forms = forms.filter(|forms| forms.len() > 1)?;
        // The numbers of negated literals are a part of the forms, or every sign takes a bit.
        let unsigned: Vec<Form> = forms.iter().map(|form| Form { negated: None, ..*form }).collect();
        Some(self.by_form(&forms).min(self.by_form(&unsigned)))
    }

    fn by_form(&self, forms: &[Form]) -> f64 {
        let mut distinct = forms.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let described: f64 = distinct.iter().map(Form::bits).sum();
        let named = forms.len() as f64 * (distinct.len() as f64).log2();
        let filled: f64 = forms.iter().map(|form| self.choice(form.literals.into()) + form.signs()).sum();
        integer(distinct.len() as f64) + described + named + filled
    }

    /// The bits of a set of this many features.
    fn choice(&self, few: f64) -> f64 {
        choose(self.features.max(few), few)
    }
}

/// What several lists of literals can have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Form {
    join: Join,
    literals: u32,
    /// How many of them are negated, if that is in common too.
    negated: Option<u32>,
}

impl Form {
    /// The form of an operator whose operands are literals.
    fn of(expr: &Expr) -> Option<Self> {
        let Expr::Join(join, children) = expr else { return None };
        let all = children.iter().all(|child| matches!(child, Expr::Literal(..)));
        let negated = negations(children.iter());
        all.then_some(Self { join: *join, literals: children.len() as u32, negated: Some(negated) })
    }

    fn bits(&self) -> f64 {
        let few = f64::from(self.literals);
        let threshold = if matches!(self.join, Join::AtLeast(_)) { few.log2() } else { 0.0 };
        let negated = self.negated.map_or(0.0, |_| (few + 1.0).log2());
        kind(self.join) + integer(few) + threshold + negated
    }

    /// The bits of the signs, if the form is known.
    fn signs(&self) -> f64 {
        let few = f64::from(self.literals);
        self.negated.map_or(few, |negated| choose(few, negated.into()))
    }
}

/// The bits of the signs of literals. The literals of a threshold usually have the same sign.
fn signs(join: Join, literals: &[&Expr]) -> f64 {
    let few = literals.len() as f64;
    if matches!(join, Join::AtLeast(_)) {
        let negated = negations(literals.iter().copied());
        choose(few, negated.into()) + (few + 1.0).log2()
    } else {
        few
    }
}

/// How many of some expressions are negated literals.
fn negations<'a>(list: impl Iterator<Item = &'a Expr>) -> u32 {
    list.filter(|expr| matches!(expr, Expr::Literal(_, true))).count() as u32
}

/// What a bit of the formula counts. Many formulae have the same values at all rows, so describing one of
/// them takes more bits than describing the values, and the fewer rows there are, the more so. RIPPER and
/// C4.5 count a half for the same reason. With many more features than the rows need to be distinct
/// (`spare`), another choice of features does have other values, so that bits count more, and wrong labels
/// are not explained by features that have nothing to do with them. The numbers were chosen with public
/// tables of 2 to 6,000 rows, with and without wrong labels, and with generated ones: see results/mining.md.
fn weight(rows: f64, spare: usize) -> f64 {
    let by_rows = 0.08 * rows.max(1.0).log2() - 0.1;
    let by_features = (0.4 + 0.02 * spare as f64).min(0.65);
    // Few features say nothing about how many formulae have the same values.
    let by_features = if spare < SPARE { 0.0 } else { by_features };
    by_rows.max(by_features).clamp(0.2, 1.0)
}

/// The bits of an operator: minus log2 of the share of formulae that have it at a node.
fn kind(join: Join) -> f64 {
    let share: f64 = match join {
        Join::And | Join::Or => 0.4,
        Join::AtLeast(_) => 0.15,
        Join::Xor(_) => 0.05,
    };
    -share.log2()
}

/// The bits of a small integer: Elias' gamma code, smoothed.
fn integer(value: f64) -> f64 {
    2.0 * (value + 1.0).log2() + 1.0
}

/// log2 of the number of ways to choose `errors` of `total` rows. More errors than half of the rows always
/// cost more.
fn error_bits(total: f64, errors: f64) -> f64 {
    let half = (total / 2.0).floor();
    choose(total, errors.min(half)) + (errors - half).max(0.0)
}

/// log2 of a binomial coefficient.
fn choose(n: f64, k: f64) -> f64 {
    (log2_factorial(n) - log2_factorial(k) - log2_factorial(n - k)).max(0.0)
}

/// log2 of a factorial, by Stirling's series; between integers, of the gamma function.
fn log2_factorial(n: f64) -> f64 {
    if n < 16.0 && n.fract() == 0.0 {
        return (2..=n as u32).map(|k| f64::from(k).log2()).sum();
    }
    if n < 16.0 {
        return log2_factorial(n + 1.0) - (n + 1.0).log2();
    }
    let series = 1.0 / (12.0 * n) - 1.0 / (360.0 * n * n * n);
    (n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + series) / std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factorials_are_exact_enough() {
        let exact: f64 = (2..=40).map(|k| f64::from(k).log2()).sum();
        assert!((log2_factorial(40.0) - exact).abs() < 1e-9);
        assert!((choose(5.0, 2.0) - 10f64.log2()).abs() < 1e-12);
        // The gamma function of 3.5 is 15/8 of the root of pi.
        let half = (15.0 / 8.0 * std::f64::consts::PI.sqrt()).log2();
        assert!((log2_factorial(2.5) - half).abs() < 1e-9);
    }

    #[test]
    fn more_errors_cost_more() {
        let score = Score::with_grain(5, 24, 24, 1);
        assert!((0..24).all(|e| score.errors(e) < score.errors(e + 1)));
    }

    #[test]
    fn disjunctions_are_preferred_to_exclusive_ones() {
        let score = Score::with_grain(6, 64, 100, 1);
        let pair = |join| Expr::join(join, vec![Expr::positive(0), Expr::positive(1)]);
        assert!(score.description(&pair(Join::Or)) < score.description(&pair(Join::Xor(false))));
    }

    #[test]
    fn parts_of_the_same_form_are_cheaper() {
        let score = Score::with_grain(9, 300, 400, 1);
        let and = |list: &[u32]| Expr::join(Join::And, list.iter().map(|&f| Expr::positive(f)).collect());
        let or = |parts: Vec<Expr>| score.description(&Expr::join(Join::Or, parts));
        let regular = or(vec![and(&[0, 1, 2]), and(&[3, 4, 5]), and(&[6, 7, 8])]);
        let irregular = or(vec![and(&[0, 1]), and(&[2, 3, 4, 5]), and(&[6, 7, 8])]);
        assert!(regular < irregular - 5.0, "{regular} {irregular}");
    }

    #[test]
    fn a_parity_of_all_columns_is_cheap() {
        let score = Score::with_grain(5, 24, 24, 1);
        let parity = Expr::join(Join::Xor(false), (0..5).map(Expr::positive).collect());
        // Listing the labels of 24 rows takes more.
        assert!(score.total(0, &parity) < score.errors(12) - 5.0);
    }
}

//! The best expression found for a function of five or six variables.
//!
//! A function is split into two: a piece from the library of all functions with small expressions, and what
//! remains. `g | h` needs a piece g that is false wherever the function is; h must then be true only where g
//! is not, and anything goes where g is true already. The same holds for `&` and `^`. So the remainder is a
//! function with gaps, which is usually much simpler, and is solved in the same way. The most promising
//! pieces are tried, first few and then more, until the time is over.

use std::collections::{BinaryHeap, HashMap};

use super::Operators;
use super::exact::ExactTable;
use super::expression::{Expression, XOR};
use super::library::Library;
use crate::budget::Budget;
use crate::eval::VARIABLE_PATTERNS;
use crate::node::{AND, NOT, OR, TRUE, VAR, Var};

/// How many pieces are tried at each depth, in one round after the other. Beyond the list, one is tried.
const ROUNDS: [&[usize]; 7] =
    [&[4], &[16, 3], &[48, 8, 2], &[128, 16, 4], &[300, 40, 6, 2], &[800, 100, 12, 3], &[2000, 250, 30, 4]];

/// `^` does not make the remainder smaller, so it is tried only near the root and with small pieces.
const DEEPEST_XOR: usize = 3;
const LARGEST_XOR: usize = 5;

/// A function with gaps: true at `on`, false at `off`, and anything elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Gaps {
    on: u64,
    off: u64,
}

/// A way to split a function.
#[derive(Clone, Copy, PartialEq)]
struct Split {
    /// The estimated size of the whole expression.
    score: f32,
    /// The position of the piece in the library.
    piece: usize,
    operator: u32,
}

impl Eq for Split {}

impl PartialOrd for Split {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Split {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |split: &Self| (split.piece, split.operator);
        self.score.total_cmp(&other.score).then_with(|| key(self).cmp(&key(other)))
    }
}

/// The result of a search: an expression, and whether it is proven that no smaller one exists.
pub(super) struct Found {
    pub expression: Expression,
    pub optimal: bool,
}

pub(super) struct Search<'a> {
    library: &'a Library,
    operators: Operators,
    budget: &'a Budget,
    /// The estimated size of a function by the number of places where it is true and false.
    estimates: Vec<f32>,
    /// The remainders solved in this round, with the depth they were solved at.
    solved: HashMap<(Gaps, usize), Option<Expression>>,
    /// Whether there is an answer already, so that the search may end anywhere.
    answered: bool,
    /// Whether an answer was known from the start. Then the hard limit ends the first round as well.
    known: bool,
    hard: Budget,
}

impl<'a> Search<'a> {
    pub fn new(variables: usize, operators: Operators, budget: &'a Budget) -> Self {
        let library = Library::shared(variables, operators);
        let hard = budget.clone();
        let (estimates, solved) = (estimates(), HashMap::new());
        Self { library, operators, budget, estimates, solved, answered: false, known: false, hard }
    }

    /// The first round goes on until this budget is spent, even if that of the search is spent already.
    pub fn with_hard_limit(self, hard: &Budget) -> Self {
        Self { hard: hard.clone(), ..self }
    }

    /// The best expression of a function. `start` is one that is known already.
    pub fn run(&mut self, function: u64, start: Option<Expression>) -> Option<Found> {
        let full = self.library.full;
        let whole = Gaps { on: function & full, off: !function & full };
        if let Some(at) = self.library.position(whole.on) {
            return Some(Found { expression: self.library.expression(at), optimal: true });
        }
        self.rounds(whole, start, ROUNDS.len())
    }

    /// The best expression that is true at `on` and false at `off`, and has any value elsewhere, after a
    /// number of rounds.
    pub fn run_with_gaps(&mut self, on: u64, off: u64, rounds: usize) -> Option<Found> {
        let whole = Gaps { on: on & self.library.full, off: off & self.library.full };
        if let Some(at) = self.in_library(whole) {
            return Some(Found { expression: self.library.expression(at), optimal: true });
        }
        self.rounds(whole, None, rounds.max(1))
    }

    fn rounds(&mut self, whole: Gaps, start: Option<Expression>, count: usize) -> Option<Found> {
        let mut best = start.filter(|start| start.uses_only(self.operators));
        self.known = best.is_some();
        for widths in ROUNDS.into_iter().take(count) {
            self.solved.clear();
            // Without an answer, the first round ends by itself.
            let found = self.solve(whole, 0, widths, best.as_ref().map_or(usize::MAX, Expression::size));
            best = smaller(best, found);
            self.answered = best.is_some();
            if self.operators.not {
                let limit = best.as_ref().map_or(usize::MAX, |best| best.size() - 1);
                let inverse = Gaps { on: whole.off, off: whole.on };
                let negated = self.solve(inverse, 0, widths, limit).map(|expression| expression.negated());
                best = smaller(best, negated);
            }
            best = best.map(|best| self.improve(best, whole));
            // Every expression with fewer nodes is in the library.
            let optimal = best.as_ref().is_some_and(|best| best.size() <= self.library.complete() + 1);
            if optimal || self.budget.is_spent() {
                return best.map(|expression| Found { expression, optimal });
            }
        }
        best.map(|expression| Found { expression, optimal: false })
    }

    /// The smallest function of the library that fits.
    fn in_library(&self, gaps: Gaps) -> Option<usize> {
        const PART: usize = 16;
        let miss = |function: u64| (gaps.on & !function) | (gaps.off & function);
        for (part, functions) in self.library.functions.chunks(PART).enumerate() {
            if functions.iter().fold(false, |hit, &function| hit | (miss(function) == 0)) {
                let at = functions.iter().position(|&function| miss(function) == 0)?;
                return Some(part * PART + at);
            }
        }
        None
    }

    /// An expression with fewer than `limit` nodes that fits.
    fn solve(&mut self, gaps: Gaps, depth: usize, widths: &[usize], limit: usize) -> Option<Expression> {
        if let Some(at) = self.in_library(gaps) {
            return (self.library.size(at) < limit).then(|| self.library.expression(at));
        }
        // Nothing in the library fits, so there is nothing below its sizes.
        if limit <= self.library.complete() + 1 {
            return None;
        }
        if let Some(known) = self.solved.get(&(gaps, depth)) {
            return known.clone().filter(|known| known.size() < limit);
        }
        let mut best = self.by_cofactors(gaps).filter(|found| found.size() < limit);
        for split in self.splits(gaps, widths.get(depth).copied().unwrap_or(1), depth) {
            let limit = best.as_ref().map_or(limit, Expression::size).min(limit);
            if self.may_end(best.is_some()) {
                break;
            }
            let piece = self.library.size(split.piece);
            if piece + 3 > limit {
                continue;
            }
            let rest = self.remainder(gaps, split);
            if let Some(rest) = self.solve(rest, depth + 1, widths, limit - piece - 1) {
                let piece = self.library.expression(split.piece);
                best = smaller(best, Some(Expression::join(split.operator, &piece, &rest)));
            }
        }
        if limit == usize::MAX || best.is_some() {
            self.solved.insert((gaps, depth), best.clone());
        }
        best
    }

    /// Whether the time is over, and there is an answer without the pieces that were not tried yet.
    fn may_end(&self, found: bool) -> bool {
        ((found || self.answered) && self.budget.is_spent()) || (self.known && self.hard.is_spent())
    }

    /// `x & a | !x & b` for the best variable x of five: a and b have four variables, so their smallest
    /// expressions are known.
    fn by_cofactors(&self, gaps: Gaps) -> Option<Expression> {
        if self.library.full != u64::from(u32::MAX) {
            return None;
        }
        let exact = ExactTable::shared(self.operators);
        let mut best: Option<(usize, usize, [u16; 2])> = None;
        for variable in 0..5 {
            let parts = [false, true].map(|value| {
                let [on, off] = [gaps.on, gaps.off].map(|table| cofactor(table, variable, value));
                exact.smallest_between(on, off)
            });
            let [Some(low), Some(high)] = parts else { continue };
            let size = 6 + exact.size(low)? + exact.size(high)?;
            if best.is_none_or(|(smallest, ..)| size < smallest) {
                best = Some((size, variable, [low, high]));
            }
        }
        let (_, variable, parts) = best?;
        let names: Vec<Var> =
            (1..=5).filter(|&i| i != variable as u32 + 1).filter_map(|i| Var::new(i).ok()).collect();
        let [low, high] = parts.map(|part| exact.expression(part).map(|part| part.renamed(&names)));
        let x = Expression::leaf(VAR + 1 + variable as u32);
        let (low, high) = (Expression::join(AND, &x.negated(), &low?), Expression::join(AND, &x, &high?));
        Some(Expression::join(OR, &high, &low))
    }

    /// What remains to be expressed next to a piece.
    fn remainder(&self, Gaps { on, off }: Gaps, split: Split) -> Gaps {
        let piece = self.library.functions[split.piece];
        match split.operator {
            AND => Gaps { on, off: off & piece },
            OR => Gaps { on: on & !piece, off },
            _ => Gaps { on: (on & !piece) | (off & piece), off: (on & piece) | (off & !piece) },
        }
    }

    /// The most promising splits, best first.
    fn splits(&self, gaps: Gaps, count: usize, depth: usize) -> Vec<Split> {
        let Gaps { on, off } = gaps;
        let mut kept: BinaryHeap<Split> = BinaryHeap::with_capacity(count + 1);
        let mut keep = |split: Split| {
            if kept.len() < count {
                kept.push(split);
            } else if kept.peek().is_some_and(|worst| split < *worst) {
                kept.pop();
                kept.push(split);
            }
        };
        for size in 1..=self.library.complete() {
            for piece in self.library.range(size) {
                let function = self.library.functions[piece];
                let mut offer = |operator: u32, on: u64, off: u64| {
                    let estimate = self.estimates[(on.count_ones() * 65 + off.count_ones()) as usize];
                    keep(Split { score: size as f32 + 1.0 + estimate, piece, operator });
                };
                if self.operators.and && on & !function == 0 && off & !function != 0 {
                    offer(AND, on, off & function);
                }
                if self.operators.or && off & function == 0 && on & function != 0 {
                    offer(OR, on & !function, off);
                }
                if self.operators.xor && depth < DEEPEST_XOR && size <= LARGEST_XOR {
                    offer(XOR, (on & !function) | (off & function), (on & function) | (off & !function));
                }
            }
        }
        let mut list = kept.into_vec();
        list.sort_unstable();
        list
    }

    /// Replaces parts by smaller ones that make no difference at the root, as long as there are any.
    fn improve(&mut self, mut expression: Expression, whole: Gaps) -> Expression {
        'again: loop {
            for at in 0..expression.size() {
                let part = expression.subtree(at);
                if part.size() < 2 {
                    continue;
                }
                let value = self.value(&part);
                let [low, high] = [false, true].map(|constant| {
                    self.value(&expression.with_subtree(at, &Expression::constant(constant)))
                });
                let matters = (low ^ high) & (whole.on | whole.off);
                let gaps = Gaps { on: matters & value, off: matters & !value };
                if let Some(found) = self.in_library(gaps)
                    && self.library.size(found) < part.size()
                {
                    expression = expression.with_subtree(at, &self.library.expression(found));
                    continue 'again;
                }
            }
            return expression;
        }
    }

    /// The truth table of an expression.
    fn value(&self, expression: &Expression) -> u64 {
        truth_table(expression) & self.library.full
    }
}

/// The truth table of an expression of up to six variables.
pub(super) fn truth_table(expression: &Expression) -> u64 {
    let mut stack: Vec<u64> = Vec::new();
    for &code in expression.codes().iter().rev() {
        let mut next = || stack.pop().unwrap_or_default();
        let new = match code {
            TRUE => u64::MAX,
            NOT => !next(),
            AND => next() & next(),
            OR => next() | next(),
            XOR => next() ^ next(),
            _ => VARIABLE_PATTERNS[(code - VAR) as usize - 1],
        };
        stack.push(new);
    }
    stack.pop().unwrap_or_default()
}

/// The table of four variables that is left of one of five when a variable has a value.
fn cofactor(table: u64, variable: usize, value: bool) -> u16 {
    let shift = 1 << variable;
    let shifted = if value { table >> shift } else { table };
    (0..16).fold(0, |result, index| {
        let low = index & (shift - 1);
        let source = (index - low) * 2 + low;
        result | ((shifted >> source & 1) as u16) << index
    })
}

/// The smaller one of two expressions.
pub(super) fn smaller(a: Option<Expression>, b: Option<Expression>) -> Option<Expression> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.size() < a.size() { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// The estimated size of a function that is true at `on` and false at `off` places: about one node for each
/// bit of information in it.
fn estimates() -> Vec<f32> {
    let mut table = vec![0.0; 65 * 65];
    for on in 0..=64usize {
        for off in 0..=64usize {
            let (a, b) = (on as f32, off as f32);
            let part = |x: f32| if x > 0.0 { x * ((a + b) / x).log2() } else { 0.0 };
            table[on * 65 + off] = 1.0 + part(a) + part(b);
        }
    }
    table
}

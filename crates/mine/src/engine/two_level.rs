//! Disjunctions of conjunctions, and conjunctions of disjunctions.
//!
//! Conjunctions are grown from rows: starting with a row that should be covered, literals of that row are
//! added, the best ones first, until no other label is covered. Then literals that are not needed are taken
//! out again. That misses short conjunctions whose parts look bad, such as three cells in a row, so for every
//! other row all conjunctions of at most three literals are tried. From all conjunctions found, those that
//! improve the score most are chosen, one after the other. The same for the negated labels gives conjunctions
//! of disjunctions.

use logicvae_logic::Budget;
use rand_chacha::ChaCha8Rng;

use crate::expr::{Expr, Join};
use crate::problem::Problem;
use crate::random::below;
use crate::rows::{Bits, Rows};

/// The number of rows from which conjunctions are grown.
const SEEDS: usize = 96;
/// The largest number of literals in a conjunction.
const LONGEST: usize = 12;
/// The number of literals whose conjunctions of two and three are all tried: the best ones of a row.
const COMBINED: usize = 30;

/// A conjunction of literals with the rows that it covers.
struct Cube {
    literals: Vec<(u32, bool)>,
    covered: Bits,
}

/// Formulae of two levels, for the labels and for their negation.
pub(crate) fn propose(problem: &Problem<'_>, rng: &mut ChaCha8Rng, budget: &Budget) -> Vec<Expr> {
    let mut found = Vec::new();
    for negated in [false, true] {
        let side = Side::new(problem, negated);
        for noise in [0.0, 0.1, 0.3] {
            let cubes = side.cubes(noise, rng, budget);
            found.extend(
                side.chosen(&cubes).into_iter().map(|expr| if negated { expr.negated() } else { expr }),
            );
            if budget.is_spent() {
                return found;
            }
        }
    }
    found
}

/// The labels, or their negation.
struct Side<'a> {
    problem: &'a Problem<'a>,
    rows: &'a Rows,
    /// The rows to cover.
    wanted: Bits,
}

impl<'a> Side<'a> {
    fn new(problem: &'a Problem<'a>, negated: bool) -> Self {
        let flip = if negated { u64::MAX } else { 0 };
        let wanted = problem.rows.label().iter().map(|word| word ^ flip).collect();
        Self { problem, rows: problem.rows, wanted }
    }

    /// The weights of the covered rows: those to cover, and the others.
    fn weights(&self, covered: &[u64]) -> (u64, u64) {
        pulp::Arch::new().dispatch(|| {
            let (mut yes, mut no) = (0, 0);
            for (bit, plane) in self.rows.planes().iter().enumerate() {
                let (mut some, mut other) = (0u64, 0u64);
                for ((plane, covered), wanted) in plane.iter().zip(covered).zip(&self.wanted) {
                    let both = plane & covered;
                    some += u64::from((both & wanted).count_ones());
                    other += u64::from((both & !wanted).count_ones());
                }
                yes += some << bit;
                no += other << bit;
            }
            (yes, no)
        })
    }

    /// The rows of a literal.
    fn literal(&self, covered: &[u64], (feature, negated): (u32, bool)) -> Bits {
        let flip = if negated { u64::MAX } else { 0 };
        covered.iter().zip(self.rows.column(feature as usize)).map(|(c, v)| c & (v ^ flip)).collect()
    }

    /// Conjunctions grown from rows that none covers yet, and from random ones. `noise` is the share of other
    /// labels that a conjunction may cover.
    fn cubes(&self, noise: f64, rng: &mut ChaCha8Rng, budget: &Budget) -> Vec<Cube> {
        let mut cubes: Vec<Cube> = Vec::new();
        let count = self.rows.len();
        let is_wanted = |row: usize| self.wanted[row / 64] >> (row % 64) & 1 == 1;
        let all: Vec<usize> = (0..count).filter(|&row| is_wanted(row)).collect();
        if all.is_empty() {
            return cubes;
        }
        let mut covered = vec![0u64; self.rows.words()];
        for number in 0..SEEDS {
            let open: Vec<usize> = if number < SEEDS / 2 {
                all.iter().copied().filter(|row| covered[row / 64] >> (row % 64) & 1 == 0).collect()
            } else {
                Vec::new()
            };
            let list = if open.is_empty() { &all } else { &open };
            let seed = list[below(rng, list.len())];
            let short = if number % 2 == 0 { self.short(seed, noise) } else { None };
            let cube = short.unwrap_or_else(|| self.grow(seed, noise, rng));
            covered.iter_mut().zip(&cube.covered).for_each(|(all, own)| *all |= own);
            if !cubes.iter().any(|known| known.literals == cube.literals) {
                cubes.push(cube);
            }
            if budget.is_spent() {
                break;
            }
        }
        cubes
    }

    /// The literals that are true at a row.
    fn literals_of(&self, row: usize) -> Vec<(u32, bool)> {
        let value = |feature: usize| self.rows.column(feature)[row / 64] >> (row % 64) & 1 == 1;
        let allowed = |&feature: &usize| self.problem.operators.not || value(feature);
        (0..self.rows.features()).filter(allowed).map(|f| (f as u32, !value(f))).collect()
    }

    /// The conjunction of at most three literals that covers a row and, of those with few enough other
    /// labels, the most rows.
    fn short(&self, seed: usize, noise: f64) -> Option<Cube> {
        let whole = vec![u64::MAX; self.rows.words()];
        let literal = |literal| {
            let covered = self.literal(&whole, literal);
            let (yes, no) = self.weights(&covered);
            (yes as f64 / (yes + no).max(1) as f64, literal, covered)
        };
        let mut literals: Vec<_> = self.literals_of(seed).into_iter().map(literal).collect();
        literals.sort_by(|a, b| b.0.total_cmp(&a.0));
        literals.truncate(COMBINED);
        let mut best: Option<(u64, Cube)> = None;
        let mut offer = |chosen: &[usize], covered: &Bits| {
            let (yes, no) = self.weights(covered);
            if no as f64 <= noise * yes as f64 && best.as_ref().is_none_or(|(most, _)| yes > *most) {
                let mut list: Vec<(u32, bool)> = chosen.iter().map(|&at| literals[at].1).collect();
                list.sort_unstable();
                best = Some((yes, Cube { literals: list, covered: covered.clone() }));
            }
        };
        let both = |a: &Bits, b: &Bits| -> Bits { a.iter().zip(b).map(|(a, b)| a & b).collect() };
        for a in 0..literals.len() {
            offer(&[a], &literals[a].2);
            for b in 0..a {
                let pair = both(&literals[a].2, &literals[b].2);
                offer(&[a, b], &pair);
                (0..b).for_each(|c| offer(&[a, b, c], &both(&pair, &literals[c].2)));
            }
        }
        best.map(|(_, cube)| cube)
    }

    /// A conjunction that covers a row.
    fn grow(&self, seed: usize, noise: f64, rng: &mut ChaCha8Rng) -> Cube {
        let mut open = self.literals_of(seed);
        let mut literals: Vec<(u32, bool)> = Vec::new();
        let mut covered = vec![u64::MAX; self.rows.words()];
        let (mut yes, mut no) = self.weights(&covered);
        while no as f64 > noise * yes as f64 && literals.len() < LONGEST && !open.is_empty() {
            let precision = |yes: u64, no: u64| ((yes as f64 + 0.5) / ((yes + no) as f64 + 1.0)).log2();
            let now = precision(yes, no);
            let mut best: Option<(f64, usize, u64, u64)> = None;
            for (at, &literal) in open.iter().enumerate() {
                let (some, other) = self.weights(&self.literal(&covered, literal));
                // FOIL's gain, with a little noise so that different seeds try different ways.
                let gain = some as f64
                    * (precision(some, other) - now)
                    * (1.0 + 0.1 * below(rng, 100) as f64 / 100.0);
                if other < no && best.is_none_or(|(most, ..)| gain > most) {
                    best = Some((gain, at, some, other));
                }
            }
            let Some((_, at, some, other)) = best else { break };
            let literal = open.swap_remove(at);
            covered = self.literal(&covered, literal);
            (yes, no) = (some, other);
            literals.push(literal);
        }
        // Literals that are not needed any more, the oldest first.
        let mut at = 0;
        while at < literals.len() && literals.len() > 1 {
            let fewer =
                literals.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, literal)| *literal);
            let without =
                fewer.fold(vec![u64::MAX; self.rows.words()], |rows, literal| self.literal(&rows, literal));
            let (some, other) = self.weights(&without);
            if other as f64 <= (noise * some as f64).max(no as f64) {
                literals.remove(at);
                (covered, no) = (without, other);
            } else {
                at += 1;
            }
        }
        literals.sort_unstable();
        Cube { literals, covered }
    }

    /// The disjunctions of the first conjunctions, of those that improve the score most, in their order.
    fn chosen(&self, cubes: &[Cube]) -> Vec<Expr> {
        let mut covered = vec![0u64; self.rows.words()];
        let mut chosen: Vec<usize> = Vec::new();
        let mut found = Vec::new();
        let expr = |cube: &Cube| {
            let literals = cube.literals.iter().map(|&(feature, negated)| Expr::Literal(feature, negated));
            Expr::join(Join::And, literals.collect())
        };
        let costs: Vec<f64> = cubes.iter().map(|cube| self.problem.score.description(&expr(cube))).collect();
        let (mut yes, mut no) = (0, 0);
        loop {
            let mut best: Option<(f64, usize, Bits, u64, u64)> = None;
            for (at, cube) in cubes.iter().enumerate().filter(|(at, _)| !chosen.contains(at)) {
                let union: Bits = covered.iter().zip(&cube.covered).map(|(a, b)| a | b).collect();
                let (some, other) = self.weights(&union);
                let gain = (some as f64 - yes as f64) - (other as f64 - no as f64);
                // Gains by literal: rows that a conjunction gets right for each bit of it.
                let value = gain / costs[at];
                if gain > 0.0 && best.as_ref().is_none_or(|(most, ..)| value > *most) {
                    best = Some((value, at, union, some, other));
                }
            }
            let Some((_, at, union, some, other)) = best else { break };
            (covered, yes, no) = (union, some, other);
            chosen.push(at);
            found.push(Expr::join(Join::Or, chosen.iter().map(|&at| expr(&cubes[at])).collect()));
            if found.last().is_some_and(|last| last.literals() > self.problem.max_size) {
                break;
            }
        }
        // The last one, without conjunctions that others make unnecessary.
        if let Some(last) = self.irredundant(cubes, chosen) {
            found.push(Expr::join(Join::Or, last.iter().map(|&at| expr(&cubes[at])).collect()));
        }
        found
    }

    fn irredundant(&self, cubes: &[Cube], mut chosen: Vec<usize>) -> Option<Vec<usize>> {
        let union = |list: &[usize], skip: usize| {
            let mut all = vec![0u64; self.rows.words()];
            for &at in list.iter().filter(|&&at| at != skip) {
                all.iter_mut().zip(&cubes[at].covered).for_each(|(all, own)| *all |= own);
            }
            self.weights(&all)
        };
        let before = chosen.len();
        let (yes, no) = union(&chosen, usize::MAX);
        let mut at = 0;
        while at < chosen.len() {
            let (some, other) = union(&chosen, chosen[at]);
            if some as i64 - other as i64 >= yes as i64 - no as i64 {
                chosen.remove(at);
            } else {
                at += 1;
            }
        }
        (chosen.len() < before && !chosen.is_empty()).then_some(chosen)
    }
}

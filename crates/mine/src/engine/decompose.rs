//! Structure that other engines find only by luck: parities, thresholds and case distinctions.

use logicvae_logic::Budget;
use rand_chacha::ChaCha8Rng;

use super::exact::whole;
use crate::expr::{Expr, Join};
use crate::goal::{Goal, Place};
use crate::problem::Problem;
use crate::random::below;

/// Up to this number of features, all parities are compared at once.
const TRANSFORMED: usize = 18;
/// The number of random choices of rows for parities of more features.
const TRIALS: usize = 300;
/// The largest depth of case distinctions.
const DEPTH: usize = 4;

/// Formulae with structure.
pub(crate) fn propose(problem: &Problem<'_>, rng: &mut ChaCha8Rng, budget: &Budget) -> Vec<Expr> {
    let mut found = Vec::new();
    let goal = whole(problem);
    if problem.operators.xor {
        found.extend(parities(problem, rng, budget));
    }
    if problem.operators.at_least {
        found.extend(thresholds(problem, &goal));
    }
    for depth in 1..=DEPTH {
        let nothing = vec![u64::MAX; problem.rows.words()];
        found.extend(cases(problem, nothing, depth, budget));
        if budget.is_spent() {
            break;
        }
    }
    found
}

/// The parities that agree best with the labels.
fn parities(problem: &Problem<'_>, rng: &mut ChaCha8Rng, budget: &Budget) -> Vec<Expr> {
    let rows = problem.rows;
    let count = rows.features();
    let parity = |set: &mut dyn Iterator<Item = usize>, negated: bool| {
        Expr::join(Join::Xor(negated), set.map(|f| Expr::positive(f as u32)).collect())
    };
    if count <= TRANSFORMED {
        // The Walsh-Hadamard transform of the weights: entry S is the agreement with the parity of S.
        let mut table = vec![0i64; 1 << count];
        for (row, &[no, yes]) in rows.weights().iter().enumerate() {
            let bit = |f: usize| (rows.column(f)[row / 64] >> (row % 64) & 1) as usize;
            let index: usize = (0..count).map(|f| bit(f) << f).sum();
            table[index] += no as i64 - yes as i64;
        }
        for feature in 0..count {
            let half = 1 << feature;
            for block in table.chunks_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                low.iter_mut().zip(high).for_each(|(a, b)| (*a, *b) = (*a + *b, *a - *b));
            }
        }
        let mut order: Vec<usize> = (1..table.len()).collect();
        let key = |&set: &usize| (std::cmp::Reverse(table[set].abs()), set.count_ones(), set);
        let kept = 24.min(order.len());
        if kept < order.len() {
            order.select_nth_unstable_by_key(kept, key);
            order.truncate(kept);
        }
        order.sort_by_key(key);
        let expr = |&set: &usize| parity(&mut (0..count).filter(|f| set >> f & 1 == 1), table[set] < 0);
        return order.iter().map(expr).collect();
    }
    // Random rows determine a parity, which is compared with all rows. A few wrong labels do no harm, since
    // some choice of rows avoids them.
    let mut found: Vec<(u64, Vec<usize>, bool)> = Vec::new();
    for _ in 0..TRIALS {
        if budget.is_spent() {
            break;
        }
        let Some((set, negated)) = solve(problem, rng) else { continue };
        let expr = parity(&mut set.iter().copied(), negated);
        found.push((rows.errors(&expr.values(rows)), set, negated));
    }
    found.sort();
    found.dedup();
    found.into_iter().take(8).map(|(_, set, negated)| parity(&mut set.into_iter(), negated)).collect()
}

/// A parity that agrees with the labels of random rows, by Gaussian elimination.
fn solve(problem: &Problem<'_>, rng: &mut ChaCha8Rng) -> Option<(Vec<usize>, bool)> {
    let rows = problem.rows;
    let count = rows.features();
    let words = (count + 2).div_ceil(64);
    let bit = |bits: &[u64], at: usize| bits[at / 64] >> (at % 64) & 1 == 1;
    // One equation per row: the features, a constant, and the label.
    let mut basis: Vec<(usize, Vec<u64>)> = Vec::new();
    for _ in 0..count + 8 {
        let row = below(rng, rows.len());
        let mut equation = vec![0u64; words];
        for feature in 0..count {
            equation[feature / 64] |= (rows.column(feature)[row / 64] >> (row % 64) & 1) << (feature % 64);
        }
        equation[count / 64] |= 1 << (count % 64);
        let label = rows.label()[row / 64] >> (row % 64) & 1;
        equation[(count + 1) / 64] |= label << ((count + 1) % 64);
        for (pivot, known) in &basis {
            if bit(&equation, *pivot) {
                equation.iter_mut().zip(known).for_each(|(a, b)| *a ^= b);
            }
        }
        let Some(pivot) = (0..=count).find(|&at| bit(&equation, at)) else {
            if bit(&equation, count + 1) {
                return None; // the rows contradict each other
            }
            continue;
        };
        for (_, known) in &mut basis {
            if bit(known, pivot) {
                known.iter_mut().zip(&equation).for_each(|(a, b)| *a ^= b);
            }
        }
        basis.push((pivot, equation));
    }
    // Features that are not determined are left out.
    let set: Vec<usize> =
        basis.iter().filter(|(p, e)| *p < count && bit(e, count + 1)).map(|(p, _)| *p).collect();
    let negated = basis.iter().any(|(p, e)| *p == count && bit(e, count + 1));
    (!set.is_empty()).then(|| {
        let mut set = set;
        set.sort_unstable();
        (set, negated)
    })
}

/// `at least k of` the literals that agree best with the labels, for every number of literals and every k.
fn thresholds(problem: &Problem<'_>, goal: &Goal) -> Vec<Expr> {
    let rows = problem.rows;
    let singles = goal.singles(rows);
    // How much more often a literal is true at positive rows.
    let share = |benefit: i64, feature: usize| {
        let size: u64 = rows.column(feature).iter().map(|word| u64::from(word.count_ones())).sum();
        benefit as f64 - goal.all as f64 * size as f64 / rows.len() as f64
    };
    let mut order: Vec<(f64, u32)> = (0..rows.features()).map(|f| (share(singles[f], f), f as u32)).collect();
    order.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()).then(a.1.cmp(&b.1)));
    let literal = |&(effect, feature): &(f64, u32)| Expr::Literal(feature, effect < 0.0);
    let literals: Vec<Expr> =
        order.iter().filter(|(effect, _)| problem.operators.not || *effect > 0.0).map(literal).collect();
    let mut found = Vec::new();
    for count in 3..=literals.len().min(16) {
        let mut best: Option<(u64, Expr)> = None;
        for least in 2..count as u32 {
            let expr = Expr::join(Join::AtLeast(least), literals[..count].to_vec());
            let errors = rows.errors(&expr.values(rows));
            if best.as_ref().is_none_or(|(fewest, _)| errors < *fewest) {
                best = Some((errors, expr));
            }
        }
        found.extend(best.map(|(_, expr)| expr));
    }
    found
}

/// A case distinction by the feature after which simple formulae explain the labels best, and the same again
/// for each case, up to a depth.
fn cases(problem: &Problem<'_>, region: Vec<u64>, depth: usize, budget: &Budget) -> Vec<Expr> {
    let rows = problem.rows;
    let outside: Vec<u64> = region.iter().map(|word| !word).collect();
    // Only the rows of the region matter.
    let place = Place::root(rows).operand(Join::Or, std::iter::once(outside));
    let goal = place.goal(rows, rows.label());
    let (simple, benefit) = simplest(problem, &goal);
    let mut best = simple;
    if depth == 0 || budget.is_spent() || goal.errors(benefit) == goal.errors(i64::MAX / 4) {
        return vec![best];
    }
    let part = |feature: usize, value: bool| -> Vec<u64> {
        let flip = if value { 0 } else { u64::MAX };
        region.iter().zip(rows.column(feature)).map(|(r, c)| r & (c ^ flip)).collect()
    };
    let mut split: Option<(i64, usize)> = None;
    for feature in 0..rows.features() {
        let both: i64 = [false, true]
            .into_iter()
            .map(|value| {
                let outside: Vec<u64> = part(feature, value).iter().map(|word| !word).collect();
                let place = Place::root(rows).operand(Join::Or, std::iter::once(outside));
                simplest(problem, &place.goal(rows, rows.label())).1
            })
            .sum();
        if split.is_none_or(|(most, _)| both > most) {
            split = Some((both, feature));
        }
    }
    if let Some((both, feature)) = split
        && both > benefit
    {
        let [low, high] = [false, true].map(|value| cases(problem, part(feature, value), depth - 1, budget));
        if let (Some(low), Some(high)) = (low.into_iter().next(), high.into_iter().next()) {
            let literal = Expr::positive(feature as u32);
            best = Expr::join(
                Join::Or,
                vec![
                    Expr::join(Join::And, vec![literal.clone(), high]),
                    Expr::join(Join::And, vec![literal.negated(), low]),
                ],
            );
        }
    }
    vec![best]
}

/// The best constant or literal for a goal, and its benefit.
fn simplest(problem: &Problem<'_>, goal: &Goal) -> (Expr, i64) {
    let mut best = if goal.all > 0 { (Expr::Const(true), goal.all) } else { (Expr::Const(false), 0) };
    for (feature, benefit) in goal.singles(problem.rows).into_iter().enumerate() {
        for (benefit, negated) in [(benefit, false), (goal.all - benefit, true)] {
            if benefit > best.1 {
                best = (Expr::Literal(feature as u32, negated), benefit);
            }
        }
    }
    best
}

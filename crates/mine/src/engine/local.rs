//! Stochastic local search: simulated annealing in which every step looks at thousands of formulae.
//!
//! A step picks a node of the current formula and computes its [`Goal`]: which rows it decides, and how.
//! From that follow the errors of the whole formula with any literal, and any pair of literals under any
//! operator, in its place or next to it. The best ones of each kind are scored in full, and one is accepted.

use logicvae_logic::{Budget, uniform};
use rand_chacha::ChaCha8Rng;

use super::exact::best_functions;
use crate::expr::{Expr, Join};
use crate::front::{Front, better};
use crate::goal::{Goal, Place};
use crate::problem::{Candidate, Problem};
use crate::random::{below, exponential};

/// The number of features whose pairs are tried in a step: those with the largest effect, and some others.
const STRONGEST: usize = 10;
const OTHERS: usize = 6;
/// How often the functions of four features are tried, as a share of all steps.
const EXACT_SHARE: f64 = 0.02;
/// The temperature in bits at the beginning and at the end.
const TEMPERATURE: [f64; 2] = [6.0, 0.3];

/// Anneals from a formula for a number of steps. Everything worth keeping is in the returned front.
pub(crate) fn anneal(
    problem: &Problem<'_>,
    start: Candidate,
    steps: usize,
    rng: &mut ChaCha8Rng,
    budget: &Budget,
) -> Front {
    let mut front = Front::default();
    let mut current = start;
    front.offer(current.clone());
    for step in 0..steps {
        if budget.is_spent() {
            break;
        }
        let share = step as f64 / steps as f64;
        let temperature = TEMPERATURE[0] * (TEMPERATURE[1] / TEMPERATURE[0]).powf(share);
        let tried = neighbours(problem, &current, rng);
        let noisy =
            |candidate: &Candidate, rng: &mut ChaCha8Rng| candidate.score - temperature * exponential(rng);
        let mut chosen: Option<(f64, Candidate)> = None;
        for candidate in tried {
            let value = noisy(&candidate, rng);
            front.offer(candidate.clone());
            if chosen.as_ref().is_none_or(|(best, _)| value < *best) {
                chosen = Some((value, candidate));
            }
        }
        if let Some((value, candidate)) = chosen
            && value < current.score
        {
            current = candidate;
        }
    }
    front
}

/// Steps downhill only, for a fixed number of steps.
pub(crate) fn descend(
    problem: &Problem<'_>,
    start: Candidate,
    steps: usize,
    rng: &mut ChaCha8Rng,
    budget: &Budget,
) -> Front {
    let mut front = Front::default();
    let mut current = start;
    front.offer(current.clone());
    for _ in 0..steps {
        if budget.is_spent() {
            break;
        }
        for candidate in neighbours(problem, &current, rng) {
            front.offer(candidate.clone());
            if better(&candidate, &current) {
                current = candidate;
            }
        }
    }
    front
}

/// How a new part is attached at a node.
#[derive(Clone, Copy)]
enum Attach {
    Replace,
    With(Join),
    /// As one more operand of `at least k of`.
    Inside,
}

/// Formulae near the current one: the best ones of each kind at a random node.
fn neighbours(problem: &Problem<'_>, current: &Candidate, rng: &mut ChaCha8Rng) -> Vec<Candidate> {
    let rows = problem.rows;
    let paths = current.expr.paths();
    let path = &paths[below(rng, paths.len())];
    let node = current.expr.at(path);
    let attach = attachment(problem, node, rng);
    let values = current.expr.values(rows);
    let mut place = Place::at(rows, &current.expr, path);
    match (attach, node) {
        (Attach::Replace, _) => {}
        (Attach::With(join), _) => place = place.operand(join, std::iter::once(node.values(rows))),
        (Attach::Inside, Expr::Join(join, children)) => {
            place = place.operand(*join, children.iter().map(|child| child.values(rows)));
        }
        (Attach::Inside, _) => {}
    }
    // Where the new part makes no difference, the formula has the values it has with the part being neutral.
    let neutral = match attach {
        Attach::With(join) => {
            let absorbing = Expr::Const(join == Join::Or);
            current.expr.with(path, Expr::join(join, vec![node.clone(), absorbing])).values(rows)
        }
        _ => values,
    };
    let goal = place.goal(rows, &neutral);
    let mut parts = parts(problem, &goal, rng);
    if matches!(attach, Attach::Replace) {
        parts.extend(own_changes(problem, node));
        parts.extend([Expr::Const(false), Expr::Const(true)]);
    }
    let build = |part: Expr| match (attach, node) {
        (Attach::Replace, _) => part,
        (Attach::With(join), _) => Expr::join(join, vec![node.clone(), part]),
        (Attach::Inside, Expr::Join(join, children)) => {
            Expr::join(*join, children.iter().cloned().chain([part]).collect())
        }
        (Attach::Inside, _) => part,
    };
    let mut found = Vec::with_capacity(parts.len());
    for part in parts {
        let new = current.expr.with(path, build(part));
        if new != current.expr
            && let Some(candidate) = problem.candidate(new)
        {
            found.push(candidate);
        }
    }
    found
}

fn attachment(problem: &Problem<'_>, node: &Expr, rng: &mut ChaCha8Rng) -> Attach {
    let inside = matches!(node, Expr::Join(Join::AtLeast(_), _));
    match uniform(rng) {
        u if u < 0.45 => Attach::Replace,
        u if u < 0.55 && inside => Attach::Inside,
        u if u < 0.65 && problem.operators.xor => Attach::With(Join::Xor(false)),
        u if u < 0.83 => Attach::With(Join::And),
        _ => Attach::With(Join::Or),
    }
}

/// The best literal, and the best pair under each operator, for a goal. Sometimes also the best functions
/// of four features.
fn parts(problem: &Problem<'_>, goal: &Goal, rng: &mut ChaCha8Rng) -> Vec<Expr> {
    let rows = problem.rows;
    let singles = goal.singles(rows);
    let mut kinds: [Option<(i64, Expr)>; 4] = Default::default();
    let not = problem.operators.not;
    let mut offer = |kind: usize, benefit: i64, expr: &dyn Fn() -> Expr| {
        if kinds[kind].as_ref().is_none_or(|(best, _)| benefit > *best) {
            kinds[kind] = Some((benefit, expr()));
        }
    };
    for (feature, &benefit) in singles.iter().enumerate() {
        let literal = Expr::positive(feature as u32);
        offer(0, benefit, &|| literal.clone());
        if not {
            offer(0, goal.all - benefit, &|| literal.negated());
        }
    }
    let features = selection(&singles, goal.all, rng);
    let both = goal.pairs(rows, &features);
    let (signs, odd) = (if not { 2 } else { 1 }, if problem.operators.xor { 2 } else { 0 });
    problem.count(singles.len() * signs + both.len() * (2 * signs * signs + odd));
    for (at, &second) in features.iter().enumerate().skip(1) {
        for (index, &first) in features[..at].iter().enumerate() {
            let q = both[at * (at - 1) / 2 + index];
            let (a, b, all) = (singles[first], singles[second], goal.all);
            let literals =
                |x: bool, y: bool| vec![Expr::Literal(first as u32, x), Expr::Literal(second as u32, y)];
            for (x, y, benefit) in
                [(false, false, q), (false, true, a - q), (true, false, b - q), (true, true, all - a - b + q)]
            {
                if not || !(x || y) {
                    offer(1, benefit, &|| Expr::join(Join::And, literals(x, y)));
                }
                // By De Morgan's law.
                if not || (x && y) {
                    offer(2, all - benefit, &|| Expr::join(Join::Or, literals(!x, !y)));
                }
            }
            if problem.operators.xor {
                let odd = a + b - 2 * q;
                offer(3, odd, &|| Expr::join(Join::Xor(false), literals(false, false)));
                offer(3, all - odd, &|| Expr::join(Join::Xor(true), literals(false, false)));
            }
        }
    }
    let mut found: Vec<Expr> = kinds.into_iter().flatten().map(|(_, expr)| expr).collect();
    // A random literal keeps the search moving.
    let random = Expr::Literal(below(rng, singles.len()) as u32, not && uniform(rng) < 0.5);
    found.push(random);
    if uniform(rng) < EXACT_SHARE && features.len() >= 4 {
        let mut chosen: Vec<usize> = found.iter().flat_map(Expr::features).map(|f| f as usize).collect();
        chosen.extend(&features);
        let mut list: Vec<usize> = Vec::new();
        chosen.into_iter().for_each(|f| {
            if list.len() < 4 && !list.contains(&f) {
                list.push(f);
            }
        });
        found.extend(best_functions(problem, goal, &list).into_iter().map(|(expr, _)| expr));
    }
    found
}

/// The features whose pairs are tried.
fn selection(singles: &[i64], all: i64, rng: &mut ChaCha8Rng) -> Vec<usize> {
    if singles.len() <= STRONGEST + OTHERS {
        return (0..singles.len()).collect();
    }
    let mut order: Vec<usize> = (0..singles.len()).collect();
    // The literal or its negation, whichever is better.
    order.sort_by_key(|&f| (std::cmp::Reverse(singles[f].max(all - singles[f])), f));
    for at in STRONGEST..STRONGEST + OTHERS {
        let other = at + below(rng, order.len() - at);
        order.swap(at, other);
    }
    order.truncate(STRONGEST + OTHERS);
    order.sort_unstable();
    order
}

/// Other operators at a node, and its operands alone.
fn own_changes(problem: &Problem<'_>, node: &Expr) -> Vec<Expr> {
    let Expr::Join(join, children) = node else { return vec![node.negated()] };
    let mut joins = vec![Join::And, Join::Or];
    if problem.operators.xor {
        joins.extend([Join::Xor(false), Join::Xor(true)]);
    }
    if problem.operators.at_least && children.len() >= 3 {
        let around = match join {
            Join::AtLeast(least) => [least.saturating_sub(1), least + 1],
            _ => [2, children.len() as u32 - 1],
        };
        joins.extend(around.map(Join::AtLeast));
    }
    let changed =
        joins.into_iter().filter(|other| other != join).map(|other| Expr::join(other, children.clone()));
    changed.chain(children.iter().cloned()).collect()
}

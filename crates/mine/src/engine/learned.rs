//! The learned engine: decodings of the built-in model, for the whole formula and for parts of it.
//!
//! A goal over at most five features is a truth table with gaps: what a subformula should be. The model is
//! asked in two ways for formulae that have these values, and each is tried in the place. Either the gaps are
//! filled with the values of the current subformula, and the most probable formulae are decoded by beam
//! search. Or the model is given the semantic vector of what was observed alone, with the gaps as
//! don't-cares, and formulae are sampled. In the latent space, CMA-ES moves from the vector of the best
//! formula so far to vectors whose decodings have a better score.

use std::sync::OnceLock;

use candle_core::{Device, Tensor};
use cmaes::{CMAESOptions, DVector};
use logicvae_logic::{Assignment, Budget, Formula, Var};
use logicvae_vae::{Codes, Condition, Decoding, Model, VaeError};
use rand_chacha::ChaCha8Rng;

use crate::expr::{Expr, Join};
use crate::front::Front;
use crate::goal::{Goal, Place};
use crate::problem::{Candidate, Problem};
use crate::random::below;

/// The number of features that the model knows.
const FEATURES: usize = 5;
/// The largest formula that the model encodes.
const NODES: usize = 30;
/// Decodings per meaning, the most probable ones or samples.
const BEAM: usize = 6;
const SAMPLES: usize = 12;
/// The size of a generation and the number of generations in the latent space.
const POPULATION: usize = 12;
const GENERATIONS: usize = 4;

/// The built-in model; `None` if it cannot be loaded.
fn model() -> Option<&'static Model> {
    static MODEL: OnceLock<Option<Model>> = OnceLock::new();
    MODEL.get_or_init(|| Model::built_in().ok()).as_ref()
}

/// Tries decodings in places of a formula: at the root, and at some random nodes.
pub(crate) fn improve(
    problem: &Problem<'_>,
    current: &Candidate,
    places: usize,
    rng: &mut ChaCha8Rng,
    budget: &Budget,
) -> Front {
    let mut front = Front::default();
    let Some(model) = model() else { return front };
    let rows = problem.rows;
    let paths = current.expr.paths();
    let values = current.expr.values(rows);
    let mut asked = [(Vec::new(), Vec::new()), (Vec::new(), Vec::new())];
    for number in 0..places {
        let path = if number == 0 { Vec::new() } else { paths[below(rng, paths.len())].clone() };
        let goal = Place::at(rows, &current.expr, &path).goal(rows, &values);
        let features = choose(problem, &goal, current.expr.at(&path), rng);
        let cells = goal.cells(rows, &features);
        let open = observations(&cells).filter(|_| number % 2 == 1);
        let (conditions, sites) = &mut asked[usize::from(open.is_some())];
        conditions.push(open.unwrap_or_else(|| completed(&cells, current.expr.at(&path), &features)));
        sites.push((path, features));
    }
    let samples = Decoding::samples(SAMPLES, below(rng, 1 << 30) as u64);
    for ((conditions, sites), decoding) in asked.iter().zip([Decoding::Beam { width: BEAM }, samples]) {
        if sites.is_empty() || budget.is_spent() {
            continue;
        }
        let conditions = model.conditions(conditions);
        let Ok(found) = conditions.and_then(|conditions| model.express_by(&conditions, decoding)) else {
            continue;
        };
        for ((path, features), list) in sites.iter().zip(found) {
            for expressed in list {
                let Some(part) = from_formula(&expressed.formula, features) else { continue };
                if let Some(candidate) = problem.candidate(current.expr.with(path, part)) {
                    front.offer(candidate);
                }
            }
        }
    }
    front
}

/// Moves through the latent space from the vector of a formula.
pub(crate) fn explore(problem: &Problem<'_>, current: &Candidate, seed: u64, budget: &Budget) -> Front {
    let mut front = Front::default();
    let features: Vec<usize> = current.expr.features().into_iter().map(|f| f as usize).collect();
    let formula = to_formula(&current.expr, &features);
    let (Some(model), Some(formula)) = (model(), formula.filter(|f| f.size() <= NODES)) else { return front };
    if features.len() > FEATURES || features.is_empty() {
        return front;
    }
    let Ok(codes) = model.encode(std::slice::from_ref(&formula)) else { return front };
    let Ok(start) = codes.z.flatten_all().and_then(|z| z.to_vec1::<f32>()) else { return front };
    let start: Vec<f64> = start.into_iter().map(f64::from).collect();
    let decode = |z: &DVector<f64>| -> Result<Option<Formula>, VaeError> {
        let z: Vec<f32> = z.iter().map(|&number| number as f32).collect();
        let z = Tensor::from_slice(&z, (1, z.len()), &Device::Cpu)?;
        let codes = Codes { z, conditions: codes.conditions.clone() };
        Ok(model.decode(&codes, Decoding::Greedy)?.into_iter().flatten().next().and_then(|d| d.formula))
    };
    let objective = |z: &DVector<f64>| {
        if budget.is_spent() {
            return 1e9;
        }
        let decoded = decode(z).ok().flatten().and_then(|formula| from_formula(&formula, &features));
        match decoded.and_then(|expr| problem.candidate(expr)) {
            Some(candidate) => {
                let score = candidate.score;
                front.offer(candidate);
                score
            }
            None => 1e9,
        }
    };
    let options =
        CMAESOptions::new(start, 0.3).population_size(POPULATION).max_generations(GENERATIONS).seed(seed);
    if let Ok(mut state) = options.build(objective) {
        state.run();
    }
    front
}

/// Five features: those of the current part, then the ones with the largest effect, then random ones.
fn choose(problem: &Problem<'_>, goal: &Goal, part: &Expr, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let singles = goal.singles(problem.rows);
    let mut order: Vec<usize> = (0..singles.len()).collect();
    order.sort_by_key(|&f| (std::cmp::Reverse(singles[f].max(goal.all - singles[f])), f));
    let mut list: Vec<usize> = part.features().into_iter().map(|f| f as usize).take(FEATURES).collect();
    for (number, feature) in order.into_iter().enumerate() {
        let feature = if number < 3 { feature } else { below(rng, singles.len()) };
        if list.len() < FEATURES && !list.contains(&feature) {
            list.push(feature);
        }
    }
    list
}

/// The truth table of what a part should be. Where the rows leave it open, the current part decides.
fn completed(cells: &[i64], part: &Expr, features: &[usize]) -> Condition {
    let own = |cell: usize| {
        part.value(&|feature| {
            features.iter().position(|&f| f == feature as usize).is_some_and(|at| cell >> at & 1 == 1)
        })
    };
    let value = |cell: usize| match cells.get(cell % cells.len()).copied().unwrap_or(0) {
        0 => own(cell),
        benefit => benefit > 0,
    };
    Condition::Table((0..1 << FEATURES).map(value).collect())
}

/// What a part should be where the rows tell; `None` if they tell nothing.
fn observations(cells: &[i64]) -> Option<Condition> {
    let benefit = |cell: usize| cells.get(cell % cells.len()).copied().unwrap_or(0);
    let known: Vec<usize> = (0..1 << FEATURES).filter(|&cell| benefit(cell) != 0).collect();
    let rows = known.iter().map(|&cell| Assignment::from_index(cell as u64, FEATURES)).collect();
    let values = known.iter().map(|&cell| benefit(cell) > 0).collect();
    (!known.is_empty()).then_some(Condition::Observations { rows, values })
}

/// A formula over variables as one over features; `None` if it has other variables.
fn from_formula(formula: &Formula, features: &[usize]) -> Option<Expr> {
    let mut stack: Vec<Expr> = Vec::new();
    for &code in formula.codes().iter().rev() {
        let new = match code {
            0 => Expr::Const(true),
            1 => stack.pop()?.negated(),
            2 | 3 => {
                let join = if code == 2 { Join::And } else { Join::Or };
                Expr::join(join, vec![stack.pop()?, stack.pop()?])
            }
            variable => Expr::positive(*features.get(variable as usize - 4)? as u32),
        };
        stack.push(new);
    }
    stack.pop()
}

/// A formula over features as one over variables; `None` if it has operators without a short equivalent.
fn to_formula(expr: &Expr, features: &[usize]) -> Option<Formula> {
    Some(match expr {
        Expr::Const(true) => Formula::truth(),
        Expr::Const(false) => Formula::falsity(),
        Expr::Literal(feature, negated) => {
            let at = features.iter().position(|&f| f == *feature as usize)?;
            let var = Formula::var(Var::new(at as u32 + 1).ok()?);
            if *negated { !var } else { var }
        }
        Expr::Join(join, children) => {
            let parts: Vec<Formula> =
                children.iter().map(|c| to_formula(c, features)).collect::<Option<_>>()?;
            match join {
                Join::And => Formula::all(parts),
                Join::Or => Formula::any(parts),
                Join::Xor(negated) => {
                    let odd = parts.into_iter().reduce(|a, b| (&a & !&b) | (!a & b))?;
                    if *negated { !odd } else { odd }
                }
                Join::AtLeast(_) => return None,
            }
        }
    })
}

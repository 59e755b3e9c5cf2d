//! Filling the holes of a template, one after the other, with the literals that fit best.

use logicvae_logic::Budget;
use rand_chacha::ChaCha8Rng;

use crate::expr::Expr;
use crate::front::Front;
use crate::problem::Problem;
use crate::random::below;

/// Fills the holes of a template from several random starts. Each hole in turn gets the best literal, until
/// nothing improves. Some random holes are kept for the columns that must occur.
pub(crate) fn fill(
    problem: &Problem<'_>,
    template: &Expr,
    starts: usize,
    rng: &mut ChaCha8Rng,
    budget: &Budget,
) -> Front {
    let mut front = Front::default();
    let holes = template.features();
    let count = problem.rows.features() as u32;
    let about =
        |column: &String| (0..count).filter(|&f| problem.features[f as usize].column == *column).collect();
    let required: Vec<Vec<u32>> = problem.must.iter().map(about).collect();
    for _ in 0..starts {
        // The features that may be in each hole.
        let mut choices: Vec<Vec<u32>> = vec![(0..count).collect(); holes.len()];
        let mut open: Vec<usize> = (0..holes.len()).collect();
        for features in required.iter().take(holes.len()) {
            choices[open.swap_remove(below(rng, open.len()))].clone_from(features);
        }
        let random = |features: &Vec<u32>, rng: &mut ChaCha8Rng| {
            (features[below(rng, features.len())], problem.operators.not && below(rng, 2) == 1)
        };
        let mut literals: Vec<(u32, bool)> = choices.iter().map(|features| random(features, rng)).collect();
        let mut fewest = u64::MAX;
        loop {
            let before = fewest;
            for hole in 0..holes.len() {
                if budget.is_spent() {
                    return front;
                }
                let mut best = literals[hole];
                for &feature in &choices[hole] {
                    for negated in
                        [false, true].into_iter().filter(|negated| !negated || problem.operators.not)
                    {
                        literals[hole] = (feature, negated);
                        let expr = filled(template, &holes, &literals);
                        let errors = problem.rows.errors(&expr.values(problem.rows));
                        if errors < fewest {
                            (fewest, best) = (errors, (feature, negated));
                        }
                    }
                }
                literals[hole] = best;
            }
            if let Some(candidate) = problem.candidate(filled(template, &holes, &literals)) {
                front.offer(candidate);
            }
            if fewest == before {
                break;
            }
        }
    }
    front
}

fn filled(template: &Expr, holes: &[u32], literals: &[(u32, bool)]) -> Expr {
    match template {
        Expr::Const(_) => template.clone(),
        Expr::Literal(hole, sign) => {
            let at = holes.iter().position(|known| known == hole).unwrap_or_default();
            let (feature, negated) = literals[at];
            Expr::Literal(feature, negated != *sign)
        }
        Expr::Join(join, children) => {
            Expr::join(*join, children.iter().map(|child| filled(child, holes, literals)).collect())
        }
    }
}

//! Asks a conditional model for formulae with a given meaning: a truth table, a formula, or observations.
//!
//! `models/cvae-best-5` was trained on formulae of up to 22 nodes in which all five variables occur, so its
//! answers are of this kind. They nearly have the requested meaning, but not always exactly. Each is shown
//! with its agreement: the fraction of the given assignments at which it has the requested value.
//!
//! ```sh
//! cargo run -p logicvae-vae --example ask_for_meaning
//! ```

use std::error::Error;

use logicvae_logic::{Assignment, Formula};
use logicvae_vae::{Condition, Decoding, Model};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/cvae-best-5");
const VARIABLES: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let model = Model::load(MODEL)?;
    let all: Vec<Assignment> = (0..1 << VARIABLES).map(|i| Assignment::from_index(i, VARIABLES)).collect();

    // True where at least three of the five variables are.
    let majority: Vec<bool> = all.iter().map(|a| a.values().iter().filter(|v| **v).count() >= 3).collect();
    ask(&model, "a truth table: the majority of five", Condition::Table(majority.clone()), &all, &majority)?;

    // The same meaning, written in another way.
    let formula: Formula = "x1 & x2 & x5 | x1 & !x2 & (x3 | x4)".parse()?;
    let values: Vec<bool> = all.iter().map(|row| formula.evaluate(row)).collect::<Result<_, _>>()?;
    ask(&model, &format!("the meaning of {formula}"), Condition::Formula(formula), &all, &values)?;

    // Some rows of a table, such as measurements. What was not observed is left open.
    let observed = ["11010", "10110", "01101", "00011", "11111", "10000", "01010", "00000", "11101", "00110"];
    let rows: Vec<Assignment> = observed.iter().map(|row| row.parse()).collect::<Result<_, _>>()?;
    let values = vec![true, true, false, false, true, false, false, false, true, false];
    let condition = Condition::Observations { rows: rows.clone(), values: values.clone() };
    ask(&model, "ten observations", condition, &rows, &values)
}

/// Decodes some samples of the prior under a condition, and prints the best results.
fn ask(
    model: &Model,
    title: &str,
    condition: Condition,
    rows: &[Assignment],
    values: &[bool],
) -> Result<(), Box<dyn Error>> {
    // The same condition eight times: eight latent vectors are sampled, and each is decoded twice. This model
    // samples ten candidates for each decoding and keeps the one whose meaning is closest to the condition.
    let conditions = model.conditions(&[condition])?.select(&[0; 8])?;
    let decoded = model.decode(&model.sample_prior(conditions, 1)?, Decoding::samples(2, 1))?;

    let mut results: Vec<(usize, Formula)> = Vec::new();
    for formula in decoded.into_iter().flatten().filter_map(|result| result.formula) {
        let found: Vec<bool> = rows.iter().map(|row| formula.evaluate(row)).collect::<Result<_, _>>()?;
        results.push((found.iter().zip(values).filter(|(a, b)| a == b).count(), formula));
    }
    results.sort_by_key(|(agreement, formula)| (usize::MAX - agreement, formula.size()));
    results.dedup();
    println!("{title}");
    for (agreement, formula) in results.iter().take(4) {
        println!("  {:5.1} %  {formula}", 100.0 * *agreement as f64 / rows.len() as f64);
    }
    println!();
    Ok(())
}

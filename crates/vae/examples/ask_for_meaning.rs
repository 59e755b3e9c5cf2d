//! Asks the built-in model for formulae with a given meaning: a truth table, a formula, or observations. Each
//! answer is shown with its agreement: the share of the requested values that it has.
//!
//! ```sh
//! cargo run -p logicvae-vae --features built-in --example ask_for_meaning
//! ```

use std::error::Error;

use logicvae_logic::{Assignment, Formula};
use logicvae_vae::{Condition, Model};

const VARIABLES: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let model = Model::built_in()?;

    // True where at least two of the first three variables are.
    let all = (0..1 << VARIABLES).map(|i| Assignment::from_index(i, VARIABLES));
    let majority = all.map(|a| a.values()[..3].iter().filter(|v| **v).count() >= 2).collect();
    ask(&model, "a truth table: the majority of three", Condition::Table(majority))?;

    // The same meaning, written in another way.
    let formula: Formula = "x1 & x2 & x5 | x1 & !x2 & (x3 | x5)".parse()?;
    ask(&model, &format!("the meaning of {formula}"), Condition::Formula(formula))?;

    // Some rows of a table, such as measurements. What was not observed is left open.
    let observed = ["11010", "10110", "01101", "00011", "11111", "10000", "01010", "00000", "11101", "00110"];
    let rows = observed.iter().map(|row| row.parse()).collect::<Result<_, _>>()?;
    let values = vec![true, true, false, false, true, false, false, false, true, false];
    ask(&model, "ten observations", Condition::Observations { rows, values })
}

/// Prints the best formulae for a condition.
fn ask(model: &Model, title: &str, condition: Condition) -> Result<(), Box<dyn Error>> {
    println!("{title}");
    for found in model.express(&model.conditions(&[condition])?, 10)?[0].iter().take(4) {
        println!("  {:5.1} %  {}", 100.0 * found.agreement, found.formula);
    }
    println!();
    Ok(())
}

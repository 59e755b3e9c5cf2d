//! Checks two versions of a requirement: parse, simplify, compare, and count models.
//!
//! ```sh
//! cargo run -p logicvae-logic --example requirements
//! ```

use std::error::Error;

use logicvae_logic::{Equivalence, Formula};

/// The meaning of x1 to x4.
const NAMES: [&str; 4] = ["the door is open", "the train is moving", "the alarm is on", "the brake is on"];

fn main() -> Result<(), Box<dyn Error>> {
    let old: Formula = "(x1 -> !x2) & (x1 -> x3 & !!x3) & (x2 -> !x4) & (x1 -> !x2)".parse()?;
    let new: Formula = "!(x1 & (x2 | !x3)) & !(x2 & x4)".parse()?;
    let wrong: Formula = "(x1 -> !x2) & !(x2 & x4)".parse()?;

    println!("old requirement   {old}");
    println!(
        "  simplified      {}  ({} instead of {} nodes)",
        old.simplify(),
        old.simplify().size(),
        old.size()
    );
    println!("new requirement   {new}");
    compare(&old, &new)?;

    println!("wrong requirement {wrong}");
    compare(&old, &wrong)?;

    // May the brake be on while the door is open? A satisfying assignment proves it.
    let stop: Formula = "x1 & x4".parse()?;
    match (&new & &stop).find_model() {
        Some(model) => println!("the new requirement allows {stop}, for example at {model} (x1 first)"),
        None => println!("the new requirement never allows {stop}"),
    }
    println!("it allows {} of {} states", new.count_models(4)?, 1 << 4);

    // A syntax error shows where it is and what was expected.
    if let Err(error) = "x1 -> (x2 & )".parse::<Formula>() {
        println!("\na text with an error:\n{error}");
    }
    Ok(())
}

/// Prints whether two formulae are equivalent, and if not, a state that tells them apart.
fn compare(first: &Formula, second: &Formula) -> Result<(), Box<dyn Error>> {
    match first.compare(second) {
        Equivalence::Equivalent => println!("  equivalent to the old one\n"),
        Equivalence::Differ(at) => {
            let state = NAMES.iter().zip(at.values()).filter(|(_, value)| **value).map(|(name, _)| *name);
            println!("  differs from the old one if only {}", state.collect::<Vec<_>>().join(" and "));
            println!("  (old: {}, this one: {})\n", first.evaluate(&at)?, second.evaluate(&at)?);
        }
    }
    Ok(())
}

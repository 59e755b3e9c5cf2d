//! Encodes formulae with the built-in model as one vector each, and decodes the vectors again.
//!
//! ```sh
//! cargo run -p logicvae-vae --features built-in --example round_trip
//! ```

use std::error::Error;

use logicvae_logic::Formula;
use logicvae_vae::{Decoding, Model, Refinement};

const FORMULAE: [&str; 6] = [
    "x1 & !x2",
    "(x1 | !x2) & !(x3 & x4) | x5",
    "!(x1 & x2 & x3) | !(x4 | x5)",
    "x5 & x4 & !x3 & (!x2 | x1 & x2)",
    "(x1 | x2) & (x3 | x4) & (x5 | !x1) & !(x2 & x4)",
    "1",
];

fn main() -> Result<(), Box<dyn Error>> {
    let model = Model::built_in()?;
    let formulae: Vec<Formula> = FORMULAE.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;

    // Encode. Refinement decodes every vector and moves those that give another formula.
    let codes = model.encode(&formulae)?;
    let refined = model.refine(&formulae, &codes, &Refinement::default(), |_| {})?;
    let exact = refined.exact.iter().filter(|&&exact| exact).count();
    println!("{exact} of {} formulae are reconstructed exactly", formulae.len());

    // One array for all: the meaning and how it is written.
    let vectors = model.vectors(&refined.codes)?;
    println!("vectors of shape {:?}; columns {:?} are the meaning", vectors.dims(), model.meaning_columns());

    // Decode: for each row a list of results; greedy decoding gives one.
    let decoded = model.decode(&model.codes(&vectors)?, Decoding::Greedy)?;
    for list in &decoded {
        let text = list[0].formula.as_ref().map_or("not a formula".to_owned(), Formula::to_string);
        println!("  log p = {:8.4}  {text}", list[0].log_probability);
    }
    Ok(())
}

//! Loads a trained model, encodes formulae as latent vectors, and decodes the vectors again.
//!
//! `models/best-5` was trained on formulae of up to 22 nodes in which all five variables occur. The last
//! formula of the list is not of this kind, so the model need not reconstruct it.
//!
//! ```sh
//! cargo run -p logicvae-vae --example round_trip
//! ```

use std::error::Error;

use logicvae_logic::Formula;
use logicvae_vae::{Decoding, Model};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/best-5");

const FORMULAE: [&str; 6] = [
    "x1 & (x2 | !x3) & (x4 | x5)",
    "(x1 | !x2) & !(x3 & x4) | x5",
    "!(x1 & x2 & x3) | !(x4 | x5)",
    "x5 & x4 & !x3 & (!x2 | x1 & x2)",
    "(x1 | x2) & (x3 | x4) & (x5 | !x1) & !(x2 & x4)",
    "x1 & x2",
];

fn main() -> Result<(), Box<dyn Error>> {
    let model = Model::load(MODEL)?;
    let formulae: Vec<Formula> = FORMULAE.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;

    // Encode: one row per formula.
    let codes = model.encode(&formulae)?;
    println!("{} formulae -> latent vectors of shape {:?}", formulae.len(), codes.z.dims());

    // Decode: for each row a list of results; greedy decoding gives one.
    let decoded = model.decode(&codes, Decoding::Greedy)?;
    let mut reconstructed = 0;
    for (formula, results) in formulae.iter().zip(&decoded) {
        println!("\n{formula}");
        match &results[0].formula {
            Some(found) if found == formula => {
                reconstructed += 1;
                println!("  reconstructed");
            }
            Some(found) if found.is_equivalent(formula) => println!("  an equivalent formula: {found}"),
            Some(found) => println!("  another formula: {found}"),
            None => println!("  not a formula"),
        }
    }
    println!("\n{reconstructed} of {} reconstructed", formulae.len());

    // Beam search lists the most probable formulae of a vector.
    let beam = model.decode(&codes.select(&[1])?, Decoding::Beam { width: 4 })?;
    println!("\nthe most probable decodings of {}:", formulae[1]);
    for result in &beam[0] {
        let text = result.formula.as_ref().map_or("not a formula".to_owned(), Formula::to_string);
        println!("  log p = {:8.4}  {text}", result.log_probability);
    }
    Ok(())
}

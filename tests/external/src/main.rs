//! Encodes a formula and decodes it again. The arguments are the folder of a model and the formula.

#![forbid(unsafe_code)]

use logicvae_vae::{Decoding, Model};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let model = Model::load(arguments.next().ok_or("give a model folder and a formula")?)?;
    let codes = model.encode(&[arguments.next().ok_or("give a formula")?.parse()?])?;
    let decoded = model.decode(&codes, Decoding::Greedy)?;
    println!("{}", decoded[0][0].formula.as_ref().ok_or("the decoding is not a formula")?);
    Ok(())
}

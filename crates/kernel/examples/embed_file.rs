//! Embeds the formulae of a file and finds the nearest neighbours of the first one.
//!
//! The argument is a file with one formula per line; without it, a small list is used. All 2ⁿ assignments are
//! enumerated, so the formulae may have at most 26 variables.
//!
//! ```sh
//! cargo run -p logicvae-kernel --example embed_file -- datasets/paper-5/test.txt
//! ```

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader};

use logicvae_kernel::{Domain, Embedding, EmbeddingParams, Neighbours};
use logicvae_logic::{Formula, FormulaReader};

/// The first three formulae are equivalent; the last one is their negation.
const FORMULAE: &str = "\
x1 & (x2 | x3)
x1 & x2 | x1 & x3
!(!x1 | !x2 & !x3)
x1 & x2
x1 & x2 & x3
x1 | x2 & x3
x1 -> x2
x3 & !x1
!x1 | !x2 & !x3
";

fn main() -> Result<(), Box<dyn Error>> {
    let source: Box<dyn BufRead> = match std::env::args_os().nth(1) {
        Some(path) => Box::new(BufReader::new(File::open(path)?)),
        None => Box::new(FORMULAE.as_bytes()),
    };
    let formulae: Vec<Formula> = FormulaReader::new(source)?.collect::<Result<_, _>>()?;
    let query = formulae.first().ok_or("the file has no formulae")?;
    let variables = formulae.iter().map(Formula::max_variable).max().unwrap_or(0);
    let domain = Domain::exact(variables as usize)?;

    // Fit an embedding with at most eight components to the formulae, then transform them.
    let params = EmbeddingParams { up_to_rank: true, ..EmbeddingParams::new(8) };
    let embedding = Embedding::fit(domain.clone(), &formulae, &params)?;
    let vectors = embedding.transform(&formulae)?;
    println!("{} formulae of {variables} variables -> vectors of shape {:?}", formulae.len(), vectors.dim());
    println!("explained variance: {:.1} %", 100.0 * embedding.explained_variance().sum());

    // The kernel value is 1 for equivalent formulae and -1 for a formula and its negation.
    println!("nearest neighbours of {query}:\n  kernel  distance  formula");
    for neighbour in Neighbours::new(domain, &formulae)?.nearest(query, 8)? {
        let difference = &vectors.row(neighbour.index) - &vectors.row(0);
        let distance = difference.dot(&difference).sqrt();
        println!("  {:6.3}  {distance:8.3}  {}", neighbour.kernel, formulae[neighbour.index]);
    }
    Ok(())
}

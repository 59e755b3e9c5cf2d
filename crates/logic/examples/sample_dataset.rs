//! Samples a data set of random formulae, writes it to a file, and reads it back.
//!
//! The argument is the file to write; the default is `logicvae-sample.txt` in the temporary folder.
//!
//! ```sh
//! cargo run -p logicvae-logic --example sample_dataset -- train.txt
//! ```

use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use logicvae_logic::{Formula, FormulaReader, SamplerParams, Stats, write_atomic, write_text};

fn main() -> Result<(), Box<dyn Error>> {
    let default = || std::env::temp_dir().join("logicvae-sample.txt");
    let path = std::env::args_os().nth(1).map_or_else(default, PathBuf::from);

    // Formulae over x1 to x5 with at most 22 nodes, in which every variable occurs. The result depends only
    // on the seed, for any number of threads.
    let params = SamplerParams { max_nodes: 22, all_variables: true, ..SamplerParams::new(5) };
    let formulae = params.check()?.distinct(2023, 1000)?;

    // One formula per line. The file is written completely or not at all.
    write_atomic(&path, true, |out| write_text(out, &formulae))?;
    println!("wrote {} formulae to {}", formulae.len(), path.display());

    let reader = FormulaReader::new(BufReader::new(File::open(&path)?))?;
    let read: Vec<Formula> = reader.with_variables(Some(5)).collect::<Result<_, _>>()?;
    assert_eq!(read, formulae);
    for formula in &read[..5] {
        println!("  {formula}");
    }

    let stats: Stats = read.iter().collect();
    println!("nodes  {:.2} on average, from {} to {}", stats.nodes.mean, stats.nodes.min, stats.nodes.max);
    println!("depth  {:.2} on average, from {} to {}", stats.depth.mean, stats.depth.min, stats.depth.max);
    println!(
        "{:.1} % tautologies, {:.1} % contradictions",
        100.0 * stats.tautologies,
        100.0 * stats.contradictions
    );
    Ok(())
}

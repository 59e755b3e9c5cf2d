//! Measures our crates against named peers. Both sides run in one process tree, in turn, and medians are compared,
//! because the machines are noisy. Run it by `cargo xtask bench`, which prepares Python.

mod cores;
mod gnn;
mod growth;
mod kernel;
mod logic;
mod measure;
mod peer;
mod scaling;
mod train;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, ValueEnum};

use crate::measure::{Row, table};

#[derive(Parser)]
struct Args {
    /// What to measure.
    suites: Vec<Suite>,
    /// Print a JSON list of name, ours, peer, ratio.
    #[arg(long)]
    json: bool,
    /// Instead of a suite: one run of the scaling table, as JSON: formulae,variables,plain|gaussian.
    #[arg(long, value_delimiter = ',')]
    scaling: Vec<String>,
    /// Instead of a suite: one run of the encoders' table of growth, as JSON: gru|gcn|gat,batch,nodes of a tree.
    #[arg(long, value_delimiter = ',')]
    growth: Vec<String>,
    /// The Python interpreter that has the packages of `benches/python/requirements.txt`.
    #[arg(long, default_value = "python3")]
    python: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Suite {
    Logic,
    Kernel,
    Gnn,
    Train,
}

fn main() -> Result<()> {
    // As our program does, before there are threads.
    if std::env::var_os("CANDLE_NUM_THREADS").is_none() {
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("CANDLE_NUM_THREADS", "1") };
    }
    let args = Args::parse();
    let threads = std::thread::available_parallelism()?.get();
    cores::bind(0);
    // As our programs do: the calling thread computes too, so that short work need not wait for another to wake.
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .use_current_thread()
        .start_handler(cores::bind)
        .build_global()?;
    // As a program that trains does.
    logicvae_gnn::keep_freed_memory();
    if let [formulae, variables, form] = &args.scaling[..] {
        let cell = scaling::run(formulae.parse()?, variables.parse()?, form == "gaussian")?;
        println!("{}", serde_json::to_string(&cell)?);
        return Ok(());
    }
    if let [kind, batch, nodes] = &args.growth[..] {
        println!("{}", serde_json::to_string(&growth::run(kind, batch.parse()?, nodes.parse()?)?)?);
        return Ok(());
    }
    let suites = if args.suites.is_empty() { Suite::value_variants().to_vec() } else { args.suites };
    let mut rows: Vec<Row> = Vec::new();
    for suite in suites {
        rows.extend(match suite {
            Suite::Logic => logic::run(&args.python)?,
            Suite::Kernel => kernel::run(&args.python)?,
            Suite::Gnn => gnn::run(&args.python)?,
            Suite::Train => train::run(&args.python)?,
        });
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
    } else {
        print!("{}", table(&rows));
    }
    Ok(())
}

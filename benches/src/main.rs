//! Compares the speed of our crates with that of named peers. Because machines are noisy, both sides run
//! alternately in one process tree, and medians are compared. Started by `cargo xtask bench`, which prepares
//! Python.

#![deny(unsafe_code)]

mod aig;
#[allow(unsafe_code)] // calls the operating system
mod cores;
mod embedding;
mod gnn;
mod growth;
mod kernel;
mod logic;
mod mine;
mod minimise;
mod peer;
mod scaling;
mod timing;
mod train;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use logicvae_compute::{keep_freed_memory, limit_candle_threads};

use crate::timing::{Row, table};

#[derive(Parser)]
struct Args {
    /// What to measure.
    suites: Vec<Suite>,
    /// Print a JSON list of name, ours, peer, ratio.
    #[arg(long)]
    json: bool,
    /// Instead of a suite: one cell of the scaling table, as JSON: formulae,variables,plain|gaussian.
    #[arg(long, value_delimiter = ',')]
    scaling: Vec<String>,
    /// Instead of a suite: one cell of the growth table of encoders, as JSON: gru|gcn|gat,batch,nodes per
    /// tree.
    #[arg(long, value_delimiter = ',')]
    growth: Vec<String>,
    /// Instead of a suite: the sections of the comparison of mining, written to results/mining.md; `all` for
    /// all of them.
    #[arg(long, value_delimiter = ',')]
    mine: Vec<String>,
    /// For mining: the folder with public tables.
    #[arg(long)]
    data: Option<PathBuf>,
    /// For mining: the number of seeds.
    #[arg(long, default_value_t = 5)]
    seeds: u64,
    /// For mining: the largest number of seconds for one table.
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Instead of a suite: minimisation compared with ABC, as JSON: random|sampled.
    #[arg(long)]
    minimise: Option<String>,
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
    Embedding,
}

fn main() -> Result<()> {
    limit_candle_threads();
    let args = Args::parse();
    let threads = std::thread::available_parallelism()?.get();
    cores::bind(0);
    // As in our programs, the calling thread computes too, so that short tasks need not wait for another
    // thread to wake up.
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .use_current_thread()
        .start_handler(cores::bind)
        .build_global()?;
    // As in a program that trains.
    keep_freed_memory();
    if let [formulae, variables, form] = &args.scaling[..] {
        let cell = scaling::run(formulae.parse()?, variables.parse()?, form == "gaussian")?;
        println!("{}", serde_json::to_string(&cell)?);
        return Ok(());
    }
    if let [kind, batch, nodes] = &args.growth[..] {
        println!("{}", serde_json::to_string(&growth::run(kind, batch.parse()?, nodes.parse()?)?)?);
        return Ok(());
    }
    if !args.mine.is_empty() {
        let sections = args.mine.into_iter().filter(|section| section != "all").collect();
        let options = mine::Options {
            python: args.python,
            data: args.data,
            seeds: args.seeds,
            seconds: args.seconds,
            sections,
        };
        return mine::run(&options);
    }
    if let Some(set) = &args.minimise {
        println!("{}", serde_json::to_string(&minimise::run(set)?)?);
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
            Suite::Embedding => embedding::run(&args.python)?,
        });
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
    } else {
        print!("{}", table(&rows));
    }
    Ok(())
}

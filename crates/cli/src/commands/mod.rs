//! One file per command. Each has a function `run`, which takes the parsed arguments and returns an exit
//! code.

mod check;
mod cluster;
mod completions;
mod convert;
mod decode;
mod draw;
mod embed;
mod encode;
mod eval;
mod evaluate;
mod experiment;
mod export;
mod interpolate;
mod kernel;
mod man;
mod map;
mod mine;
mod minimise;
mod neighbours;
mod plot;
mod predict;
mod relate;
mod sample;
mod similar;
mod stats;
mod train;

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::args::{Args, Command};
use crate::interrupt;
use crate::output::Output;

/// Starts the threads and runs the command.
pub fn run(args: Args) -> Result<ExitCode> {
    // The main thread is part of the pool, so that short tasks do not wait for another thread to wake up.
    let mut pool = rayon::ThreadPoolBuilder::new().use_current_thread();
    if let Some(threads) = args.threads {
        pool = pool.num_threads(threads.into());
    }
    pool.build_global().context("cannot start the threads")?;
    interrupt::handle()?;
    let (output, stop_with_input) = (Output { json: args.json }, args.stop_with_input);
    if stop_with_input && !matches!(args.command, Command::Train(_)) {
        when_input_ends(|| interrupt::exit(interrupt::INTERRUPTED));
    }
    match args.command {
        Command::Sample(args) => sample::run(&args, output),
        Command::Eval(args) => eval::run(&args, output),
        Command::Check(args) => check::run(&args, output),
        Command::Stats(args) => stats::run(&args, output),
        Command::Kernel(args) => kernel::run(&args, output),
        Command::Embed(args) => embed::run(&args, output),
        Command::Similar(args) => similar::run(&args, output),
        Command::Relate(args) => relate::run(&args, output),
        Command::Cluster(args) => cluster::run(&args, output),
        Command::Minimise(args) => minimise::run(&args, output),
        Command::Convert(args) => convert::run(&args, output),
        Command::Mine(args) => mine::run(&args, output),
        Command::Predict(args) => predict::run(&args, output),
        Command::Draw(args) => draw::run(&args, output),
        Command::Train(args) => train::run(&args, output, stop_with_input),
        Command::Evaluate(args) => evaluate::run(&args, output),
        Command::Encode(args) => encode::run(&args, output),
        Command::Decode(args) => decode::run(&args, output),
        Command::Interpolate(args) => interpolate::run(&args, output),
        Command::Neighbours(args) => neighbours::run(&args, output),
        Command::Map(args) => map::run(&args, output),
        Command::Export(args) => export::run(&args, output),
        Command::Experiment(args) => experiment::run(&args, output),
        Command::Plot(args) => plot::run(&args, output),
        Command::Completions(args) => completions::run(&args, output),
        Command::Man(args) => man::run(&args, output),
    }
}

/// Does something when standard input ends, as it does when the program at its other end is killed.
fn when_input_ends(action: impl FnOnce() + Send + 'static) {
    std::thread::spawn(move || {
        std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).ok();
        action();
    });
}

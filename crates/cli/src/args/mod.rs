//! The command-line arguments of every command, and their help texts. Parsing does no I/O.

mod formulae;
mod kernel;
mod model;
mod picture;
mod vectors;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use clap_complete::Shell;

pub use formulae::{CheckArgs, EvalArgs, Format, SampleArgs, StatsArgs};
pub use kernel::{
    DomainArgs, Dtype, EmbedArgs, EmbedMethod, Experiment, ExperimentArgs, KernelArgs, SimilarArgs,
};
pub use model::{EvaluateArgs, ExportArgs, TrainArgs, WhichWeights};
pub use picture::{DrawArgs, PlotArgs};
pub use vectors::{DecodeArgs, EncodeArgs, InterpolateArgs, MapArgs, ModelArgs, NeighboursArgs};

/// Turn logical formulae into vectors that preserve their meaning, and vectors back into formulae.
#[derive(Parser)]
#[command(
    name = "logicvae",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = CONVENTIONS
)]
pub struct Args {
    /// Print one JSON object on standard output instead of text.
    #[arg(long, global = true)]
    pub json: bool,

    /// Number of threads [default: all cores]. It does not change any result.
    #[arg(long, global = true, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    #[command(subcommand)]
    pub command: Command,
}

/// Conventions of all commands, shown at the end of `logicvae --help`.
const CONVENTIONS: &str = "\
Formulae:    x1 & !x2 | 1. Also accepted: ∧ ∨ ¬, and or not, && || ~, x_1, ->, <->, ^ (xor).
Input files: text with one formula per line and # comments, or the binary format written by
             `sample --format binary`. The file name - stands for standard input.
Exit codes:  0 success; 1 a negative answer (`check`) or a failed run; 2 bad input.

Examples:
  logicvae eval 'x1 & !x2 | x3' --truth-table
  logicvae similar 'x1 & !x2' --in datasets/paper-3/train.txt -k 5
  logicvae train --preset best-3 --out runs/best-3
  logicvae evaluate --help";

#[derive(Subcommand)]
pub enum Command {
    Sample(SampleArgs),
    Eval(EvalArgs),
    Check(CheckArgs),
    Stats(StatsArgs),
    Kernel(KernelArgs),
    Embed(EmbedArgs),
    Similar(SimilarArgs),
    Draw(DrawArgs),
    Train(TrainArgs),
    Evaluate(EvaluateArgs),
    Encode(EncodeArgs),
    Decode(DecodeArgs),
    Interpolate(InterpolateArgs),
    Neighbours(NeighboursArgs),
    Map(MapArgs),
    Export(ExportArgs),
    Experiment(ExperimentArgs),
    Plot(PlotArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Print a shell completion script.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae completions bash > ~/.local/share/bash-completion/completions/logicvae
  logicvae completions fish > ~/.config/fish/completions/logicvae.fish")]
pub struct CompletionsArgs {
    /// Shell that the script is for.
    pub shell: Shell,
}

/// Write manual pages, one per command.
///
/// JSON keys: pages.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae man --out man1 && man -l man1/logicvae-sample.1
  logicvae man --out ~/.local/share/man/man1 --force")]
pub struct ManArgs {
    /// Output folder; created if it does not exist.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// Overwrite existing pages.
    #[arg(long)]
    pub force: bool,
}

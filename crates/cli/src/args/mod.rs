//! The command-line arguments of every command, and their help texts. Parsing does no I/O.

mod formulae;
mod kernel;
mod mining;
mod model;
mod picture;
mod requirements;
mod vectors;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use clap_complete::Shell;

pub use formulae::{CheckArgs, EvalArgs, Format, SampleArgs, StatsArgs};
pub use kernel::{
    DomainArgs, Dtype, EmbedArgs, EmbedMethod, Experiment, ExperimentArgs, KernelArgs, MeasureName,
    SimilarArgs,
};
pub use mining::{MineArgs, PredictArgs};
pub use model::{EvaluateArgs, ExportArgs, TrainArgs, WhichWeights};
pub use picture::{DrawArgs, PlotArgs};
pub use requirements::{
    ClusterArgs, ConvertArgs, FormatName, LimitArgs, MinimiseArgs, OperatorName, RelateArgs,
};
pub use vectors::{DecodeArgs, EncodeArgs, InterpolateArgs, MapArgs, ModelArgs, NeighboursArgs};

/// Turn logical formulae into vectors that preserve their meaning, and vectors back into formulae.
#[derive(Parser)]
#[command(
    name = "logicvae",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    help_template = HELP,
    after_help = CONVENTIONS
)]
pub struct Args {
    /// Print one JSON object on standard output instead of text.
    #[arg(long, global = true)]
    pub json: bool,

    /// Number of threads [default: all cores]. It does not change any result.
    #[arg(long, global = true, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    /// Stop when standard input is closed, for programs that start this one: a training saves its state, and
    /// other commands end at once.
    #[arg(long, global = true, hide = true)]
    pub stop_with_input: bool,

    #[command(subcommand)]
    pub command: Command,
}

/// The help text: the commands in groups.
const HELP: &str = "\
{about}

{usage-heading} {usage}

Formulae:
  eval         Value, truth table and number of satisfying assignments of one formula
  check        Check whether two formulae are equivalent
  minimise     Find the smallest formula with the same meaning
  draw         Draw the syntax tree of a formula
  convert      Convert formulae to LaTeX, SymPy, SMT-LIB, DIMACS, Graphviz or JSON, and from other formats

Sets of formulae:
  relate       Find equivalent, entailed and contradictory formulae, and conflicts
  cluster      Group formulae by meaning
  similar      Find the formulae that are most similar in meaning to a formula
  stats        Summarise a file of formulae
  sample       Sample random formulae

Tables of observations:
  mine         Find a readable formula that explains a column of a table
  predict      Apply a mined formula to the rows of a table

Vectors, with the built-in model or another:
  encode       Encode formulae as vectors: what they mean, and how they are written
  decode       Decode vectors to formulae, or find formulae with a given meaning
  neighbours   Find the formulae whose vectors are nearest to that of a formula
  interpolate  Walk from one formula to another
  map          Plot vectors in two dimensions
  kernel       Compute the semantic similarity of every pair of formulae
  embed        Embed formulae by their meaning alone, without a model

Models and experiments:
  train        Train a model, and store it in a run folder
  evaluate     Evaluate a trained model
  export       Export a trained model to a small folder
  experiment   Run one of the paper's kernel experiments
  plot         Draw a chart described by a JSON file

Shell:
  completions  Print a shell completion script
  man          Write manual pages
  help         Print this message or the help of a command

Options:
{options}{after-help}";

/// Conventions of all commands, shown at the end of `logicvae --help`.
const CONVENTIONS: &str = "\
Formulae:
  x1 & !x2 | 1, or with names: door_open & !alarm -> locked. Also accepted:
  ∧ ∨ ¬, && || ~, x_1, =>, <->, <=>, ^, true, false, the words not, and, or,
  xor, nand, nor, implies and iff in any case, and names in quotes, such as
  \"speed >= 30\".

Input files:
  Text with one formula per line and an optional label (`REQ-12: formula`, or
  behind `#`), and the formats of `logicvae convert`, by extension. The file
  name - stands for standard input.

Exit codes:
  0 success; 1 a negative answer (`check`, `relate`) or a failed run; 2 bad
  input; 3 unknown.

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
    Relate(RelateArgs),
    Cluster(ClusterArgs),
    Minimise(MinimiseArgs),
    Convert(ConvertArgs),
    Mine(MineArgs),
    Predict(PredictArgs),
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_command_is_in_the_help_once() {
        for command in Args::command().get_subcommands() {
            let line = format!("\n  {:<13}", command.get_name());
            assert_eq!(HELP.matches(&line).count(), 1, "{}", command.get_name());
        }
    }
}

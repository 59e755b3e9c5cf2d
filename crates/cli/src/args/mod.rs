//! The command line. Parsing does no I/O.

mod model;
mod picture;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use logicvae_logic::{Assignment, MAX_VARIABLE, Split};

pub use model::{
    DecodeArgs, EncodeArgs, EvaluateArgs, ExportArgs, InterpolateArgs, MapArgs, NeighboursArgs, RunArgs,
    TrainArgs, WhichWeights,
};
pub use picture::{DrawArgs, PlotArgs};

/// Embeddings of logical formulae that preserve meaning and can be inverted.
#[derive(Parser)]
#[command(name = "logicvae", version, about, max_term_width = 100, arg_required_else_help = true, after_help = EXIT_CODES)]
pub struct Args {
    /// Print one JSON object on standard output instead of text.
    #[arg(long, global = true)]
    pub json: bool,

    /// Number of threads (default: all cores). Results do not depend on it.
    #[arg(long, global = true, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "\
Formulae: x1 & !x2 | 1. Also read: ∧ ∨ ¬, and or not, && || ~, x_1, ->, <->, ^ (exclusive or).
Files:    text, a formula a line, # comments; or the binary form that `sample --format binary` writes. - is standard input.
Exit:     0 done; 1 a negative answer or a failed run; 2 bad input.";

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

/// Draw random formulae, all different, by the paper's Algorithm 1.
///
/// The same seed gives the same file for any number of threads. JSON: count, mean_nodes, mean_depth.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae sample --vars 5 --count 1000 --seed 1 --out formulae.txt
  logicvae sample --preset paper-5 --split test --out test.txt")]
pub struct SampleArgs {
    /// Number of variables, x1 to xN.
    #[arg(long, value_name = "N", required_unless_present = "preset", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_VARIABLE)))]
    pub vars: Option<u32>,

    /// How many formulae [default: 1000, or all of a preset].
    #[arg(long, value_name = "C")]
    pub count: Option<usize>,

    /// Seed of the sequence [default: 0, or the preset's].
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,

    /// Probability that a node is a leaf, in (0, 1) [default: 0.4].
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub p_leaf: Option<f64>,

    /// Most nodes a formula may have [default: 30, or 4N + 2 if that is more].
    #[arg(long, value_name = "M")]
    pub max_nodes: Option<usize>,

    /// Most levels below the root [default: no limit].
    #[arg(long, value_name = "D")]
    pub max_depth: Option<usize>,

    /// Keep only formulae in which every variable occurs.
    #[arg(long)]
    pub all_vars: bool,

    /// A dataset of the paper: paper-3, paper-4, paper-5 or paper-10. Flags other than --vars override its settings.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,

    /// Only this part of the preset: train, valid or test.
    #[arg(long, requires = "preset", conflicts_with = "count", value_name = "PART")]
    pub split: Option<Split>,

    /// Where to write; - is standard output.
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub out: PathBuf,

    /// How to write.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Replace FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A formula a line.
    Text,
    /// A byte a node or little more, with checksums.
    Binary,
}

/// Evaluate a formula: at an assignment, as a truth table, as a count; simplify it.
///
/// JSON: formula, variables, nodes, depth, value (1 or -1), truth_table (assignment i sets x_(b+1) to bit b of i),
/// satisfying, simplified.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae eval 'x1 & !x2 | x3' --truth-table
  logicvae eval 'x1 -> x2' --assign 10 --json")]
pub struct EvalArgs {
    /// The formula; - reads it from standard input.
    pub formula: String,

    /// Number of variables [default: the largest in the formula].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_VARIABLE)))]
    pub vars: Option<u32>,

    /// Values of x1, x2, … such as 1011.
    #[arg(long, value_name = "BITS")]
    pub assign: Option<Assignment>,

    /// Show the value at every assignment.
    #[arg(long)]
    pub truth_table: bool,

    /// Show the formula simplified by local rules.
    #[arg(long)]
    pub simplify: bool,
}

/// Are two formulae equivalent? If not, show an assignment where they differ, and exit with 1.
///
/// JSON: equivalent, counterexample (values of x1, x2, …, or null).
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae check '!(x1 & x2)' '!x1 | !x2'
  echo 'x1 -> x2' | logicvae check - '!x1 | x2' --json")]
pub struct CheckArgs {
    /// A formula; - reads it from standard input.
    pub first: String,

    /// The other one; - reads it from standard input.
    pub second: String,
}

/// Describe a file of formulae: sizes, depths, variables, node types, tautologies.
///
/// JSON: count, nodes, depth, variables, mix, tautologies, contradictions, size_histogram.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae stats datasets/paper-5/train.txt
  logicvae sample --vars 4 --count 500 | logicvae stats -")]
pub struct StatsArgs {
    /// A file of formulae; - is standard input.
    pub file: PathBuf,

    /// Refuse formulae with variables above xN.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_VARIABLE)))]
    pub vars: Option<u32>,
}

/// Where formulae are compared.
#[derive(clap::Args)]
pub struct MeasureArgs {
    /// Number of variables [default: the largest in the files].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_VARIABLE)))]
    pub vars: Option<u32>,

    /// Compare at M assignments drawn uniformly [default: all of them up to 20 variables, 10000 drawn ones above].
    #[arg(long, value_name = "M", conflicts_with = "rows")]
    pub samples: Option<usize>,

    /// Seed of the drawn assignments.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,

    /// Compare at observed assignments: a file with a row such as 1011 a line, and optionally its weight (else 1).
    #[arg(long, value_name = "FILE")]
    pub rows: Option<PathBuf>,
}

/// Compute the similarity of every pair of formulae, as a matrix in a .npy file.
///
/// The plain kernel is the mean of φ(τ)·ψ(τ) over assignments τ: 1 for equivalent formulae, 0.8 for 90 % agreement.
/// JSON: rows, cols, mean.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae kernel datasets/paper-5/test.txt --out gram.npy
  logicvae kernel new.txt pool.txt --gaussian 0.44 --out similarities.npy --json")]
pub struct KernelArgs {
    /// A file of formulae, a row each; - is standard input.
    pub file: PathBuf,

    /// A file of formulae for the columns [default: the same as for the rows].
    pub columns: Option<PathBuf>,

    #[command(flatten)]
    pub measure: MeasureArgs,

    /// Write exp(-(1 - k) / SIGMA2) instead of the plain kernel k; the paper's numbers have SIGMA2 = 0.44.
    #[arg(long, value_name = "SIGMA2", allow_negative_numbers = true)]
    pub gaussian: Option<f64>,

    /// Type of the numbers.
    #[arg(long, value_enum, default_value_t = Dtype::F64)]
    pub dtype: Dtype,

    /// Where to write the matrix.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Replace FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Dtype {
    /// Four bytes.
    F32,
    /// Eight bytes.
    F64,
}

/// Embed formulae as vectors that lie close where meanings are similar.
///
/// The vectors are principal components of similarities with a pool of formulae. JSON: explained_variance,
/// explained_variance_ratio, components, rows.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae embed datasets/paper-5/test.txt --pool datasets/paper-5/train.txt --components 100 --gaussian 0.44 --out y.npy
  logicvae embed a.txt --pool pool.txt --components 20 --save pool.embedding --out a.npy
  logicvae embed b.txt --pool pool.embedding --out b.npy")]
pub struct EmbedArgs {
    /// A file of formulae; - is standard input.
    pub file: PathBuf,

    /// A file of formulae to fit to, or an embedding that --save wrote.
    #[arg(long, value_name = "FILE")]
    pub pool: PathBuf,

    /// Number of components; needed unless the pool is a saved embedding.
    #[arg(long, value_name = "K")]
    pub components: Option<usize>,

    /// Take all components there are, if they are fewer than K.
    #[arg(long)]
    pub up_to_rank: bool,

    #[command(flatten)]
    pub measure: MeasureArgs,

    /// Use exp(-(1 - k) / SIGMA2) instead of the plain kernel k; the paper's numbers have SIGMA2 = 0.44.
    #[arg(long, value_name = "SIGMA2", allow_negative_numbers = true)]
    pub gaussian: Option<f64>,

    /// Which principal components [default: gram-pca].
    #[arg(long, value_enum)]
    pub method: Option<EmbedMethod>,

    /// Type of the numbers.
    #[arg(long, value_enum, default_value_t = Dtype::F64)]
    pub dtype: Dtype,

    /// Where to write the vectors, a row each.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Also write the embedding itself, for later --pool.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,

    /// Replace files that exist.
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EmbedMethod {
    /// Of the rows of the Gram matrix: the paper's.
    GramPca,
    /// Textbook kernel PCA.
    KernelPca,
}

/// Find the formulae of a file that mean nearly the same.
///
/// JSON: neighbours, a list of formula and kernel (1 for equivalent, 0.8 for 90 % agreement).
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae similar 'x1 & !x2' --in datasets/paper-3/train.txt -k 5
  logicvae sample --vars 5 --count 100000 | logicvae similar 'x1 -> x5' --in -")]
pub struct SimilarArgs {
    /// The formula.
    pub formula: String,

    /// A file of formulae to search; - is standard input.
    #[arg(long = "in", value_name = "FILE")]
    pub file: PathBuf,

    /// How many to show.
    #[arg(short, value_name = "K", default_value_t = 10)]
    pub k: usize,

    #[command(flatten)]
    pub measure: MeasureArgs,
}

/// Run an experiment of the paper on the kernel; write its figure as SVG and PNG and its data as CSV.
///
/// JSON: experiment, quick, seed, files, results.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  logicvae experiment variance --out figures")]
pub struct ExperimentArgs {
    /// Which one.
    #[arg(value_enum)]
    pub experiment: Experiment,

    /// The folder for the files; made if it is not there.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// A tenth of the paper's sizes.
    #[arg(long)]
    pub quick: bool,

    /// Seed of all that is drawn.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,

    /// Replace files that exist.
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Experiment {
    /// Explained variance against components, 3 to 10 variables.
    Variance,
    /// Embedding distance against kernel value, 3 to 5 variables.
    Correlation,
    /// Predicting whether an assignment satisfies a formula, 3 to 10 variables.
    Classification,
    /// Kernel, agreement and Jaccard index of random pairs.
    Agreement,
    /// Mean kernel and distance of a pool, in both forms.
    Pool,
}

/// Print a completion script for a shell.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  logicvae completions bash > ~/.local/share/bash-completion/completions/logicvae")]
pub struct CompletionsArgs {
    /// The shell.
    pub shell: Shell,
}

/// Write manual pages, one a command.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  logicvae man --out man1 && man -l man1/logicvae-sample.1")]
pub struct ManArgs {
    /// The folder for the pages; made if it is not there.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// Replace pages that exist.
    #[arg(long)]
    pub force: bool,
}

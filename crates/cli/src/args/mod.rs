//! The command-line arguments of every command, and their help texts. Parsing does no I/O.

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

/// Sample random formulae, all different, with Algorithm 1 of the paper.
///
/// The same seed gives the same formulae with any number of threads. The command fails if fewer than C
/// different formulae are found within the limits on size and depth.
///
/// JSON keys: count, mean_nodes, mean_depth, seed. With --json, --out must name a file.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae sample --vars 5 --count 1000 --seed 1 --out formulae.txt
  logicvae sample --vars 4 --count 500 --all-vars --max-depth 5
  logicvae sample --preset paper-5 --split test --out test.txt
  logicvae sample --vars 10 --count 1000000 --format binary --out formulae.bin")]
pub struct SampleArgs {
    /// Number of variables: formulae contain x1 to xN.
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "preset",
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_VARIABLE))
    )]
    pub vars: Option<u32>,

    /// Number of formulae [default: 1000, or all formulae of the preset].
    #[arg(long, value_name = "C")]
    pub count: Option<usize>,

    /// Random seed [default: 0, or the preset's seed].
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,

    /// Probability that a node is a leaf, strictly between 0 and 1 [default: 0.4].
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub p_leaf: Option<f64>,

    /// Maximum number of nodes per formula [default: 30 or 4N + 2, whichever is larger; 4N + 2
    /// with --preset].
    #[arg(long, value_name = "M")]
    pub max_nodes: Option<usize>,

    /// Maximum depth of a formula; a single leaf has depth 0 [default: no limit].
    #[arg(long, value_name = "D")]
    pub max_depth: Option<usize>,

    /// Sample only formulae that contain every variable.
    #[arg(long)]
    pub all_vars: bool,

    /// Use the settings of a dataset of the paper: paper-3, paper-4, paper-5 or paper-10. Other flags
    /// override them, except for --vars.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,

    /// Write only one split of the preset: train, valid or test.
    #[arg(long, requires = "preset", conflicts_with = "count", value_name = "PART")]
    pub split: Option<Split>,

    /// Output file; - is standard output.
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub out: PathBuf,

    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Overwrite FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text with one formula per line.
    Text,
    /// Compact binary format with checksums, about one byte per node.
    Binary,
}

/// Evaluate one formula: its value, truth table, satisfying assignments and simplified form.
///
/// Truth tables are limited to 26 variables. Satisfying assignments can usually be counted for more variables
/// than that; if counting is not feasible, a note says so.
///
/// JSON keys: formula, variables, nodes, depth, value (1 or -1), truth_table (a string of 0 and 1, in which
/// assignment i sets x_(b+1) to bit b of i), satisfying, simplified. Keys that were not requested are null.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae eval 'x1 & !x2 | x3' --truth-table
  logicvae eval 'x1 -> x2' --assign 10 --json
  logicvae eval 'x1 & x2 | x1 & !x2' --simplify")]
pub struct EvalArgs {
    /// The formula; - reads it from standard input.
    pub formula: String,

    /// Number of variables [default: the length of --assign, or the largest index in the formula].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_VARIABLE)))]
    pub vars: Option<u32>,

    /// Evaluate at this assignment: the values of x1, x2, and so on, such as 1011.
    #[arg(long, value_name = "BITS")]
    pub assign: Option<Assignment>,

    /// Show the value at every assignment (at most 26 variables).
    #[arg(long)]
    pub truth_table: bool,

    /// Show the formula after simplification by local rewrite rules, which need not give the shortest form.
    #[arg(long)]
    pub simplify: bool,
}

/// Check whether two formulae are equivalent.
///
/// If they are not, the command prints an assignment at which they differ, and exits with code 1. Formulae
/// with up to 20 variables are compared by truth table, larger ones with a SAT solver.
///
/// JSON keys: equivalent, counterexample (the values of x1, x2, and so on, or null).
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae check '!(x1 & x2)' '!x1 | !x2'
  logicvae check 'x1' 'x1 & x2'
  echo 'x1 -> x2' | logicvae check - '!x1 | x2' --json")]
pub struct CheckArgs {
    /// The first formula; - reads it from standard input.
    pub first: String,

    /// The second formula; - reads it from standard input.
    pub second: String,
}

/// Summarise a file of formulae: sizes, depths, variables, node types and tautologies.
///
/// JSON keys: count, nodes, depth, variables, mix (the share of each node type), tautologies and
/// contradictions (shares between 0 and 1), size_histogram.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae stats datasets/paper-5/train.txt
  logicvae sample --vars 4 --count 500 | logicvae stats -")]
pub struct StatsArgs {
    /// File of formulae; - is standard input.
    pub file: PathBuf,

    /// Report an error if a formula contains a variable above xN.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_VARIABLE)))]
    pub vars: Option<u32>,
}

/// The assignments at which formulae are compared.
#[derive(clap::Args)]
pub struct DomainArgs {
    /// Number of variables [default: the largest index in the input].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_VARIABLE)))]
    pub vars: Option<u32>,

    /// Compare at M random assignments [default: all assignments for up to 20 variables, else 10000 random
    /// ones].
    #[arg(long, value_name = "M", conflicts_with = "rows")]
    pub samples: Option<usize>,

    /// Random seed of these assignments.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,

    /// Compare at observed assignments: a file with one assignment per line, such as 1011, optionally
    /// followed by its weight (1 if missing).
    #[arg(long, value_name = "FILE")]
    pub rows: Option<PathBuf>,
}

/// Compute the semantic similarity of every pair of formulae, as a matrix in a .npy file.
///
/// The plain kernel is the mean of φ(τ)·ψ(τ) over the assignments τ, where values are 1 and -1. It is 1 for
/// equivalent formulae, 0.8 if they agree at 90 % of the assignments, and -1 if one is the negation of the
/// other.
///
/// JSON keys: rows, cols, mean, assignments.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae kernel datasets/paper-5/test.txt --out gram.npy
  logicvae kernel wide.txt --samples 100000 --seed 1 --dtype f32 --out gram.npy
  logicvae kernel new.txt pool.txt --gaussian 0.44 --out similarities.npy --json")]
pub struct KernelArgs {
    /// File of formulae for the rows; - is standard input.
    pub file: PathBuf,

    /// File of formulae for the columns [default: the formulae of the rows].
    pub columns: Option<PathBuf>,

    #[command(flatten)]
    pub domain: DomainArgs,

    /// Use the Gaussian kernel exp(-(1 - k) / SIGMA2) instead of the plain kernel k; the paper uses SIGMA2 =
    /// 0.44.
    #[arg(long, value_name = "SIGMA2", allow_negative_numbers = true)]
    pub gaussian: Option<f64>,

    /// Data type of the numbers in the output.
    #[arg(long, value_enum, default_value_t = Dtype::F64)]
    pub dtype: Dtype,

    /// Output file for the matrix (.npy).
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Overwrite FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Dtype {
    /// 32-bit floating point.
    F32,
    /// 64-bit floating point.
    F64,
}

/// Embed formulae as vectors that are close together if their meanings are similar.
///
/// The vectors are principal components of the kernel values with a pool of formulae, so no training is
/// needed. Formulae may not contain variables above the largest one of the pool, unless --vars allows more.
/// More components than the rank of the pool's kernel matrix are an error, unless --up-to-rank is given.
///
/// JSON keys: explained_variance, explained_variance_ratio, components, rows.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae embed test.txt --pool train.txt --components 100 --gaussian 0.44 --out y.npy
  logicvae embed a.txt --pool pool.txt --components 20 --save pool.embedding --out a.npy
  logicvae embed b.txt --pool pool.embedding --out b.npy")]
pub struct EmbedArgs {
    /// File of formulae to embed; - is standard input.
    pub file: PathBuf,

    /// File of formulae to fit the embedding to, or an embedding written by --save.
    #[arg(long, value_name = "FILE")]
    pub pool: PathBuf,

    /// Number of components; required unless the pool is a saved embedding.
    #[arg(long, value_name = "K")]
    pub components: Option<usize>,

    /// If the pool has fewer than K components, use all of them instead of reporting an error.
    #[arg(long)]
    pub up_to_rank: bool,

    #[command(flatten)]
    pub domain: DomainArgs,

    /// Use the Gaussian kernel exp(-(1 - k) / SIGMA2) instead of the plain kernel k; the paper uses SIGMA2 =
    /// 0.44.
    #[arg(long, value_name = "SIGMA2", allow_negative_numbers = true)]
    pub gaussian: Option<f64>,

    /// Method of principal component analysis [default: gram-pca].
    #[arg(long, value_enum)]
    pub method: Option<EmbedMethod>,

    /// Data type of the numbers in the output.
    #[arg(long, value_enum, default_value_t = Dtype::F64)]
    pub dtype: Dtype,

    /// Output file for the vectors (.npy), one row per formula.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Also save the fitted embedding, for later use with --pool.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,

    /// Overwrite existing files.
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EmbedMethod {
    /// PCA of the rows of the Gram matrix, as in the paper.
    GramPca,
    /// Standard kernel PCA.
    KernelPca,
}

/// Find the formulae of a file that are most similar in meaning to a formula.
///
/// Similarity is the plain kernel: 1 for equivalent formulae, 0.8 if they agree at 90 % of the assignments.
/// No model is needed; `logicvae neighbours` compares the latent vectors of a model instead.
///
/// JSON keys: neighbours, each with formula and kernel.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae similar 'x1 & !x2' --in datasets/paper-3/train.txt -k 5
  logicvae sample --vars 5 --count 100000 | logicvae similar 'x1 -> x5' --in -")]
pub struct SimilarArgs {
    /// The formula; - reads it from standard input.
    pub formula: String,

    /// File of formulae to search; - is standard input.
    #[arg(long = "in", value_name = "FILE")]
    pub file: PathBuf,

    /// Number of formulae to show.
    #[arg(short, value_name = "K", default_value_t = 10)]
    pub k: usize,

    #[command(flatten)]
    pub domain: DomainArgs,
}

/// Run one of the paper's kernel experiments, and write its figure (SVG, PNG) and its data (CSV).
///
/// JSON keys: experiment, quick, seed, files, results.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae experiment variance --out figures
  logicvae experiment classification --quick --seed 1 --out figures --json")]
pub struct ExperimentArgs {
    /// The experiment to run.
    #[arg(value_enum)]
    pub experiment: Experiment,

    /// Output folder; created if it does not exist.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// Use about a tenth of the paper's sample sizes.
    #[arg(long)]
    pub quick: bool,

    /// Random seed.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,

    /// Overwrite existing files.
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Experiment {
    /// Explained variance by number of components, for 3 to 10 variables.
    Variance,
    /// Embedding distance and kernel value of pairs of formulae, for 3 to 5 variables.
    Correlation,
    /// Accuracy of predicting whether an assignment satisfies a formula, for 3 to 10 variables.
    Classification,
    /// Kernel, agreement and Jaccard index of random pairs, for 5 variables.
    Agreement,
    /// Mean kernel value and mean distance in a pool, for the plain and the Gaussian kernel.
    Pool,
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

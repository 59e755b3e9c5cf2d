//! Arguments of the commands on formulae.

use std::path::PathBuf;

use super::requirements::LimitArgs;
use clap::ValueEnum;
use logicvae_logic::{Assignment, MAX_VARIABLE, Split};

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

    /// Probability that a node is a leaf, strictly between 0 and 1 [default: 0.4, or the preset's].
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub p_leaf: Option<f64>,

    /// Maximum number of nodes per formula [default: 30 or 4N + 2, whichever is larger; 4N + 2 with --preset
    /// paper-N, 25 with --preset published-N].
    #[arg(long, value_name = "M")]
    pub max_nodes: Option<usize>,

    /// Maximum depth of a formula; a single leaf has depth 0 [default: no limit].
    #[arg(long, value_name = "D")]
    pub max_depth: Option<usize>,

    /// Sample only formulae that contain every variable.
    #[arg(long)]
    pub all_vars: bool,

    /// Use the settings of a data set: paper-3, paper-4, paper-5 or paper-10 as the paper describes them, or
    /// published-3, published-4 or published-5 as the authors' program draws them. Other flags override
    /// them, except for --vars.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,

    /// Write only one split of the preset: train, valid or test. The test set of published-N has many
    /// training formulae; its split unseen has none.
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
/// Truth tables are limited to 26 variables. Satisfying assignments are counted unless only a value or the
/// simplified form is requested. They can usually be counted for more than 26 variables; if that is not
/// feasible, a note says so.
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

    /// Show the smallest formula with the same meaning that is found in a second. `logicvae minimise` says
    /// whether it is proven to be the smallest.
    #[arg(long)]
    pub simplify: bool,

    #[command(flatten)]
    pub limit: LimitArgs,
}

/// Check whether two formulae are equivalent.
///
/// If they are not, the command prints an assignment at which they differ, and exits with code 1. Formulae
/// with up to 20 variables are compared by truth table, larger ones with a SAT solver.
///
/// JSON keys: equivalent (null if unknown), counterexample (the values of x1, x2, and so on, or null).
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae check '!(x1 & x2)' '!x1 | !x2'
  logicvae check 'x1' 'x1 & x2'
  echo 'x1 -> x2' | logicvae check - '!x1 | x2' --json

Exit codes:
  0 equivalent; 1 different; 3 unknown.")]
pub struct CheckArgs {
    /// The first formula; - reads it from standard input.
    pub first: String,

    /// The second formula; - reads it from standard input.
    pub second: String,

    #[command(flatten)]
    pub limit: LimitArgs,
}

/// Summarise a file of formulae: sizes, depths, variables, node types and tautologies.
///
/// JSON keys: count, nodes, depth, variables, mix (the share of each node type), tautologies, contradictions
/// and undecided (shares between 0 and 1), size_histogram. Undecided formulae have more than 20 variables and
/// are too hard for the SAT solver. With --known also known (a share).
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae stats datasets/paper-5/train.txt
  logicvae stats datasets/published-5/test.txt --known datasets/published-5/train.txt
  logicvae sample --vars 4 --count 500 | logicvae stats -")]
pub struct StatsArgs {
    /// File of formulae; - is standard input.
    pub file: PathBuf,

    /// Also report how many of the formulae occur in another file, up to the order of children.
    #[arg(long, value_name = "FILE")]
    pub known: Option<PathBuf>,

    /// Report an error if a formula contains a variable above xN.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_VARIABLE)))]
    pub vars: Option<u32>,
}

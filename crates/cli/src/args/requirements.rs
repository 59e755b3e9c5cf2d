//! Arguments of the commands for sets of requirements.

use std::path::PathBuf;

use clap::ValueEnum;

/// How long a hard question may take.
#[derive(clap::Args)]
pub struct LimitArgs {
    /// Give up after S seconds, and answer "unknown" with exit code 3 [default: after 100,000 conflicts of
    /// the SAT solver in one question]. Ctrl-C does the same at once.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub time_limit: Option<f64>,
}

/// Find equivalent, entailed and contradictory requirements, and conflicts within the whole set.
///
/// Every pair of formulae is compared by their values at sampled assignments, and decided by truth tables or
/// a SAT solver where these do not tell them apart. If the formulae cannot all be true together, a minimal
/// subset that cannot is shown: the core. Tautologies and unsatisfiable formulae are listed by themselves and
/// left out of the pairs.
///
/// JSON keys: formulae (each with file, line, label and formula), tautologies, unsatisfiable (lines),
/// equivalent, entails, contradicts (pairs of lines; the first formula of `entails` implies the second),
/// consistent (null if unknown), core (lines), core_is_smallest, undecided (the number of pairs without an
/// answer).
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae relate requirements.txt
  logicvae relate requirements.csv --time-limit 60 --json

Exit codes:
  0 the formulae are consistent; 1 they are not; 3 unknown, or some pairs are undecided.")]
pub struct RelateArgs {
    /// File of formulae, best with labels; - is standard input.
    pub file: PathBuf,

    #[command(flatten)]
    pub limit: LimitArgs,

    /// Show all pairs [default: the first 20 of each kind].
    #[arg(long)]
    pub all: bool,
}

/// Group requirements by meaning.
///
/// The distance of two formulae is 1 - r, where r is the correlation of their truth values: 0 for equivalent
/// formulae, 1 for unrelated ones, 2 for a formula and its negation. Clusters are formed by average linkage.
/// Each has a representative: the member with the smallest mean distance to the others.
///
/// JSON keys: clusters, each with representative (line), label and formula of the representative, members
/// (lines), mean_distance; silhouette; distance.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae cluster requirements.txt
  logicvae cluster requirements.txt -k 8 --out clusters.svg")]
pub struct ClusterArgs {
    /// File of formulae, best with labels; - is standard input.
    pub file: PathBuf,

    /// Number of clusters [default: the number with the best mean silhouette, up to 40].
    #[arg(short, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub k: Option<u32>,

    #[command(flatten)]
    pub domain: super::DomainArgs,

    /// Draw a map of the clusters into this file (.svg or .png).
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Overwrite FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

/// Convert formulae to another format, for other tools or for a document.
///
/// Formats that can be written: text, binary, json (text and tree), latex, sympy (a Python program), smtlib,
/// dimacs (one problem: all formulae together, by Tseitin's encoding) and graphviz. Formats that can be read:
/// text, binary, json, csv (columns `formula` and `id`), dimacs, smtlib (the Boolean part) and pla. Names and
/// labels are kept where the format has a place for them.
///
/// JSON keys: count, variables, format. With --json, --out must name a file.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae convert 'door_open & !alarm -> locked' --to latex
  logicvae convert requirements.txt --out requirements.smt2
  logicvae convert problem.cnf --to text
  logicvae convert requirements.csv --to sympy --out requirements.py")]
pub struct ConvertArgs {
    /// File of formulae, or one formula; - reads formulae from standard input.
    #[arg(value_name = "FILE|FORMULA")]
    pub input: String,

    /// Format of the input [default: by the extension of the file, else text].
    #[arg(long, value_enum)]
    pub from: Option<FormatName>,

    /// Format of the output [default: by the extension of --out].
    #[arg(long, value_enum, required_unless_present = "out")]
    pub to: Option<FormatName>,

    /// Output file [default: standard output].
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Overwrite FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatName {
    /// One formula per line, with labels behind `#`.
    Text,
    /// The compact binary format of `sample --format binary`.
    Binary,
    /// A JSON object with the variables, and each formula as text and as a tree.
    Json,
    /// A table with the columns `formula` and `id` (input only).
    Csv,
    /// LaTeX (output only).
    Latex,
    /// A Python program that uses SymPy (output only).
    Sympy,
    /// SMT-LIB 2.
    Smtlib,
    /// DIMACS: clauses for a SAT solver.
    Dimacs,
    /// Two-level logic, as in the files of espresso (input only).
    Pla,
    /// Graphviz (output only).
    Graphviz,
}

/// Find the smallest formula with the same meaning.
///
/// Size is the number of nodes: operators, variables and constants. Up to four variables the result is the
/// smallest one there is. For five and six variables it is the best one found within the time limit, marked
/// `optimal` if that is proven and `not proven` if not. Above that, formulae are minimised by two-level
/// minimisation, factoring and by minimising their parts.
///
/// JSON keys: formulae, each with line, label, formula, size (nodes), size_before and optimal.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae minimise 'x1 & x2 | x1 & !x2'
  logicvae minimise 'a & !b | !a & b' --operators not,and,or,xor
  logicvae minimise requirements.txt --time-limit 1")]
pub struct MinimiseArgs {
    /// File of formulae, or one formula; - reads formulae from standard input.
    #[arg(value_name = "FILE|FORMULA")]
    pub input: String,

    /// Operators of the result, separated by commas: not, and, or, xor.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "not,and,or")]
    pub operators: Vec<OperatorName>,

    /// Time for each formula of five or more variables, in seconds.
    #[arg(long, value_name = "S", default_value_t = 1.0, allow_negative_numbers = true)]
    pub time_limit: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OperatorName {
    /// Negation.
    Not,
    /// Conjunction.
    And,
    /// Disjunction.
    Or,
    /// Exclusive or.
    Xor,
}

//! Arguments of the commands that mine and apply formulae.

use std::path::PathBuf;

/// Find a readable formula that explains a column of a table.
///
/// The table is a CSV or TSV file with a header, which may be compressed with gzip. Columns of 0/1,
/// true/false or yes/no are used as they are, categories become `colour = red`, and numbers become questions
/// such as `speed >= 30` at a few cut points. If a value is missing (empty, or one of ? - NA N/A n/a NaN nan
/// null NULL None), `speed is missing` is true and every other question about it is false. If a few values of
/// a column of numbers are not numbers, they count as missing.
///
/// Several engines search for formulae; all are judged by one score, the number of bits that describe the
/// formula and its errors. The result is a front: the formulae of which no smaller one has as few errors,
/// with alternatives of the same size. The one with the best score is marked with `*`. If the table has
/// every combination of values without contradictions, the smallest formula without errors is chosen
/// instead.
///
/// The held-out accuracy of a size is that of the best formula of at most this size, found on four fifths
/// of the rows and applied to the rest, with a 95 % interval. The same seed gives the same answer for any
/// number of threads, unless the time limit or Ctrl-C ends the search early; the output says so.
///
/// JSON keys: formulae, each with formula, size, errors, accuracy, f1, bits, cv_accuracy, cv_interval, front,
/// chosen; rows, columns, distinct, questions, reason, beats_guessing, converged, evaluated (formulae),
/// cross_validation, significance, stability, summary, start (with --start), wrong (with --wrong), and target
/// for `logicvae predict`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae mine rows.csv --target fault
  logicvae mine rows.csv --target fault --operators not,and,or --max-size 15 --svg front.svg
  logicvae mine rows.tsv.gz --target class --positive bad --json > result.json
  logicvae mine rows.csv --target fault --start 'hot & !fan' --must pump --significance=100")]
pub struct MineArgs {
    /// CSV or TSV file with a header, possibly compressed with gzip; - is standard input.
    pub rows: PathBuf,

    /// Column to explain.
    #[arg(long, value_name = "COLUMN")]
    pub target: String,

    /// Value of the target that counts as true [default: 1, true or yes; of two other values the larger].
    #[arg(long, value_name = "VALUE")]
    pub positive: Option<String>,

    /// Column with the weights of the rows. Whole numbers are numbers of equal rows. Other weights are
    /// relative, and unequal weights count as less evidence.
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,

    /// Columns to leave out.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub ignore: Vec<String>,

    /// Largest number of cut points for a column of numbers.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub cuts: u16,

    /// Stop after S seconds with the best found so far, as Ctrl-C does. Reading the table does not count. If
    /// results are tested on other rows as well (--folds, --significance, --bootstrap), the search itself has
    /// three fifths of the time.
    #[arg(long, value_name = "S", default_value_t = 10.0, allow_negative_numbers = true)]
    pub time_limit: f64,

    /// Seed of all random choices.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,

    /// Engines to use: a list of exact, two-level, decompose, local, genetic, learned; or all but some, such
    /// as -learned [default: all].
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub engines: Option<String>,

    /// Operators of formulae besides & and |: a list of not, xor, atleast, implies [default:
    /// not,xor,atleast]. Without not, there is no `!=`, no `<` and no second value of a column with two.
    #[arg(long, value_name = "LIST")]
    pub operators: Option<String>,

    /// Largest size of a formula, in nodes.
    #[arg(long, value_name = "N", default_value_t = 60)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=200))]
    pub max_size: u16,

    /// Formula to improve, over the columns.
    #[arg(long, value_name = "FORMULA")]
    pub start: Option<String>,

    /// Columns that must occur.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub must: Vec<String>,

    /// Shape of formulae: any, and, or, dnf, cnf, or a template such as '_ & (_ | _)'.
    #[arg(long, value_name = "SHAPE", default_value = "any")]
    pub shape: String,

    /// Number of folds of the cross-validation; 0 for none.
    #[arg(long, value_name = "K", default_value_t = 5)]
    #[arg(value_parser = clap::value_parser!(u16).range(0..=100))]
    pub folds: u16,

    /// Shuffle the labels N times (100 without a number), and report how often that gives an equally good
    /// formula.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "100", require_equals = true)]
    pub significance: Option<u16>,

    /// Resample the rows N times (20 without a number), and report how often the same formula wins.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "20", require_equals = true)]
    pub bootstrap: Option<u16>,

    /// List the rows that the chosen formula gets wrong (at most 100), with their lines.
    #[arg(long)]
    pub wrong: bool,

    /// Print the chosen formula in LaTeX, and nothing else.
    #[arg(long, conflicts_with_all = ["python", "json"])]
    pub latex: bool,

    /// Print the chosen formula as a Python function, and nothing else.
    #[arg(long, conflicts_with = "json")]
    pub python: bool,

    /// Draw the front of size and errors into this file (.svg or .png).
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Overwrite FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

/// Apply a mined formula to the rows of a table.
///
/// The formula is a text over the columns, or the JSON result of `logicvae mine`, whose chosen formula is
/// used.
///
/// JSON keys: predictions (0/1 for each row), formula; accuracy, f1 and compared (the number of rows) if the
/// target of the result is in the table, or a column is given with --target.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae predict 'hot & speed >= 30' rows.csv
  logicvae mine train.csv --target fault --json > result.json
  logicvae predict result.json test.csv")]
pub struct PredictArgs {
    /// Formula over the columns, or a JSON result of `logicvae mine`.
    pub formula: String,

    /// CSV or TSV file with a header, possibly compressed with gzip; - is standard input.
    pub rows: PathBuf,

    /// Column to compare with: of 0/1, true/false or yes/no, or with the value --positive.
    #[arg(long, value_name = "COLUMN")]
    pub target: Option<String>,

    /// Value of the target that counts as true [default: that of the result; 1, true or yes].
    #[arg(long, value_name = "VALUE", requires = "target")]
    pub positive: Option<String>,
}

//! Arguments of the commands that encode and decode with a trained model.

use std::path::PathBuf;

use logicvae_compute::DeviceChoice;

use super::model::WhichWeights;

/// A trained model: the built-in one, unless a folder is named.
#[derive(clap::Args)]
pub struct ModelArgs {
    /// Run folder, or folder of an exported model [default: the built-in model general-5, for formulae of at
    /// most five variables and 30 nodes].
    #[arg(long, value_name = "DIR")]
    pub model: Option<PathBuf>,

    /// Weights to use; an exported model has only one set.
    #[arg(long, value_enum, default_value_t = WhichWeights::Last, requires = "model")]
    pub weights: WhichWeights,

    /// Device to compute on: auto, cpu, cuda or cuda:1. GPUs require a build with the feature `cuda`.
    #[arg(long, value_name = "DEVICE", default_value_t = DeviceChoice::Auto)]
    pub device: DeviceChoice,
}

/// Encode formulae as vectors: what they mean, and how they are written.
///
/// A vector of a conditional model consists of its tag (one number), the semantic vector y (32
/// numbers for the built-in model), and the latent vector z divided by 128 (56 numbers). Distances are
/// semantic first and syntactic second. Every vector is decoded again; if that gives another formula, the
/// vector is refined. Formulae for which this fails are reported.
///
/// JSON keys: rows, width, exact (the number of formulae that decode to themselves), failed (the others, each
/// with row and formula). Without --out also vectors.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae encode 'x1 & (x2 | !x3)'
  logicvae encode formulae.txt --out e.npy
  logicvae encode formulae.txt --model runs/best-3 --out e.csv

Limits:
  The built-in model accepts formulae over x1 to x5 with at most 30 nodes. Others are refused.")]
pub struct EncodeArgs {
    /// File of formulae, or one formula; - reads formulae from standard input.
    #[arg(value_name = "FILE|FORMULA")]
    pub input: String,

    #[command(flatten)]
    pub model: ModelArgs,

    /// Output file for the vectors: .npy or .csv [default: print them].
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Do not check that the vectors decode to their formulae. This is faster, but some may not.
    #[arg(long)]
    pub no_verify: bool,

    /// Overwrite FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

/// Decode vectors to formulae, or find formulae with a given meaning.
///
/// With --z, the vectors of `encode` are decoded. With --context alone, a beam search finds formulae with
/// that meaning and lists them with the shortest first. With --draws, and with models that are not
/// conditional, vectors are sampled from the prior. Agreement is the share of the requested truth values
/// that a formula has.
///
/// JSON keys: formulae, each with row, formula (null if the decoded sequence is not a valid formula),
/// log_probability, agreement (null if the model is not conditional) and count.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae decode --z e.npy
  logicvae decode --context 'x1 & x2 | x1 & !x2'
  logicvae decode --context 0110????????????????????????????
  logicvae decode --context observed.txt --beam 20
  logicvae decode --context y.npy --samples 20 --temperature 0.5
  logicvae decode --model runs/best-3 --draws 10 --seed 1

Contexts:
  a formula; a truth table over all variables of the model, where ? leaves a
  value open; a text file of observed rows, such as `10110 1` for the value 1
  at x1=1, x2=0, x3=1, x4=1, x5=0; or semantic vectors (.npy) of `embed` with
  the embedding of the model.")]
pub struct DecodeArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// File of vectors (.npy, f32 or f64) made by `encode` with the same model; - is standard input.
    #[arg(long, value_name = "FILE")]
    pub z: Option<PathBuf>,

    /// Meaning that the decoded formulae should have (conditional models only); see below.
    #[arg(long, value_name = "TABLE|FORMULA|FILE")]
    pub context: Option<String>,

    /// Names of x1, x2, and so on in the output, separated by commas, or a file of formulae with these names
    /// [default: the names in --context].
    #[arg(long, value_name = "NAMES|FILE")]
    pub names: Option<String>,

    /// Number of vectors to sample from the prior, per context [default: 1].
    #[arg(
        long,
        value_name = "K",
        conflicts_with = "z",
        value_parser = clap::value_parser!(u32).range(1..=10_000_000)
    )]
    pub draws: Option<u32>,

    /// Find the B most probable formulae of each vector or meaning by beam search.
    #[arg(
        long,
        value_name = "B",
        conflicts_with = "samples",
        value_parser = clap::value_parser!(u32).range(1..=100_000)
    )]
    pub beam: Option<u32>,

    /// Sample S formulae for each vector. A conditional model with model.candidates = C samples C formulae
    /// for each of them, and keeps the one closest in meaning to the context.
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub samples: Option<u32>,

    /// Sampling temperature: below 1 favours probable formulae, above 1 gives more variety [default: 1].
    #[arg(long, value_name = "T", requires = "samples")]
    pub temperature: Option<f64>,

    /// Sample only from the K most probable node types at each step.
    #[arg(long, value_name = "K", requires = "samples")]
    pub top_k: Option<usize>,

    /// Instead of decoding, report the log-probability of given formulae: one formula for all vectors, or a
    /// file with one formula per vector.
    #[arg(long, value_name = "FILE|FORMULA", conflicts_with_all = ["beam", "samples"])]
    pub of: Option<String>,

    /// Show the smallest formula with the same meaning instead of each decoded formula.
    #[arg(long)]
    pub minimise: bool,

    /// Random seed.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
}

/// Walk from one formula to another.
///
/// The walk starts and ends exactly at the given formulae. The built-in model changes the meaning a few truth
/// values at a time, through meanings that have short formulae. Other models, and --linear, follow a path
/// between the two vectors and decode each point. With one formula, the path is a great circle through its
/// latent vector.
///
/// JSON keys: steps, each with formula, log_probability, changed (the number of nodes that differ from the
/// previous step) and kernel (with the previous step); mean_changed and mean_kernel.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae interpolate 'x1 & x2 & x3' '!x1 | x4' --steps 9
  logicvae interpolate 'x1 & x2 & x3' '!x1 | x4' --steps 9 --out walk.svg
  logicvae interpolate --model runs/gat-5 'x1 & (x2 | !x3)' --steps 35 --out path.svg")]
pub struct InterpolateArgs {
    /// First formula of the path.
    #[arg(value_name = "FORMULA")]
    pub from: String,

    /// Last formula of the path [default: follow a great circle back to the first].
    #[arg(value_name = "FORMULA")]
    pub to: Option<String>,

    #[command(flatten)]
    pub model: ModelArgs,

    /// Number of points on the path.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 35,
        value_parser = clap::value_parser!(u32).range(2..=100_000)
    )]
    pub steps: u32,

    /// Follow the straight line between the two vectors, and decode each point.
    #[arg(long, requires = "to")]
    pub linear: bool,

    /// Show the smallest formula with the same meaning instead of each decoded formula.
    #[arg(long)]
    pub minimise: bool,

    /// Draw the syntax tree of every step into this file (.svg or .png).
    #[arg(long, value_name = "FILE", alias = "svg")]
    pub out: Option<PathBuf>,

    /// Random seed of the great circle.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,

    /// Overwrite FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

/// Find the formulae of a file whose vectors are nearest to the vector of a formula.
///
/// Distances are semantic first and syntactic second: equivalent formulae come first, those that are written
/// alike before the others. `logicvae similar` compares formulae by their meaning alone, without a model and
/// for any number of variables.
///
/// JSON keys: neighbours, each with formula, row, file, line, label and distance.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae neighbours 'x1 & !x2' --in formulae.txt -k 5
  logicvae neighbours 'x1 & !x2' --model runs/best-3 --json")]
pub struct NeighboursArgs {
    /// The formula.
    pub formula: String,

    #[command(flatten)]
    pub model: ModelArgs,

    /// File of formulae to search [default: the test set of the model's folder].
    #[arg(long = "in", value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Number of formulae to show.
    #[arg(short, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub k: u32,
}

/// Plot vectors in two dimensions, coloured by the share of assignments that satisfy each formula.
///
/// The plot shows the first two principal components of at most 2,000 formulae. Some are labelled; for the
/// others, viewers of SVG show line, label and formula when the pointer is on a point.
///
/// JSON keys: rows; points, each with file, line, label, formula, x, y and satisfied (the share of
/// assignments).
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae map --in formulae.txt --out map.svg
  logicvae map --model runs/best-3 --out map.png")]
pub struct MapArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// File of formulae, of which the first 2,000 are used [default: the test set of the model's folder].
    #[arg(long = "in", value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Output file (.svg or .png).
    #[arg(long, value_name = "FILE", alias = "svg")]
    pub out: PathBuf,

    /// Number of short formulae to label.
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub labels: usize,

    /// Overwrite FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

//! Arguments of the commands that train and use models.

use std::path::PathBuf;

use clap::ValueEnum;
use logicvae_compute::DeviceChoice;

/// Train a model, and store it in a run folder.
///
/// The run folder stores everything that belongs to the run: settings, formulae, the best and the last
/// weights, metrics.jsonl and the loss curves. Ctrl-C saves a checkpoint and stops; --resume then continues
/// the training, and the final weights are the same, bit for bit, as without the interruption.
///
/// JSON keys: epochs, stop_reason, best.
#[derive(clap::Args)]
#[command(after_help = "\
Presets (N is the number of variables: 3, 4 or 5):
  gru-N, gcn-N, gat-N        models of the paper
  cvae-gcn-N, cvae-gat-N     conditional models of the paper
  best-N, cvae-best-N        improved models
  general-5                  meaning and inversion in one vector, for any formula of at most five
                             variables and 30 nodes; start it with --from models/best-5
  gat-5-unconstrained        ablations of gcn-N and gat-N: -unconstrained, -unidirectional,
                             -layers-1 to -layers-5, -end
  shapes-N, leaves-N         the two parts of the hierarchical model; N may also be 10 or 16
  tiny                       a small model for tests, trained within seconds

Examples:
  logicvae train --preset gat-5 --out runs/gat-5
  logicvae train --resume --out runs/gat-5
  logicvae train --preset best-5 --from models/best-5 --epochs 50 \\
      --set training.learning_rate=0.0002 --set training.hardest_of=4 --out runs/tuned
  logicvae train --resume --out runs/tuned --epochs 60 \\
      --set training.fine_tune_epochs=10 --set training.fine_tune_learning_rate=0.0002")]
pub struct TrainArgs {
    /// Use the settings of a preset (listed below).
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with = "config",
        required_unless_present_any = ["config", "resume"]
    )]
    pub preset: Option<String>,

    /// Read the settings from a TOML file, such as the config.toml of another run.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Run folder to create, or to continue with --resume.
    #[arg(long, value_name = "RUN", required_unless_present = "show")]
    pub out: Option<PathBuf>,

    /// Print the settings as TOML, as --config reads them, without training.
    #[arg(long, conflicts_with_all = ["resume", "force", "data"])]
    pub show: bool,

    /// Change one setting; can be repeated. With --resume, only the length of the training can change:
    /// training.epochs, training.fine_tune_epochs, training.fine_tune_learning_rate and
    /// training.fine_tune_beta.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Continue the run in this folder from its last checkpoint.
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,

    /// Delete an existing run in this folder and start from scratch.
    #[arg(long)]
    pub force: bool,

    /// Maximum number of epochs. A new run skips a fine-tuning phase that is not shorter than this.
    #[arg(long, value_name = "E", value_parser = clap::value_parser!(u32).range(1..))]
    pub epochs: Option<u32>,

    /// Train on the formulae of a file. Duplicates are removed; then the last tenth (at most 300 formulae) is
    /// the test set, and the last tenth of the rest (at most 500) is the validation set.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub data: Option<PathBuf>,

    /// Initialise the weights from another run or exported model instead of at random. The other model may
    /// lack inputs that this one has, such as semantic vectors: their weights begin at zero.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["resume", "show"])]
    pub from: Option<PathBuf>,

    /// Device to compute on: auto, cpu, cuda or cuda:1. GPUs require a build with the feature `cuda`.
    #[arg(long, value_name = "DEVICE", default_value_t = DeviceChoice::Auto)]
    pub device: DeviceChoice,

    /// Save a checkpoint and stop at the end of standard input, for programs that start a training and may be
    /// killed.
    #[arg(long, hide = true)]
    pub stop_with_input: bool,
}

/// Weights stored in a run folder.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum WhichWeights {
    /// Weights of the last checkpoint.
    #[default]
    Last,
    /// Weights with the best validation loss.
    Best,
}

/// A trained model.
#[derive(clap::Args)]
pub struct RunArgs {
    /// Run folder, or folder of an exported model.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,

    /// Weights to use; an exported model has only one set.
    #[arg(long, value_enum, default_value_t = WhichWeights::Last)]
    pub weights: WhichWeights,

    /// Device to compute on: auto, cpu, cuda or cuda:1. GPUs require a build with the feature `cuda`.
    #[arg(long, value_name = "DEVICE", default_value_t = DeviceChoice::Auto)]
    pub device: DeviceChoice,
}

/// Evaluate a trained model with the paper's protocol.
///
/// Each formula is encoded 10 times, and each encoding is decoded 10 times. 1,000 samples of the prior are
/// decoded 10 times each. A conditional model also decodes 100 samples for each of 300 semantic vectors, 10
/// times each.
///
/// JSON keys: nll, accuracy, ordered_accuracy, mode_accuracy, semantic_accuracy, validity, uniqueness,
/// novelty. With --refine also refined. Conditional models also have semantic_distance, kernel and
/// gaussian_kernel, each with its quartiles, such as kernel_quartiles. Runs of a leaves-N preset have
/// disagreement, leaf_accuracy, equivalent and guessing instead. With --embedding: inversion, paper, meaning.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae evaluate runs/gat-5
  logicvae evaluate runs/gat-5 --seen
  logicvae evaluate runs/cvae-gat-5 --prior-noise 0.01
  logicvae evaluate runs/gat-5 --data requirements.txt --quick --json
  logicvae evaluate runs/general-5 --embedding")]
pub struct EvaluateArgs {
    #[command(flatten)]
    pub model: RunArgs,

    /// File of formulae to evaluate on [default: the run's test set].
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,

    /// Evaluate on training formulae instead, as many as the test set has. A much better result than on the
    /// test set means that the model has memorised them. Runs that sample new formulae in every epoch have
    /// none.
    #[arg(long, conflicts_with = "data")]
    pub seen: bool,

    /// Use a tenth of the samples or fewer, for a quick estimate.
    #[arg(long)]
    pub quick: bool,

    /// Measure exact reconstruction by kind of formula (size, number of variables, constants) and, for models
    /// that read meanings, how well distances follow the kernel. The formulae are sampled with --seed.
    #[arg(long, conflicts_with_all = ["data", "seen", "refine", "prior_noise"])]
    pub embedding: bool,

    /// Also report how many formulae are reconstructed after refinement (see `encode --refine`).
    #[arg(long)]
    pub refine: bool,

    /// Whether the decoder chooses only node types that still fit into model.max_nodes, so that every decoded
    /// formula is valid [default: model.budget of the run].
    #[arg(long, value_name = "true|false")]
    pub budget: Option<bool>,

    /// Scale of the noise in samples of the prior; below 1, they lie closer to its mean [default: 1].
    #[arg(long, value_name = "SCALE", value_parser = noise_scale, allow_negative_numbers = true)]
    pub prior_noise: Option<f64>,

    /// Random seed.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
}

fn noise_scale(text: &str) -> Result<f64, String> {
    let scale: f64 = text.parse().map_err(|_| "expected a number, such as 0.01".to_owned())?;
    (scale.is_finite() && scale >= 0.0)
        .then_some(scale)
        .ok_or_else(|| "must be a finite number, 0 or more; 1 samples from the prior itself".into())
}

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
/// A vector of a conditional model consists of its fingerprint (one number), the semantic vector y (32
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
/// that meaning and lists them with the shortest first. With neither, or with --draws, vectors are sampled
/// from the prior. Agreement is the share of the requested truth values that a formula has.
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
  a formula; a truth table over all variables of the model, where ? leaves a value open; a text file of
  observed rows, such as `10110 1` for the value 1 at x1=1, x2=0, x3=1, x4=1, x5=0; or semantic vectors
  (.npy) of `embed` with the embedding of the model.")]
pub struct DecodeArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// File of vectors (.npy, f32 or f64) made by `encode` with the same model; - is standard input.
    #[arg(long, value_name = "FILE")]
    pub z: Option<PathBuf>,

    /// Meaning that the decoded formulae should have (conditional models only); see below.
    #[arg(long, value_name = "TABLE|FORMULA|FILE")]
    pub context: Option<String>,

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
/// JSON keys: neighbours, each with formula, row (in the file, from 1) and distance.
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
/// The plot shows the first two principal components of at most 2,000 formulae.
///
/// JSON keys: rows.
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

/// Export a trained model to a small folder for distribution.
///
/// The folder holds the settings, the weights in half precision, the formulae and the semantic embedding,
/// with checksums, and a model card with metrics per kind of formula, for which the exported weights are
/// evaluated. Every command that reads a run accepts it. Its training cannot be resumed, but `train --from`
/// can start a new run from its weights.
///
/// JSON keys: out, bytes, checksum.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae export runs/best-3 --out models/best-3
  logicvae export runs/best-3 --weights best --out models/best-3 --force
  logicvae export models/best-3")]
pub struct ExportArgs {
    /// Run folder.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,

    /// Weights to export.
    #[arg(long, value_enum, default_value_t = WhichWeights::Last)]
    pub weights: WhichWeights,

    /// Folder to create [default: none; RUN is an export whose card is written anew].
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,

    /// Overwrite an existing export.
    #[arg(long)]
    pub force: bool,

    /// Do not evaluate the exported model, and write no model card (README.md).
    #[arg(long)]
    pub no_card: bool,

    /// Evaluate the model for its card with a tenth of the formulae.
    #[arg(long)]
    pub quick: bool,

    /// Random seed of the formulae that the model is evaluated on.
    #[arg(long, value_name = "S", default_value_t = 2026)]
    pub seed: u64,
}

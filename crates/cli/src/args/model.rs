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

    /// Initialise the weights from another run or exported model of the same architecture, instead of at
    /// random.
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
/// disagreement, leaf_accuracy, equivalent and guessing instead.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae evaluate runs/gat-5
  logicvae evaluate runs/gat-5 --seen
  logicvae evaluate runs/cvae-gat-5 --prior-noise 0.01
  logicvae evaluate runs/gat-5 --data requirements.txt --quick --json")]
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

/// Encode formulae as latent vectors.
///
/// The vectors are the posterior means. Formulae may contain only the variables that the model was trained
/// with.
///
/// JSON keys: rows, latent. With --refine also exact (the number of formulae that greedy decoding
/// reconstructs) and failed (the other formulae). Without --out also vectors.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae encode runs/best-3 'x1 & (x2 | !x3)'
  logicvae encode runs/best-3 formulae.txt --refine --out z.npy")]
pub struct EncodeArgs {
    #[command(flatten)]
    pub model: RunArgs,

    /// File of formulae, or one formula; - reads formulae from standard input.
    #[arg(value_name = "FILE|FORMULA")]
    pub input: String,

    /// Output file for the vectors (.npy) [default: print them].
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Optimise each vector by gradient steps until greedy decoding reconstructs its formula.
    #[arg(long)]
    pub refine: bool,

    /// Overwrite FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

/// Decode latent vectors to formulae.
///
/// Without --z, vectors are sampled from the prior. Decoding is greedy unless --beam or --samples is given. A
/// conditional model requires --context.
///
/// JSON keys: formulae, each with row, formula (null if the decoded sequence is not a valid formula),
/// log_probability and count.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae decode runs/best-3 --z z.npy --beam 5
  logicvae decode runs/best-3 --draws 10 --seed 1
  logicvae decode runs/best-3 --z z.npy --samples 20 --temperature 0.5 --top-k 3
  logicvae decode runs/cvae-best-3 --context 'x1 -> x2' --draws 5")]
pub struct DecodeArgs {
    #[command(flatten)]
    pub model: RunArgs,

    /// File of latent vectors (.npy, f32 or f64), one per row.
    #[arg(long, value_name = "FILE")]
    pub z: Option<PathBuf>,

    /// Meaning that the decoded formulae should have (conditional models only): a formula, or a file of
    /// semantic vectors (.npy) with one row per latent vector or one row for all.
    #[arg(long, value_name = "FILE|FORMULA")]
    pub context: Option<String>,

    /// Number of vectors to sample from the prior, per context [default: 1].
    #[arg(
        long,
        value_name = "K",
        conflicts_with = "z",
        value_parser = clap::value_parser!(u32).range(1..=10_000_000)
    )]
    pub draws: Option<u32>,

    /// Find the B most probable formulae of each vector by beam search.
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

/// Interpolate between two formulae in the latent space, and decode each step.
///
/// With two formulae, the path is an arc (or a straight line with --linear) from the first to the second.
/// With one formula, it is a great circle through its vector. Decoding is greedy.
///
/// JSON keys: steps, each with formula, log_probability and changed (the number of nodes that differ from the
/// previous step), and mean_changed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae interpolate runs/best-3 'x1 & x2 & x3' '!x1 | x2 | x3' --steps 9
  logicvae interpolate runs/gat-5 'x1 & (x2 | !x3)' --steps 35 --svg path.svg")]
pub struct InterpolateArgs {
    #[command(flatten)]
    pub model: RunArgs,

    /// First formula of the path.
    #[arg(value_name = "FORMULA")]
    pub from: String,

    /// Last formula of the path [default: follow a great circle back to the first].
    #[arg(value_name = "FORMULA")]
    pub to: Option<String>,

    /// Number of points on the path.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 35,
        value_parser = clap::value_parser!(u32).range(2..=100_000)
    )]
    pub steps: u32,

    /// Follow a straight line instead of an arc.
    #[arg(long, requires = "to")]
    pub linear: bool,

    /// Use refined vectors, which decode to the given formulae (see `encode --refine`).
    #[arg(long)]
    pub refine: bool,

    /// Draw the syntax tree of every step into this SVG file.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Random seed of the great circle.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,

    /// Overwrite FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

/// Find the formulae of a file whose latent vectors are nearest to the vector of a formula.
///
/// `logicvae similar` compares formulae by their meaning instead, without a model.
///
/// JSON keys: neighbours, each with formula and distance.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae neighbours runs/best-3 'x1 & !x2'
  logicvae neighbours runs/best-3 'x1 & !x2' --in formulae.txt -k 5 --json")]
pub struct NeighboursArgs {
    #[command(flatten)]
    pub model: RunArgs,

    /// The formula.
    pub formula: String,

    /// File of formulae to search [default: the run's test set].
    #[arg(long = "in", value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Number of formulae to show.
    #[arg(short, value_name = "K", default_value_t = 10)]
    pub k: usize,
}

/// Plot latent vectors in two dimensions, coloured by the share of assignments that satisfy each formula.
///
/// The plot shows the first two principal components of at most 2,000 formulae.
///
/// JSON keys: rows.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae map runs/best-3 --svg map.svg
  logicvae map runs/best-3 --in formulae.txt --svg map.svg")]
pub struct MapArgs {
    #[command(flatten)]
    pub model: RunArgs,

    /// File of formulae, of which the first 2,000 are used [default: the run's test set].
    #[arg(long = "in", value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Output file (.svg).
    #[arg(long, value_name = "FILE")]
    pub svg: PathBuf,

    /// Overwrite FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

/// Export a trained model to a small folder for distribution.
///
/// The folder holds the settings, the weights in half precision, the formulae and the semantic embedding,
/// with checksums. Every command that reads a run accepts it as RUN. Its training cannot be resumed, but
/// `train --from` can start a new run from its weights.
///
/// JSON keys: out, bytes, checksum.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae export runs/best-3 --out models/best-3
  logicvae export runs/best-3 --weights best --out models/best-3 --force")]
pub struct ExportArgs {
    /// Run folder.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,

    /// Weights to export.
    #[arg(long, value_enum, default_value_t = WhichWeights::Last)]
    pub weights: WhichWeights,

    /// Folder to create.
    #[arg(long, value_name = "FOLDER")]
    pub out: PathBuf,

    /// Overwrite an existing export.
    #[arg(long)]
    pub force: bool,
}

//! Arguments of the commands that train, evaluate and export models.

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
  general-5                  the built-in model, for any formula of at most five variables and 30
                             nodes; start it with --from models/best-5
  gat-5-unconstrained        ablations of gcn-N and gat-N: -unconstrained, -unidirectional,
                             -layers-1 to -layers-5, -end
  published-gcn-5            any model of the paper on data as the authors' program draws them
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
/// novelty, published_novelty (distinct new formulae / valid decodings), known_accuracy and new_accuracy (on
/// formulae that are and are not training formulae up to the order of children). With --refine also refined.
/// Conditional models also have semantic_distance, kernel and gaussian_kernel, each with its quartiles, such
/// as kernel_quartiles. Runs of a leaves-N preset have disagreement, leaf_accuracy, equivalent and guessing
/// instead. With --embedding: results, paper, meaning.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae evaluate runs/gat-5
  logicvae evaluate runs/gat-5 --seen
  logicvae evaluate runs/published-gat-5 --published
  logicvae evaluate runs/published-gat-5 --unseen
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

    /// Evaluate on the run's unseen test formulae instead: none of them is a training formula, not even up to
    /// the order of children. Only runs on published-N data have such a set.
    #[arg(long, conflicts_with_all = ["data", "seen"])]
    pub unseen: bool,

    /// Use the metrics of the authors' program where they differ: encodings without noise and, for
    /// conditional models, newly drawn contexts, the first decoding of each sample, and pairs of a formula
    /// with itself. Also has the JSON keys published.distance and published.kernel for these models.
    #[arg(long, conflicts_with = "prior_noise")]
    pub published: bool,

    /// Use a tenth of the samples or fewer, for a quick estimate.
    #[arg(long)]
    pub quick: bool,

    /// Measure exact reconstruction by kind of formula (size, number of variables, constants) and, for models
    /// that read meanings, how well distances follow the kernel. The formulae are sampled with --seed.
    #[arg(long, conflicts_with_all = ["data", "seen", "unseen", "published", "refine", "prior_noise"])]
    pub embedding: bool,

    /// Also report how many formulae are reconstructed after refinement, as `encode` does by default.
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
  logicvae export runs/best-5 --out models/best-5
  logicvae export runs/best-5 --weights best --out models/best-5 --force
  logicvae export models/best-5")]
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

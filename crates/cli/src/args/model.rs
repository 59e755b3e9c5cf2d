//! Flags of the commands that train and use models.

use std::path::PathBuf;

use clap::ValueEnum;
use logicvae_gnn::Backend;

/// Train a model into a run folder.
///
/// The folder holds all that belongs to the run: settings, weights (best and last), metrics.jsonl, loss curves, formulae, and
/// what made them. Ctrl-C saves and leaves; --resume goes on, to the same bits as if nothing had happened.
/// JSON: epochs, stop_reason, best.
#[derive(clap::Args)]
#[command(after_help = "\
Presets: gru-N, gcn-N, gat-N, cvae-gcn-N, cvae-gat-N as in the paper, with N = 3, 4 or 5 variables; ablations such as
         gat-5-unconstrained, gat-5-unidirectional, gat-5-layers-2, gcn-5-end; best-N and cvae-best-N; the hierarchical
         model's halves shapes-N and leaves-N, N = 10 and 16 too; tiny.
Examples:
  logicvae train --preset gat-5 --out runs/gat-5
  logicvae train --preset best-3 --set training.epochs=50 --set model.latent=32 --out runs/short
  logicvae train --resume --out runs/gat-5
  logicvae train --preset best-5 --from models/best-5 --set training.learning_rate=0.0002 --epochs 50 --out runs/tuned
  logicvae train --resume --out runs/short --set training.epochs=60 --set training.polish=10 --set training.polish_rate=0.0002")]
pub struct TrainArgs {
    /// Settings by name.
    #[arg(long, value_name = "NAME", conflicts_with = "config", required_unless_present_any = ["config", "resume"])]
    pub preset: Option<String>,

    /// Settings from a TOML file, such as the config.toml of another run.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// The run's folder.
    #[arg(long, value_name = "RUN", required_unless_present = "show")]
    pub out: Option<PathBuf>,

    /// Print the settings as TOML, ready for --config, and do nothing.
    #[arg(long, conflicts_with_all = ["resume", "force", "data"])]
    pub show: bool,

    /// Change a setting; may be given several times. With --resume, only how long the training lasts can change:
    /// training.epochs, and training.polish with its rate and beta.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Go on with the run in this folder.
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,

    /// Start over, and remove the run that is there.
    #[arg(long)]
    pub force: bool,

    /// At most so many passes over the formulae.
    #[arg(long, value_name = "E", value_parser = clap::value_parser!(u32).range(1..))]
    pub epochs: Option<u32>,

    /// Learn from the formulae of a file. Its last tenth (300 at most) is kept for testing, the tenth before it (500 at most)
    /// for validation.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub data: Option<PathBuf>,

    /// Begin with the weights of another run or export, whose model has the same shape, instead of first weights by the seed.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["resume", "show"])]
    pub from: Option<PathBuf>,

    /// Where to compute: auto, cpu, cuda or cuda:1. GPUs need a build with the feature `cuda`.
    #[arg(long, value_name = "DEVICE", default_value_t = Backend::Auto)]
    pub device: Backend,

    /// Save and leave when standard input ends: for programs that start trainings and may be killed.
    #[arg(long, hide = true)]
    pub stop_with_input: bool,
}

/// Which weights of a run.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum WhichWeights {
    /// Those of the checkpoint that training ended with.
    #[default]
    Last,
    /// Those of the best validation.
    Best,
}

/// A trained model.
#[derive(clap::Args)]
pub struct RunArgs {
    /// The run's folder.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,

    /// Which weights to use.
    #[arg(long, value_enum, default_value_t = WhichWeights::Last)]
    pub weights: WhichWeights,

    /// Where to compute: auto, cpu, cuda or cuda:1. GPUs need a build with the feature `cuda`.
    #[arg(long, value_name = "DEVICE", default_value_t = Backend::Auto)]
    pub device: Backend,
}

/// Domain a model by the paper's protocol.
///
/// Each formula is encoded 10 times and decoded 10 times each; 1,000 prior samples are decoded 10 times each; a conditional
/// model is asked for 300 meanings, 100 samples each. JSON: nll, accuracy, ordered_accuracy, mode_accuracy, semantic_accuracy,
/// validity, uniqueness, novelty; with --refine: refined; conditional: semantic_distance, kernel, gaussian_kernel, quartiles.
/// A run that names the leaves of shapes is measured by its disagreement: disagreement, leaf_accuracy, equivalent, guessing.
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

    /// Formulae to measure on [default: the run's test set].
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,

    /// Domain on the first of the run's training set, as many as it has test formulae: does it know them by heart?
    #[arg(long, conflicts_with = "data")]
    pub seen: bool,

    /// A small part of the protocol, for a first look.
    #[arg(long)]
    pub quick: bool,

    /// Domain refined encodings too.
    #[arg(long)]
    pub refine: bool,

    /// Decode with a budget of nodes, so that every decoding is valid, or without [default: as the run's settings say].
    #[arg(long, value_name = "true|false")]
    pub budget: Option<bool>,

    /// Draw prior samples with so many of the prior's standard deviations: below 1 for what is near its mean [default: 1].
    #[arg(long, value_name = "SCALE", value_parser = noise_scale, allow_negative_numbers = true)]
    pub prior_noise: Option<f64>,

    /// Seed of all samples.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
}

fn noise_scale(text: &str) -> Result<f64, String> {
    let scale: f64 = text.parse().map_err(|_| "give a number, such as 0.01".to_owned())?;
    (scale.is_finite() && scale >= 0.0)
        .then_some(scale)
        .ok_or_else(|| "must be finite and 0 or more; 1 is the prior itself".into())
}

/// Turn formulae into latent vectors.
///
/// JSON: rows, latent, and with --refine: exact (how many decode greedily to their formula), failed (the others); without
/// --out: vectors.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae encode runs/best-3 'x1 & (x2 | !x3)'
  logicvae encode runs/best-3 formulae.txt --refine --out z.npy")]
pub struct EncodeArgs {
    #[command(flatten)]
    pub model: RunArgs,

    /// A file of formulae, or a formula; - reads standard input.
    #[arg(value_name = "FILE|FORMULA")]
    pub input: String,

    /// Where to write the vectors (.npy); printed if not given.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Move each vector by gradient steps until greedy decoding gives its formula back.
    #[arg(long)]
    pub refine: bool,

    /// Replace FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

/// Turn latent vectors into formulae.
///
/// Without --z, vectors are drawn from the prior. JSON: formulae, each with row, formula (null if the decoding is none),
/// log_probability and count.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae decode runs/best-3 --z z.npy --beam 5
  logicvae decode runs/best-3 --draws 10 --seed 1
  logicvae decode runs/cvae-best-3 --context 'x1 -> x2' --draws 5")]
pub struct DecodeArgs {
    #[command(flatten)]
    pub model: RunArgs,

    /// Latent vectors, .npy, f32 or f64.
    #[arg(long, value_name = "FILE")]
    pub z: Option<PathBuf>,

    /// The meaning to decode for (conditional models): semantic vectors (.npy), a row for each vector or one for all; or a
    /// formula that means it.
    #[arg(long, value_name = "FILE|FORMULA")]
    pub context: Option<String>,

    /// How many vectors to draw, for each context, if none are given [default: 1].
    #[arg(long, value_name = "K", conflicts_with = "z", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub draws: Option<u32>,

    /// The B most probable formulae of each vector.
    #[arg(long, value_name = "B", conflicts_with = "samples", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub beam: Option<u32>,

    /// Draw S formulae for each vector [default: decode greedily]. A conditional model whose settings have model.candidates
    /// draws so many for each, and keeps the nearest in meaning.
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub samples: Option<u32>,

    /// Below 1: what is more probable; above 1: variety.
    #[arg(long, value_name = "T", requires = "samples")]
    pub temperature: Option<f64>,

    /// Draw only from so many of the most probable types.
    #[arg(long, value_name = "K", requires = "samples")]
    pub top_k: Option<usize>,

    /// Decode nothing, but tell how probable given formulae are: those of a file, one for each vector, or one for all.
    #[arg(long, value_name = "FILE|FORMULA", conflicts_with_all = ["beam", "samples"])]
    pub of: Option<String>,

    /// Seed of what is drawn.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
}

/// Walk through the latent space and decode on the way.
///
/// From one formula to another along an arc (or a line), or from one formula around a great circle.
/// JSON: steps, each with formula, log_probability, and changed (nodes that differ from the step before).
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae interpolate runs/best-3 'x1 & x2 & x3' '!x1 | x2 | x3' --steps 9
  logicvae interpolate runs/gat-5 'x1 & (x2 | !x3)' --steps 35 --svg path.svg")]
pub struct InterpolateArgs {
    #[command(flatten)]
    pub model: RunArgs,

    /// Where to start.
    #[arg(value_name = "FORMULA")]
    pub from: String,

    /// Where to end; around a great circle if not given.
    #[arg(value_name = "FORMULA")]
    pub to: Option<String>,

    /// How many points.
    #[arg(long, value_name = "N", default_value_t = 35, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub steps: u32,

    /// Along a straight line instead of an arc.
    #[arg(long, requires = "to")]
    pub linear: bool,

    /// Start from vectors that decode to the formulae (encode --refine).
    #[arg(long)]
    pub refine: bool,

    /// Draw the trees on the way.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Which great circle.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,

    /// Replace FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

/// Find the formulae of a file whose latent vectors are nearest to that of a formula.
///
/// JSON: neighbours, each with formula and distance. (`logicvae similar` compares by meaning, without a model.)
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae neighbours runs/best-3 'x1 & !x2' --in formulae.txt -k 10")]
pub struct NeighboursArgs {
    #[command(flatten)]
    pub model: RunArgs,

    /// The formula.
    pub formula: String,

    /// Where to search [default: the run's test set].
    #[arg(long = "in", value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// How many.
    #[arg(short, value_name = "K", default_value_t = 10)]
    pub k: usize,
}

/// Draw latent vectors as points in a plane, coloured by how many assignments satisfy each formula.
///
/// JSON: rows.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae map runs/best-3 --svg map.svg
  logicvae map runs/best-3 --in formulae.txt --svg map.svg")]
pub struct MapArgs {
    #[command(flatten)]
    pub model: RunArgs,

    /// The formulae [default: the run's test set]; the first 2,000 are drawn.
    #[arg(long = "in", value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Where to draw.
    #[arg(long, value_name = "FILE")]
    pub svg: PathBuf,

    /// Replace FILE if it exists.
    #[arg(long)]
    pub force: bool,
}

/// Make a small folder of a run that can be passed on.
///
/// It holds the settings, the weights in half precision, the formulae and the semantic embedding, all with checksums, and takes
/// the place of RUN in every command but `train`. JSON: out, bytes, checksum.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae export runs/best-3 --out models/best-3")]
pub struct ExportArgs {
    /// The run's folder.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,

    /// Which weights to pass on.
    #[arg(long, value_enum, default_value_t = WhichWeights::Last)]
    pub weights: WhichWeights,

    /// The new folder.
    #[arg(long, value_name = "FOLDER")]
    pub out: PathBuf,

    /// Replace an export that is there.
    #[arg(long)]
    pub force: bool,
}

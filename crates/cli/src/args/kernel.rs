//! Arguments of the commands that compare formulae.

use std::path::PathBuf;

use clap::ValueEnum;
use logicvae_logic::MAX_VARIABLE;

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
  logicvae embed b.txt --pool pool.embedding --out b.npy
  logicvae embed a.txt --out y.npy        # for `decode --context y.npy`")]
pub struct EmbedArgs {
    /// File of formulae to embed; - is standard input.
    pub file: PathBuf,

    /// File of formulae to fit the embedding to, an embedding written by --save, or the folder of a
    /// conditional model, whose embedding is used [default: that of the built-in model].
    #[arg(long, value_name = "FILE|DIR")]
    pub pool: Option<PathBuf>,

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
/// Formulae that cannot be true together with the given one are marked as contradictions: a contradiction can
/// still agree with it at most assignments. No model is needed; `logicvae neighbours` compares the vectors of
/// a model instead.
///
/// JSON keys: measure, assignments, exact (whether these are all assignments), neighbours, each with formula,
/// file, line, label, kernel, value (by the measure) and contradicts (null if unknown).
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  logicvae similar 'x1 & !x2' --in datasets/paper-3/train.txt -k 5
  logicvae similar 'door_open -> alarm' --in requirements.txt --measure centred
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

    /// How similarity is measured.
    #[arg(long, value_enum, default_value_t = MeasureName::Agreement)]
    pub measure: MeasureName,

    #[command(flatten)]
    pub domain: DomainArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MeasureName {
    /// The share of assignments at which both have the same value. The kernel is 2 times this minus 1.
    Agreement,
    /// The share of the assignments that satisfy one of them at which both are true.
    Jaccard,
    /// The correlation of their values: 0 for formulae without a common variable. Best for large sets of
    /// requirements over many variables.
    Centred,
    /// The share of the assignments that satisfy the given formula at which the other is true: 100 % if it
    /// follows.
    Entailment,
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

//! What Slurm is asked for.

/// Options of the jobs.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[group(skip)]
pub struct Options {
    /// Slurm partition of the jobs [default: that of the cluster].
    #[arg(long, value_name = "NAME", requires = "slurm")]
    pub partition: Option<String>,

    /// Time limit of each job, such as 12:00:00. A training that reaches it is saved and queued again
    /// [default: that of the partition].
    #[arg(long, value_name = "TIME", requires = "slurm")]
    pub time: Option<String>,

    /// Cores of each job.
    #[arg(long, value_name = "N", requires = "slurm", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub cpus: u16,

    /// GPUs of each job. They need a build with the feature `cuda`.
    #[arg(long, value_name = "N", requires = "slurm", default_value_t = 0,
          value_parser = clap::value_parser!(u16).range(0..=64))]
    pub gpus: u16,

    /// Another option of sbatch, such as --account=NAME. Can be repeated.
    #[arg(long, value_name = "OPTION", requires = "slurm", allow_hyphen_values = true)]
    pub sbatch: Vec<String>,
}

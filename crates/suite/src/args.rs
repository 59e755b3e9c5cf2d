//! The command line. Parsing does no input or output.

use std::path::PathBuf;

use crate::layout::Scale;
use crate::slurm::Options;

/// Reproduce every table and figure of the paper, with a report.
///
/// Experiments with an up-to-date result are not run again. An interrupted training resumes where it stopped.
/// Ctrl-C saves all trainings and exits.
#[derive(Debug, clap::Parser)]
#[command(bin_name = "cargo xtask reproduce", max_term_width = 100)]
#[command(after_help = "\
Examples:
  cargo xtask reproduce                             # everything at reduced size
  cargo xtask reproduce --scale paper --dry-run     # what would run, and for how long
  cargo xtask reproduce --scale paper --only gat-5  # one experiment at the paper's size
  cargo xtask reproduce --scale paper --slurm --partition long --time 12:00:00 --cpus 4
                                                    # everything on a cluster: see docs/cluster.md")]
pub struct Args {
    /// quick: reduced sizes, into target/reproduce/quick. paper: the paper's sizes, into results/.
    #[arg(long, value_enum, default_value_t = Scale::Quick)]
    pub(crate) scale: Scale,

    /// Run only this experiment and those it depends on. Can be repeated.
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,

    /// List all experiments and exit.
    #[arg(long)]
    pub(crate) list: bool,

    /// Print the plan with estimated times and exit.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// How many experiments run in parallel; the cores are divided among them [default: one per core].
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,

    /// Submit the experiments to Slurm as job arrays, and the report as the last job. With --dry-run, print
    /// the scripts instead. The repository, or the folders that --out and --runs name, must be shared by all
    /// nodes.
    #[arg(long, conflicts_with_all = ["jobs", "report", "list"])]
    pub(crate) slurm: bool,

    #[command(flatten)]
    pub(crate) slurm_options: Options,

    /// Run exactly this experiment, whose dependencies must be done, and write no report: a task of a job
    /// array.
    #[arg(long, value_name = "NAME", hide = true, conflicts_with_all = ["only", "jobs", "report", "slurm"])]
    pub(crate) task: Option<String>,

    /// Write the report from existing results, without running anything.
    #[arg(long, visible_alias = "report-only")]
    pub(crate) report: bool,

    /// Folder for results and the report [default: depends on the scale].
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,

    /// Folder for training runs [default: target/reproduce/SCALE/runs].
    #[arg(long, value_name = "FOLDER")]
    pub(crate) runs: Option<PathBuf>,

    /// Another declaration of experiments, for tests.
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) suite: Option<PathBuf>,

    /// Another `logicvae` program than the one beside this program, for tests.
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) program: Option<PathBuf>,
}

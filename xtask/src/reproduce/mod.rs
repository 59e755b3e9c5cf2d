//! `cargo xtask reproduce`: every table and figure of the paper, and ours.
//!
//! `suite.toml` is the list; [`plan`] finds out what is to be done, [`runner`] does it with a [`job`] for each experiment,
//! [`report`] writes what came out.

mod card;
mod job;
mod overview;
mod place;
mod plan;
mod report;
mod runner;
mod suite;

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};

use crate::shell::{self, cargo};
use overview::time;
use place::{Place, Scale};
use plan::Step;
use suite::Suite;

/// Reproduce the paper: every table and figure, with a report.
///
/// Experiments that are done are not run again, unless their settings or the code's version changed; trainings go on where they
/// stopped. Ctrl-C saves and leaves.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask reproduce                                  # all of it, reduced: a report in target/reproduce/quick
  cargo xtask reproduce --scale paper --dry-run          # what there is to do, and how long it takes
  cargo xtask reproduce --scale paper --only gat-5       # one experiment at the paper's size, into results/")]
pub struct Args {
    /// quick: reduced sizes, into target/reproduce/quick. paper: the paper's sizes, into results/.
    #[arg(long, value_enum, default_value_t = Scale::Quick)]
    scale: Scale,

    /// Only this experiment and what it needs; may be given several times.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// List the experiments and do nothing.
    #[arg(long)]
    list: bool,

    /// Print the plan, with times, and do nothing.
    #[arg(long)]
    dry_run: bool,

    /// How many experiments run side by side, each on its share of the cores [default: one a core].
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,

    /// Write the report from the results that are there, and run nothing.
    #[arg(long)]
    report: bool,

    /// Where results and the report go [default: by scale].
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Where trainings are kept [default: target/reproduce/SCALE/runs].
    #[arg(long, value_name = "FOLDER")]
    runs: Option<PathBuf>,

    /// Another list of experiments: for tests.
    #[arg(long, value_name = "FILE", hide = true)]
    suite: Option<PathBuf>,

    /// Another program than the one that is built: for tests.
    #[arg(long, value_name = "FILE", hide = true)]
    program: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<()> {
    let suite = match &args.suite {
        None => Suite::committed()?,
        Some(path) => {
            let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
            Suite::parse(&text).with_context(|| path.display().to_string())?
        }
    };
    if args.list {
        for experiment in &suite.experiment {
            println!("{:<28}{}", experiment.name, experiment.title);
        }
        return Ok(());
    }
    let mut place = Place::new(args.scale, args.out.as_deref(), args.runs.as_deref())?;
    match &args.program {
        Some(program) => place.program = std::path::absolute(program)?,
        None => shell::run(cargo().args(["build", "--release", "--quiet", "--package", "logicvae-cli"]))?,
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.map_or(cores, usize::from);
    place.threads = (cores / jobs).max(1);
    let steps = plan::plan(&suite, &place, &args.only)?;
    if args.dry_run {
        show(&steps, jobs);
        return Ok(());
    }
    place.create()?;
    let lock = File::create(place.runs.join("lock")).context("the lock")?;
    if lock.try_lock().is_err() {
        bail!("another reproduction is at work in {}: wait for it, or stop it", place.runs.display());
    }
    if args.report {
        return finish(&suite, &place);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    ctrlc::set_handler(move || {
        // The second time there is no waiting.
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("listening for Ctrl-C")?;
    let outcome = runner::run(&suite, &steps, &place, jobs, &stop)?;
    finish(&suite, &place)?;
    for (name, why) in &outcome.failed {
        eprintln!("failed: {name}: {why}");
    }
    for name in &outcome.skipped {
        eprintln!("left out: {name}");
    }
    if outcome.stopped {
        bail!("stopped; the same command goes on where this one ended");
    }
    if !outcome.failed.is_empty() {
        bail!("{} of {} experiments failed", outcome.failed.len(), steps.len());
    }
    println!("{} experiments run, {} done before.", outcome.ran, steps.len() - outcome.ran);
    Ok(())
}

fn finish(suite: &Suite, place: &Place) -> Result<()> {
    report::write(suite, place)?;
    println!("{}\n{}", place.out.join("report.html").display(), place.out.join("REPORT.md").display());
    Ok(())
}

/// The plan as a table.
fn show(steps: &[Step], jobs: usize) {
    for step in steps {
        let state = if step.done { "done".to_owned() } else { time(step.estimate) };
        println!("{:<28}{state:>12}", step.name);
    }
    let left: f64 = steps.iter().filter(|s| !s.done).map(|s| s.estimate).sum();
    let count = steps.iter().filter(|s| !s.done).count();
    println!("{count} of {} to run, about {} with {jobs} at a time", steps.len(), time(left / jobs as f64));
}

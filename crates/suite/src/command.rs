//! What the program does with its arguments: list, plan, run, report.

use std::fs::{self, File};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};

use crate::args::Args;
use crate::layout::Layout;
use crate::machine;
use crate::plan::{Step, plan};
use crate::progress::human_time;
use crate::report;
use crate::runner::{self, Outcome};
use crate::slurm;
use crate::suite::Suite;

/// Runs the suite as the arguments say, and gives the exit code.
pub fn run(args: &Args) -> Result<ExitCode> {
    let suite = read_suite(args)?;
    if args.list {
        for experiment in &suite.experiments {
            answer!("{:<28}{}", experiment.name, experiment.title);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let cores = machine::cores();
    let jobs = args.jobs.map_or(cores, usize::from);
    let mut layout = Layout::new(args.scale, args.out.as_deref(), args.runs.as_deref())?;
    layout.threads = (cores / jobs).max(1);
    if let Some(program) = &args.program {
        layout.program = std::path::absolute(program)?;
    }
    if let Some(name) = &args.task {
        return run_task(&suite, &mut layout, name);
    }
    let steps = plan(&suite, &layout, &args.only)?;
    if args.slurm {
        if !args.dry_run {
            layout.check_program()?;
        }
        let program = command_line(args, &layout)?;
        slurm::submit(&suite, &steps, &layout, &program, &args.slurm_options, args.dry_run)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.dry_run {
        print_plan(&steps, jobs);
        return Ok(ExitCode::SUCCESS);
    }
    layout.check_program()?;
    layout.create_folders(&suite)?;
    // Either folder may be shared with another reproduction that has another one for the rest.
    let _locks = [lock(&layout.runs, "lock")?, lock(&layout.out, ".lock")?];
    if args.report {
        write_report(&suite, &layout)?;
        return Ok(ExitCode::SUCCESS);
    }
    let stop = stop_on_interrupt()?;
    // Another reproduction may have had the locks until now.
    let steps = plan(&suite, &layout, &args.only)?;
    let outcome = runner::run(&suite, &steps, &layout, jobs, &stop)?;
    write_report(&suite, &layout)?;
    conclude(&outcome, steps.len())?;
    Ok(ExitCode::SUCCESS)
}

/// Runs one experiment as a task of a job array. Other tasks use the same folders at the same time, so the
/// lock of a whole reproduction is not taken; trainings have locks of their own.
fn run_task(suite: &Suite, layout: &mut Layout, name: &str) -> Result<ExitCode> {
    layout.threads = machine::allocated_cores();
    layout.check_program()?;
    layout.create_folders(suite)?;
    let steps = plan(suite, layout, &[name.to_owned()])?;
    if let Some(step) = steps.iter().find(|step| step.name != name && !step.done) {
        bail!("`{name}` depends on `{}`, which has not been run", step.name);
    }
    let stop = stop_on_interrupt()?;
    let outcome = runner::run(suite, &steps, layout, 1, &stop)?;
    if outcome.stopped {
        message!("stopped; the same task continues");
        return Ok(ExitCode::from(slurm::STOPPED));
    }
    conclude(&outcome, steps.len())?;
    Ok(ExitCode::SUCCESS)
}

/// The command line with which tasks start this program: the same folders, but nothing that says what to run.
fn command_line(args: &Args, layout: &Layout) -> Result<Vec<String>> {
    let text = |path: &Path| -> Result<String> {
        let path = std::path::absolute(path)?;
        Ok(path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))?.to_owned())
    };
    let this_program = std::env::current_exe().context("cannot find this program")?;
    let mut words = vec![text(&this_program)?, "--scale".into(), layout.scale.name().into()];
    let folders = [("--runs", Some(&layout.runs)), ("--out", args.out.as_ref())];
    for (flag, path) in folders.into_iter().chain([("--suite", args.suite.as_ref())]) {
        if let Some(path) = path {
            words.extend([flag.into(), text(path)?]);
        }
    }
    if args.program.is_some() {
        words.extend(["--program".into(), text(&layout.program)?]);
    }
    Ok(words)
}

/// Keeps other reproductions out of a folder.
fn lock(folder: &Path, name: &str) -> Result<File> {
    let path = folder.join(name);
    let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
    if file.try_lock().is_err() {
        bail!("another reproduction is running in {}: wait until it ends, or stop it", folder.display());
    }
    Ok(file)
}

/// The committed suite, or the file that the arguments name.
fn read_suite(args: &Args) -> Result<Suite> {
    let Some(path) = &args.suite else { return Suite::committed() };
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Suite::parse(&text).with_context(|| path.display().to_string())
}

/// A flag that the first Ctrl-C sets. The second one exits at once.
fn stop_on_interrupt() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}

fn write_report(suite: &Suite, layout: &Layout) -> Result<()> {
    report::write(suite, layout)?;
    answer!("{}\n{}", layout.out.join("report.html").display(), layout.out.join("REPORT.md").display());
    Ok(())
}

/// Prints how the experiments ended; failures and interruptions are errors.
fn conclude(outcome: &Outcome, planned: usize) -> Result<()> {
    for (name, reason) in &outcome.failed {
        message!("failed: {name}: {reason}");
    }
    for name in &outcome.skipped {
        message!("skipped: {name}");
    }
    if outcome.stopped {
        bail!("stopped; run the same command again to continue");
    }
    if !outcome.failed.is_empty() {
        bail!("{} of {planned} experiments failed", outcome.failed.len());
    }
    answer!("{} experiments run, {} were already done.", outcome.ran, planned - outcome.ran);
    Ok(())
}

/// Prints each step with its state or its estimated time.
fn print_plan(steps: &[Step], jobs: usize) {
    for step in steps {
        let state = if step.done { "done".to_owned() } else { human_time(step.estimate) };
        answer!("{:<28}{state:>12}", step.name);
    }
    let left: f64 = steps.iter().filter(|s| !s.done).map(|s| s.estimate).sum();
    let count = steps.iter().filter(|s| !s.done).count();
    let time = human_time(left / jobs as f64);
    answer!("{count} of {} to run, about {time} with {jobs} at a time", steps.len());
}

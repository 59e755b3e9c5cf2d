//! Runs the suite on a cluster with Slurm: every experiment is a task of a job array, and the report is the
//! last job. Results, runs and scripts are in folders that all nodes share.

mod groups;
mod options;
mod queue;
mod script;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

pub use options::Options;
pub use script::STOPPED;

use crate::layout::{Layout, write_file};
use crate::plan::Step;
use crate::suite::Suite;
use groups::{After, Group, groups, ranges};
use script::quoted;

/// Submits what is neither done nor queued, and then the report. With `dry_run`, the scripts are printed and
/// nothing else happens. `program` is the command line of the suite, without what to run.
pub fn submit(
    suite: &Suite,
    steps: &[Step],
    layout: &Layout,
    program: &[String],
    options: &Options,
    dry_run: bool,
) -> Result<()> {
    let folder = queue::folder(&layout.runs);
    let queued = if dry_run && !folder.exists() { Default::default() } else { queue::queued(&layout.runs)? };
    let groups = groups(suite, steps, &queued);
    let (done, waiting) = (steps.iter().filter(|step| step.done).count(), queued.len());
    let count: usize = groups.iter().map(|group| group.tasks.len()).sum();
    message!("{done} of {} experiments are done, {waiting} are queued, {count} are submitted", steps.len());
    if count == 0 {
        return Ok(());
    }
    if !dry_run {
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    }
    let mut jobs: Vec<u64> = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let text = array_script(group, &folder, program, options);
        if dry_run {
            print_script(&arguments(&group.after, |group| format!("JOB{group}")), &text);
            continue;
        }
        let job = queue::submit(&text, &arguments(&group.after, |group| jobs[group].to_string()))
            .with_context(|| format!("the array of {}", names(group)))?;
        queue::remember(&layout.runs, job, &group.tasks)?;
        write_file(&folder.join(format!("{job}.sh")), text.as_bytes())?;
        answer!("job {job}: {} experiments ({})", group.tasks.len(), ranges(group.tasks.keys().copied()));
        debug_assert_eq!(number, jobs.len());
        jobs.push(job);
    }
    let log = folder.join("report.log");
    let text = script::report(&log, program, options);
    let ids: Vec<String> = match dry_run {
        true => (0..groups.len()).map(|group| format!("JOB{group}")).collect(),
        false => {
            let earlier = queued.values().map(|at| at.job);
            let all: std::collections::BTreeSet<u64> = jobs.iter().copied().chain(earlier).collect();
            all.iter().map(u64::to_string).collect()
        }
    };
    let after = vec![format!("--dependency=afterany:{}", ids.join(":"))];
    if dry_run {
        print_script(&after, &text);
        return Ok(());
    }
    answer!("job {}: the report", queue::submit(&text, &after).context("the report")?);
    Ok(())
}

fn array_script(group: &Group, folder: &Path, program: &[String], options: &Options) -> String {
    let indices = ranges(group.tasks.keys().copied());
    script::array(group, &indices, &folder.join("%A_%a.log"), program, options)
}

/// The arguments of sbatch that say what an array waits for.
fn arguments(after: &After, job: impl Fn(usize) -> String) -> Vec<String> {
    let dependency = match after {
        After::Nothing => return Vec::new(),
        After::Group(group) => format!("aftercorr:{}", job(*group)),
        After::Task(at) => format!("afterok:{}_{}", at.job, at.index),
    };
    // Without its dependency an experiment cannot run, so it need not wait for ever.
    vec![format!("--dependency={dependency}"), "--kill-on-invalid-dep=yes".into()]
}

fn print_script(arguments: &[String], text: &str) {
    let words: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
    answer!("$ sbatch --parsable {}\n{text}", words.join(" "));
}

fn names(group: &Group) -> String {
    group.tasks.values().cloned().collect::<Vec<String>>().join(", ")
}

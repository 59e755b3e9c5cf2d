//! Runs experiments in parallel. Dependencies run first, a failure does not stop experiments that do not
//! depend on it, and all jobs stop together when the user interrupts.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use indicatif::ProgressBar;

use crate::job::{Halt, Job};
use crate::layout::Layout;
use crate::plan::Step;
use crate::progress::{Progress, human_time, set_fraction};
use crate::suite::{Experiment, Suite};

/// How the experiments ended.
#[derive(Default)]
pub struct Outcome {
    /// How many were run successfully.
    pub ran: usize,
    /// Names and reasons of those that failed.
    pub failed: Vec<(String, String)>,
    /// Those that were not started because a dependency failed.
    pub skipped: Vec<String>,
    /// Whether the user stopped the run.
    pub stopped: bool,
}

impl Outcome {
    /// Whether an experiment failed or was skipped, so that others cannot depend on it.
    fn is_lost(&self, name: &str) -> bool {
        self.failed.iter().any(|(failed, _)| failed == name) || self.skipped.iter().any(|s| s == name)
    }
}

/// An experiment at work.
struct Running {
    bar: ProgressBar,
    start: Instant,
    estimate: f64,
}

/// The state of all experiments.
struct Runner<'a> {
    suite: &'a Suite,
    layout: &'a Layout,
    stop: &'a AtomicBool,
    progress: Progress,
    waiting: Vec<(&'a Step, &'a Experiment)>,
    running: BTreeMap<&'a str, Running>,
    done: BTreeSet<&'a str>,
    outcome: Outcome,
}

/// The completed fraction of each running experiment, by name.
type Fractions = Mutex<BTreeMap<String, f64>>;

/// Runs all steps that are not done, `jobs` at a time.
pub fn run(
    suite: &Suite,
    steps: &[Step],
    layout: &Layout,
    jobs: usize,
    stop: &AtomicBool,
) -> Result<Outcome> {
    let waiting = steps.iter().filter(|step| !step.done);
    let mut runner = Runner {
        suite,
        layout,
        stop,
        progress: Progress::new()?,
        waiting: waiting.filter_map(|step| Some((step, suite.experiment(&step.name)?))).collect(),
        running: BTreeMap::new(),
        done: steps.iter().filter(|step| step.done).map(|step| step.name.as_str()).collect(),
        outcome: Outcome::default(),
    };
    if !runner.done.is_empty() {
        runner.progress.print(&format!("{} of {} done already", runner.done.len(), steps.len()));
    }
    let total: f64 = steps.iter().filter(|step| !step.done).map(|step| step.estimate).sum();
    let mut finished = 0.0;
    let fractions = Fractions::default();
    let (send, receive) = channel();
    std::thread::scope(|scope| -> Result<()> {
        loop {
            while runner.running.len() < jobs && !stop.load(Ordering::Relaxed) {
                let Some((step, experiment)) = runner.next_ready() else { break };
                runner.start(scope, step, experiment, &fractions, send.clone())?;
            }
            if runner.running.is_empty() {
                return Ok(());
            }
            if let Ok((step, result)) = receive.recv_timeout(Duration::from_millis(500)) {
                finished += runner.finish(step, result);
            }
            let partly = runner.partly_done(&fractions);
            let fraction = ((finished + partly) / total.max(1e-9)).min(1.0);
            let left = (total - finished - partly) / jobs as f64;
            runner.progress.update_total(runner.done.len(), steps.len(), fraction, left);
        }
    })?;
    runner.progress.close();
    runner.outcome.stopped |= stop.load(Ordering::Relaxed);
    Ok(runner.outcome)
}

impl<'a> Runner<'a> {
    /// Takes the first waiting experiment whose dependency is done. Those whose dependency is lost are
    /// skipped.
    fn next_ready(&mut self) -> Option<(&'a Step, &'a Experiment)> {
        let mut at = 0;
        while let Some((step, experiment)) = self.waiting.get(at).copied() {
            match experiment.task.dependency() {
                Some(needed) if self.outcome.is_lost(needed) => {
                    self.progress.print(&format!("{}: skipped, because it depends on {needed}", step.name));
                    self.outcome.skipped.push(step.name.clone());
                    self.waiting.remove(at);
                }
                Some(needed) if !self.done.contains(needed) => at += 1,
                _ => return Some(self.waiting.remove(at)),
            }
        }
        None
    }

    /// Starts a job on a thread of its own. The thread sends its result when it ends.
    fn start<'scope>(
        &mut self,
        scope: &'scope Scope<'scope, '_>,
        step: &'a Step,
        experiment: &'a Experiment,
        fractions: &'scope Fractions,
        send: Sender<(&'a Step, Result<(), Halt>)>,
    ) -> Result<()>
    where
        'a: 'scope,
    {
        let bar = self.progress.start(&step.name, step.estimate)?;
        let running = Running { bar: bar.clone(), start: Instant::now(), estimate: step.estimate };
        self.running.insert(&step.name, running);
        let (suite, layout, stop) = (self.suite, self.layout, self.stop);
        scope.spawn(move || {
            let progress = |fraction: f64| {
                set_fraction(&bar, fraction);
                let mut fractions = fractions.lock().unwrap_or_else(PoisonError::into_inner);
                fractions.insert(step.name.clone(), fraction);
            };
            let job = Job { suite, experiment, step, layout, stop, progress: &progress };
            let result = catch_unwind(AssertUnwindSafe(|| job.run())).unwrap_or_else(|_| {
                Err(Halt::Failed(anyhow!("the suite itself panicked: see the message above")))
            });
            // The receiver lives until all jobs have ended.
            send.send((step, result)).ok();
        });
        Ok(())
    }

    /// Notes how a job ended. Gives the estimated seconds of work that it completed.
    fn finish(&mut self, step: &'a Step, result: Result<(), Halt>) -> f64 {
        let Some(Running { bar, start, estimate }) = self.running.remove(step.name.as_str()) else {
            return 0.0;
        };
        let name = &step.name;
        match result {
            Ok(()) => {
                self.done.insert(name);
                self.outcome.ran += 1;
                let time = human_time(start.elapsed().as_secs_f64());
                self.progress.finish(&bar, &format!("{name}: done in {time}"));
                estimate
            }
            Err(Halt::Stopped) => {
                self.outcome.stopped = true;
                self.progress.finish(&bar, &format!("{name}: stopped"));
                0.0
            }
            Err(Halt::Failed(error)) => {
                self.progress.finish(&bar, &format!("{name}: FAILED: {error:#}"));
                self.outcome.failed.push((name.clone(), format!("{error:#}")));
                0.0
            }
        }
    }

    /// Estimated seconds of work that running experiments have completed.
    fn partly_done(&self, fractions: &Fractions) -> f64 {
        let fractions = fractions.lock().unwrap_or_else(PoisonError::into_inner);
        let done = |(name, running): (&&str, &Running)| {
            running.estimate * fractions.get(*name).copied().unwrap_or(0.0)
        };
        self.running.iter().map(done).sum()
    }
}

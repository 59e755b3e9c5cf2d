//! Runs experiments side by side: what is needed first comes first, one that fails does not stop the others, and all stop
//! together when the user says so.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::reproduce::job::{Halt, Job};
use crate::reproduce::overview::{Overview, set, time};
use crate::reproduce::place::Place;
use crate::reproduce::plan::Step;
use crate::reproduce::suite::{Experiment, Suite};

/// How it ended.
#[derive(Default)]
pub struct Outcome {
    pub ran: usize,
    pub failed: Vec<(String, String)>,
    /// Not started, because something that they need failed.
    pub skipped: Vec<String>,
    pub stopped: bool,
}

/// Runs all steps that are not done, `jobs` at a time.
pub fn run(suite: &Suite, steps: &[Step], place: &Place, jobs: usize, stop: &AtomicBool) -> Result<Outcome> {
    let overview = Overview::new()?;
    let experiments: Vec<(&Step, &Experiment)> =
        steps.iter().filter_map(|step| Some((step, suite.get(&step.name)?))).collect();
    let mut done: BTreeSet<&str> = steps.iter().filter(|s| s.done).map(|s| s.name.as_str()).collect();
    let already: f64 = steps.iter().filter(|s| s.done).count() as f64;
    let all: f64 = steps.iter().filter(|s| !s.done).map(|s| s.estimate).sum();
    let mut waiting: Vec<(&Step, &Experiment)> =
        experiments.iter().copied().filter(|(step, _)| !step.done).collect();
    let mut outcome = Outcome::default();
    if already > 0.0 {
        overview.say(&format!("{already} of {} done already", steps.len()));
    }
    // Shares of those at work, for the line that counts all.
    let shares: Mutex<BTreeMap<String, f64>> = Mutex::new(BTreeMap::new());
    let (send, receive) = channel();
    std::thread::scope(|scope| -> Result<()> {
        let (mut running, mut finished) = (BTreeMap::new(), 0.0);
        loop {
            let mut at = 0;
            while at < waiting.len() && running.len() < jobs && !stop.load(Ordering::Relaxed) {
                let (step, experiment) = waiting[at];
                let needed = experiment.task.needs();
                let lost = needed.is_some_and(|n| {
                    outcome.failed.iter().any(|f| f.0 == n) || outcome.skipped.iter().any(|s| s == n)
                });
                if lost {
                    overview.say(&format!(
                        "{}: left out, for it needs {}",
                        step.name,
                        needed.unwrap_or_default()
                    ));
                    outcome.skipped.push(step.name.clone());
                    waiting.remove(at);
                    continue;
                }
                if needed.is_some_and(|n| !done.contains(n)) {
                    at += 1;
                    continue;
                }
                waiting.remove(at);
                let bar = overview.begin(&step.name, step.estimate)?;
                running.insert(step.name.clone(), (bar.clone(), Instant::now(), step.estimate));
                let (send, shares) = (send.clone(), &shares);
                scope.spawn(move || {
                    let progress = |share: f64| {
                        set(&bar, share);
                        shares
                            .lock()
                            .unwrap_or_else(std::sync::PoisonError::into_inner)
                            .insert(step.name.clone(), share);
                    };
                    let job = Job { suite, experiment, step, place, stop, progress: &progress };
                    let run = std::panic::AssertUnwindSafe(|| job.run());
                    let result = std::panic::catch_unwind(run).unwrap_or_else(|_| {
                        Err(Halt::Failed(anyhow::anyhow!("the reproduction itself panicked: see above")))
                    });
                    // The receiver lives until all are done.
                    send.send((step, result)).ok();
                });
            }
            if running.is_empty() {
                return Ok(());
            }
            if let Ok((step, result)) = receive.recv_timeout(Duration::from_millis(500)) {
                let Some((bar, start, estimate)) = running.remove(&step.name) else { continue };
                let took = time(start.elapsed().as_secs_f64());
                match result {
                    Ok(()) => {
                        done.insert(&step.name);
                        finished += estimate;
                        outcome.ran += 1;
                        overview.end(&bar, &format!("{}: done in {took}", step.name));
                    }
                    Err(Halt::Stopped) => {
                        outcome.stopped = true;
                        overview.end(&bar, &format!("{}: stopped; the same command goes on", step.name));
                    }
                    Err(Halt::Failed(error)) => {
                        overview.end(&bar, &format!("{}: FAILED: {error:#}", step.name));
                        outcome.failed.push((step.name.clone(), format!("{error:#}")));
                    }
                }
            }
            let shares = shares.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let partly: f64 =
                running.iter().map(|(name, (_, _, e))| e * shares.get(name).copied().unwrap_or(0.0)).sum();
            let share = ((finished + partly) / all.max(1e-9)).min(1.0);
            overview.total(done.len(), steps.len(), share, (all - finished - partly) / jobs as f64);
        }
    })?;
    overview.close();
    outcome.stopped |= stop.load(Ordering::Relaxed);
    Ok(outcome)
}

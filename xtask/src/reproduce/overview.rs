//! What the user sees while experiments run: a line for each that is at work, and one for all. Where there is no terminal,
//! only beginnings and ends are told.

use std::time::Duration;

use anyhow::Result;
use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressStyle};

/// Steps of a bar: shares are told in thousandths.
const FINE: u64 = 1000;

pub struct Overview {
    bars: MultiProgress,
    all: ProgressBar,
    hidden: bool,
}

impl Overview {
    pub fn new() -> Result<Self> {
        let bars = MultiProgress::new();
        let all = bars.add(ProgressBar::new(FINE));
        all.set_style(ProgressStyle::with_template("{msg} [{bar:30}] {percent} %, {elapsed_precise}")?);
        all.enable_steady_tick(Duration::from_secs(1));
        let hidden = all.is_hidden();
        Ok(Self { bars, all, hidden })
    }

    /// A line for an experiment that begins.
    pub fn begin(&self, name: &str, estimate: f64) -> Result<ProgressBar> {
        let bar = self.bars.insert_before(&self.all, ProgressBar::new(FINE));
        bar.set_style(ProgressStyle::with_template(
            "  {msg:<26} [{bar:30}] {percent:>3} %, {elapsed_precise}, {eta} left",
        )?);
        bar.set_message(name.to_owned());
        bar.enable_steady_tick(Duration::from_secs(1));
        if self.hidden {
            eprintln!("{name}: begins, about {}", time(estimate));
        }
        Ok(bar)
    }

    /// Takes the line away and says how it went.
    pub fn end(&self, bar: &ProgressBar, line: &str) {
        bar.finish_and_clear();
        self.say(line);
    }

    pub fn say(&self, line: &str) {
        if self.hidden {
            eprintln!("{line}");
        } else {
            self.bars.println(line).ok();
        }
    }

    /// The line for all: how many are done, the share of the work, and what is left.
    pub fn total(&self, done: usize, of: usize, share: f64, left: f64) {
        self.all.set_position((share * FINE as f64) as u64);
        self.all.set_message(format!("{done} of {of} experiments, about {} left", time(left)));
    }

    pub fn close(&self) {
        self.all.finish_and_clear();
    }
}

/// Tells a bar the share that is done.
pub fn set(bar: &ProgressBar, share: f64) {
    bar.set_position((share.clamp(0.0, 1.0) * FINE as f64) as u64);
}

/// Seconds for people.
pub fn time(seconds: f64) -> String {
    HumanDuration(Duration::from_secs_f64(seconds.max(0.0))).to_string()
}

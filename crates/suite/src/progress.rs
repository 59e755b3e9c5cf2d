//! What the user sees while experiments run: one progress bar per running experiment and one for the whole
//! suite. Without a terminal, only the start and the end of each experiment are printed.

use std::time::Duration;

use anyhow::Result;
use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressStyle};

/// The length of a progress bar: fractions are shown in thousandths.
const LENGTH: u64 = 1000;

/// All progress bars.
pub struct Progress {
    bars: MultiProgress,
    total: ProgressBar,
    hidden: bool,
}

impl Progress {
    /// Shows the bar of the whole suite.
    pub fn new() -> Result<Self> {
        let bars = MultiProgress::new();
        let total = bars.add(ProgressBar::new(LENGTH));
        total.set_style(ProgressStyle::with_template("{msg} [{bar:30}] {percent} %, {elapsed_precise}")?);
        total.enable_steady_tick(Duration::from_secs(1));
        let hidden = total.is_hidden();
        Ok(Self { bars, total, hidden })
    }

    /// Adds a bar for an experiment that starts.
    pub fn start(&self, name: &str, estimate: f64) -> Result<ProgressBar> {
        let bar = self.bars.insert_before(&self.total, ProgressBar::new(LENGTH));
        bar.set_style(ProgressStyle::with_template(
            "  {msg:<26} [{bar:30}] {percent:>3} %, {elapsed_precise}, {eta} left",
        )?);
        bar.set_message(name.to_owned());
        bar.enable_steady_tick(Duration::from_secs(1));
        if self.hidden {
            message!("{name}: started, about {}", human_time(estimate));
        }
        Ok(bar)
    }

    /// Removes the bar of an experiment and prints how it ended.
    pub fn finish(&self, bar: &ProgressBar, message: &str) {
        bar.finish_and_clear();
        self.print(message);
    }

    /// Prints a line above the bars.
    pub fn print(&self, message: &str) {
        if self.hidden {
            message!("{message}");
        } else {
            self.bars.println(message).ok();
        }
    }

    /// Updates the bar of the whole suite: `done` of `all` experiments, a fraction of the work, and the
    /// seconds left.
    pub fn update_total(&self, done: usize, all: usize, fraction: f64, seconds_left: f64) {
        set_fraction(&self.total, fraction);
        self.total
            .set_message(format!("{done} of {all} experiments, about {} left", human_time(seconds_left)));
    }

    /// Removes the bar of the whole suite.
    pub fn close(&self) {
        self.total.finish_and_clear();
    }
}

/// Sets a bar to a fraction between 0 and 1.
pub fn set_fraction(bar: &ProgressBar, fraction: f64) {
    bar.set_position((fraction.clamp(0.0, 1.0) * LENGTH as f64) as u64);
}

/// A duration in words.
pub fn human_time(seconds: f64) -> String {
    HumanDuration(Duration::from_secs_f64(seconds.max(0.0))).to_string()
}

//! A progress bar for work that takes longer than two seconds, if standard error is a terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How long the work takes before the bar appears.
const DELAY: Duration = Duration::from_secs(2);

/// A progress bar that is removed when it is dropped.
pub struct Progress {
    start: Instant,
    total: u64,
    label: &'static str,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// `label` names the work; `total` is the number of units of work.
    pub fn new(label: &'static str, total: usize) -> Self {
        Self { start: Instant::now(), total: total as u64, label, bar: None }
    }

    /// Sets how many units of work are done. The bar appears after two seconds.
    pub fn set(&mut self, done: usize) {
        if self.bar.is_none() && self.start.elapsed() > DELAY {
            let style = ProgressStyle::with_template("{msg} [{bar:40}] {human_pos}/{human_len}, {eta} left");
            let bar =
                ProgressBar::new(self.total).with_message(self.label).with_elapsed(self.start.elapsed());
            self.bar = Some(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

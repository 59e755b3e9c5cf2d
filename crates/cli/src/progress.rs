//! A progress bar for what takes longer than two seconds; silent when nobody is watching.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

const DELAY: Duration = Duration::from_secs(2);

pub struct Progress {
    start: Instant,
    total: u64,
    what: &'static str,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub fn new(what: &'static str, total: usize) -> Self {
        Self { start: Instant::now(), total: total as u64, what, bar: None }
    }

    /// Tells how much is done. The bar appears (on standard error, if it is a terminal) after two seconds.
    pub fn set(&mut self, done: usize) {
        if self.bar.is_none() && self.start.elapsed() > DELAY {
            let style = ProgressStyle::with_template("{msg} [{bar:40}] {human_pos}/{human_len}, {eta} left");
            let bar = ProgressBar::new(self.total).with_message(self.what).with_elapsed(self.start.elapsed());
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

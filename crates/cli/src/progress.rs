//! The progress of work that takes longer than two seconds, on standard error: a bar on a terminal, a line
//! from time to time otherwise.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use crate::message::message;

/// How long the work takes before anything is shown.
const DELAY: Duration = Duration::from_secs(2);
/// The time between two lines.
const PAUSE: Duration = Duration::from_secs(10);

/// The progress of some work. A bar is removed when this is dropped, so that it never stands beside the next.
pub struct Progress {
    start: Instant,
    total: usize,
    label: &'static str,
    shown: Option<Shown>,
}

/// How progress is shown.
enum Shown {
    Bar(ProgressBar),
    /// When the last line was printed.
    Lines(Instant),
}

impl Progress {
    /// `label` names the work; `total` is the number of units of work.
    pub fn new(label: &'static str, total: usize) -> Self {
        Self { start: Instant::now(), total, label, shown: None }
    }

    /// The same for a part of long work. Without a terminal, its beginning is worth a line.
    pub fn phase(label: &'static str, total: usize) -> Self {
        let mut progress = Self::new(label, total);
        if !stderr().is_terminal() {
            progress.line(0);
        }
        progress
    }

    /// Sets how many units of work are done.
    pub fn set(&mut self, done: usize) {
        match &mut self.shown {
            None if self.start.elapsed() <= DELAY => {}
            None if stderr().is_terminal() => {
                // The bar's own estimate begins now and knows nothing of the work before.
                let template = "{msg} [{bar:40}] {human_pos}/{human_len}, {prefix} left";
                let style = ProgressStyle::with_template(template);
                let bar = ProgressBar::new(self.total as u64).with_message(self.label);
                let bar = bar.with_elapsed(self.start.elapsed());
                bar.set_position(done as u64);
                bar.set_prefix(left(self.start.elapsed(), done, self.total));
                let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
                self.shown = Some(Shown::Bar(bar.with_style(style)));
            }
            None => self.line(done),
            Some(Shown::Bar(bar)) => {
                bar.set_prefix(left(self.start.elapsed(), done, self.total));
                bar.set_position(done as u64);
            }
            Some(Shown::Lines(last)) if last.elapsed() > PAUSE => self.line(done),
            Some(Shown::Lines(_)) => {}
        }
    }

    fn line(&mut self, done: usize) {
        message(format_args!("{}: {done} of {}", self.label, self.total));
        self.shown = Some(Shown::Lines(Instant::now()));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(Shown::Bar(bar)) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

/// How long the rest of the work takes at the speed so far.
fn left(elapsed: Duration, done: usize, total: usize) -> String {
    if done == 0 {
        return "unknown time".to_owned();
    }
    let rest = elapsed.mul_f64(total.saturating_sub(done) as f64 / done as f64);
    // A bar that says "0 seconds" would be wrong until the work is done.
    format!("{:#}", HumanDuration(rest.max(Duration::from_secs(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_the_speed_so_far() {
        let seconds = Duration::from_secs;
        assert_eq!(left(seconds(2), 0, 300), "unknown time");
        assert_eq!(left(seconds(2), 50, 300), "10s");
        assert_eq!(left(seconds(60), 10, 40), "3m");
        assert_eq!(left(seconds(60), 299, 300), "1s");
    }
}

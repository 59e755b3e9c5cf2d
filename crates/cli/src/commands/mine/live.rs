//! The front while it is searched for: a few lines on a terminal, a line from time to time otherwise.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use logicvae_mine::MinedFormula;

use crate::message::message;

/// Nothing is shown before this time is over.
const DELAY: Duration = Duration::from_millis(500);
/// The time between two lines without a terminal.
const PAUSE: Duration = Duration::from_secs(5);
/// The number of formulae that are shown.
const SHOWN: usize = 8;

pub struct Live {
    start: Instant,
    limit: f64,
    last: Option<Instant>,
    lines: Option<(MultiProgress, Vec<ProgressBar>)>,
}

impl Live {
    pub fn new(limit: f64) -> Self {
        Self { start: Instant::now(), limit, last: None, lines: None }
    }

    /// Shows the formulae with the fewest errors so far.
    pub fn show(&mut self, formulae: &[MinedFormula]) {
        if self.start.elapsed() < DELAY {
            return;
        }
        let front: Vec<&MinedFormula> = formulae.iter().filter(|formula| formula.front).collect();
        if !stderr().is_terminal() {
            if self.start.elapsed() > 4 * DELAY && self.last.is_none_or(|last| last.elapsed() > PAUSE) {
                self.last = Some(Instant::now());
                if let Some(best) = front.iter().min_by(|a, b| a.bits.total_cmp(&b.bits)) {
                    message(format_args!(
                        "best so far: {} errors, size {}: {}",
                        best.errors, best.size, best.formula
                    ));
                }
            }
            return;
        }
        let (_, lines) = self.lines.get_or_insert_with(|| {
            let all = MultiProgress::new();
            let style =
                ProgressStyle::with_template("{wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
            let line = |_| all.add(ProgressBar::new(1).with_style(style.clone()));
            let lines = (0..=SHOWN).map(line).collect();
            (all, lines)
        });
        let (elapsed, limit) = (self.start.elapsed().as_secs_f64(), self.limit);
        lines[0].set_message(format!("{elapsed:.1} of at most {limit} s; Ctrl-C shows the result so far"));
        let first = front.len().saturating_sub(SHOWN);
        for (line, formula) in lines[1..].iter().zip(&front[first..]) {
            line.set_message(format!(
                "{:>4} {:>7} errors  {}",
                formula.size, formula.errors, formula.formula
            ));
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some((all, lines)) = &self.lines {
            lines.iter().for_each(ProgressBar::finish_and_clear);
            all.clear().ok();
        }
    }
}

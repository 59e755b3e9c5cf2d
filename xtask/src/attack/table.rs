//! The figures of an attack, as a table in a Markdown file.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::bench::Verdict;

/// What one kind of attack led to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    pub what: String,
    pub attempts: usize,
    /// An error with a message, and nothing changed.
    pub refused: usize,
    /// The same result as without the attack.
    pub unharmed: usize,
    pub silent: usize,
    pub panics: usize,
    pub aborts: usize,
    pub lost: usize,
    /// What went wrong, in words.
    pub notes: Vec<String>,
}

impl Row {
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), ..Self::default() }
    }

    pub fn count(&mut self, verdict: Verdict, note: impl FnOnce() -> String) {
        self.attempts += 1;
        match verdict {
            Verdict::Refused => self.refused += 1,
            Verdict::Unharmed => self.unharmed += 1,
            Verdict::Silent => self.silent += 1,
            Verdict::Panic => self.panics += 1,
            Verdict::Abort => self.aborts += 1,
            Verdict::Lost => self.lost += 1,
        }
        if self.silent + self.panics + self.aborts + self.lost > self.notes.len() {
            self.notes.push(format!("{verdict:?}: {}", note()));
        }
    }

    /// The figures of several parts of one kind.
    pub fn add(&mut self, other: Row) {
        self.attempts += other.attempts;
        self.refused += other.refused;
        self.unharmed += other.unharmed;
        self.silent += other.silent;
        self.panics += other.panics;
        self.aborts += other.aborts;
        self.lost += other.lost;
        self.notes.extend(other.notes);
    }

    pub fn is_bad(&self) -> bool {
        self.silent + self.panics + self.aborts + self.lost > 0
    }
}

pub fn markdown(rows: &[Row]) -> String {
    let mut text =
        "| attack | attempts | refused with a message | answered | silent changes | panics | aborts \
                    | losses |\n|---|--:|--:|--:|--:|--:|--:|--:|\n"
            .to_owned();
    let mut all = Row::new("**all**");
    for row in rows {
        text += &line(row);
        all.add(row.clone());
    }
    text + &line(&all)
}

fn line(row: &Row) -> String {
    let Row { what, attempts, refused, unharmed, silent, panics, aborts, lost, .. } = row;
    format!("| {what} | {attempts} | {refused} | {unharmed} | {silent} | {panics} | {aborts} | {lost} |\n")
}

/// Replaces the part of a file between the comments `<!-- NAME: begin -->` and `<!-- NAME: end -->`.
pub fn write(path: &Path, name: &str, text: &str) -> Result<()> {
    let old = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let (begin, end) = (format!("<!-- {name}: begin -->\n"), format!("<!-- {name}: end -->"));
    let (before, rest) =
        old.split_once(&begin).with_context(|| format!("{} lacks {begin}", path.display()))?;
    let (_, after) = rest.split_once(&end).with_context(|| format!("{} lacks {end}", path.display()))?;
    fs::write(path, format!("{before}{begin}{text}{end}{after}")).context("cannot write the figures")
}

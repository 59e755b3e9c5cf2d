//! The report as Markdown.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::Options;

const INTRODUCTION: &str = "\
# Mining compared with other tools

Written by `cargo xtask bench mine`, section by section. The tools: STreeD (optimal trees of depth 4),
RIPPER (wittgenstein), espresso (pyeda), a random forest of 100 trees and logistic regression
(scikit-learn), and gplearn (500 programs, 20 generations, with and, or, xor, not), which is left out
where there are hundreds of tables. The public tables are nine of PMLB's, with a quarter of the rows held
out. Both sides run in turn on the same rows.

How much a bit of the formula counts in our score, by the number of rows and of columns, and that parts of the
same form are described once, was chosen with the same public tables, in the end with other flipped labels
and other subsets of their rows, and with other random formulae than those below. So ours has an advantage
with the public tables. Complete tables played no part in it.
";

/// The sections in the order of the report.
pub const TITLES: [&str; 8] = [
    "Complete tables",
    "Public tables, clean labels",
    "Flipped labels",
    "Few rows",
    "Random formulae over some of 20 columns",
    "What each engine contributes",
    "Large tables",
    "Speed of the search",
];

pub struct Section {
    title: String,
    text: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

impl Section {
    pub fn new(title: &str, text: String, header: &[&str]) -> Self {
        let header = header.iter().map(|name| (*name).to_owned()).collect();
        Self { title: title.into(), text, header, rows: Vec::new(), notes: Vec::new() }
    }

    pub fn row(&mut self, cells: impl Into<Vec<String>>) {
        self.rows.push(cells.into());
    }

    pub fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let mut out = format!("## {}\n\n{}\n\n{}|---|", self.title, self.text, line(&self.header));
        out += &"--:|".repeat(self.header.len() - 1);
        out.push('\n');
        self.rows.iter().for_each(|row| out += &line(row));
        if !self.notes.is_empty() {
            out += "\n";
            self.notes.iter().for_each(|note| out += &format!("- {note}\n"));
        }
        out
    }
}

/// The report: sections in a fixed order. Those that are not measured again stay as they are.
pub struct Report {
    file: PathBuf,
    sections: Vec<String>,
}

impl Report {
    /// The report in a file, which need not exist yet.
    pub fn open(file: PathBuf) -> Self {
        let old = std::fs::read_to_string(&file).unwrap_or_default();
        let sections = old.split("\n## ").skip(1).map(|section| format!("## {}\n", section.trim_end()));
        Self { sections: sections.collect(), file }
    }

    /// Replaces a section, or adds it, and writes the file.
    pub fn add(&mut self, section: &Section) -> Result<()> {
        let heading = format!("## {}\n", section.title);
        self.sections.retain(|old| !old.starts_with(&heading));
        self.sections.push(section.markdown());
        let place =
            |section: &String| TITLES.iter().position(|title| section.starts_with(&format!("## {title}\n")));
        self.sections.retain(|section| place(section).is_some());
        self.sections.sort_by_key(place);
        std::fs::write(&self.file, self.text())
            .with_context(|| format!("cannot write {}", self.file.display()))
    }

    fn text(&self) -> String {
        format!("{INTRODUCTION}\n{}", self.sections.join("\n"))
    }
}

/// The limits of a section, as a sentence.
pub fn limits(options: &Options, tables: &str) -> String {
    format!("Ours has at most {} s for a table; {tables}.", options.seconds)
}

/// The mean; 0 without values.
pub fn mean(list: &[f64]) -> f64 {
    if list.is_empty() { 0.0 } else { list.iter().sum::<f64>() / list.len() as f64 }
}

//! The report as Markdown.

use super::Options;

pub struct Section {
    title: String,
    text: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

impl Section {
    pub fn new(title: &str, text: &str, header: &[&str]) -> Self {
        let header = header.iter().map(|name| (*name).to_owned()).collect();
        Self { title: title.into(), text: text.into(), header, rows: Vec::new(), notes: Vec::new() }
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
            out += "\nThe formulae:\n\n";
            self.notes.iter().for_each(|note| out += &format!("- {note}\n"));
        }
        out + "\n"
    }
}

pub struct Report {
    text: String,
}

impl Report {
    pub fn new(options: &Options) -> Self {
        let text = format!(
            "# Mining compared with other tools\n\n\
             Written by `cargo xtask bench mine`. Ours has at most {} s for a table; {} seeds. The tools: \
             STreeD (optimal trees of depth 4), RIPPER (wittgenstein), espresso (pyeda), gplearn (500 \
             programs, 20 generations, with and, or, xor, not), a random forest of 100 trees and \
             logistic regression (scikit-learn).\n\n",
            options.seconds, options.seeds
        );
        Self { text }
    }

    pub fn add(&mut self, section: Section) {
        self.text += &section.markdown();
    }

    pub fn finish(self) -> String {
        self.text
    }
}

/// The mean; 0 without values.
pub fn mean(list: &[f64]) -> f64 {
    if list.is_empty() { 0.0 } else { list.iter().sum::<f64>() / list.len() as f64 }
}

//! Mining compared with other tools: exact recovery, public tables, noise, few rows, many columns, and what
//! each engine contributes. Writes `results/mining.md`.

mod ablation;
mod complete;
mod peers;
mod report;
mod scale;
mod speed;
mod synthetic;
mod tasks;

use std::path::{Path, PathBuf};

use anyhow::Result;
use logicvae_logic::Budget;
use logicvae_mine::{Engines, Feature, MineOptions, MinedFormula, RowCounter, Table, Test, mine};

use report::Report;
use tasks::Task;

/// What to run.
pub struct Options {
    pub python: PathBuf,
    /// The folder with the public tables.
    pub data: Option<PathBuf>,
    /// The number of seeds for noise and for few rows.
    pub seeds: u64,
    /// The largest number of seconds for one table.
    pub seconds: f64,
    /// The sections to run: those of [`SECTIONS`].
    pub sections: Vec<String>,
}

/// The sections of the comparison.
const SECTIONS: [&str; 8] = ["complete", "public", "noise", "few", "synthetic", "ablation", "scale", "speed"];

/// Runs the comparison. Each section is written to the report as soon as it is measured.
pub fn run(options: &Options) -> Result<()> {
    for section in &options.sections {
        anyhow::ensure!(
            SECTIONS.contains(&section.as_str()),
            "`{section}` is not one of {}",
            SECTIONS.join(", ")
        );
    }
    let runs = |section: &str| options.sections.is_empty() || options.sections.iter().any(|s| s == section);
    let mut report = Report::open(target());
    if runs("complete") {
        report.add(&complete::run(500)?)?;
    }
    if runs("speed") {
        report.add(&speed::run(options)?)?;
    }
    if runs("scale") {
        report.add(&scale::run(options)?)?;
    }
    let mut peers = peers::Peers::start(&options.python)?;
    if let Some(folder) = &options.data {
        let sets = tasks::public(folder, &mut peers)?;
        if runs("public") {
            report.add(&tasks::clean(&sets, &mut peers, options)?)?;
        }
        if runs("noise") {
            report.add(&tasks::noise(&sets, &mut peers, options)?)?;
        }
        if runs("few") {
            report.add(&tasks::few_rows(&sets, &mut peers, options)?)?;
        }
        if runs("ablation") {
            report.add(&ablation::run(&sets, options)?)?;
        }
    }
    if runs("synthetic") {
        report.add(&synthetic::run(&mut peers, options)?)?;
    }
    Ok(())
}

/// Our answer for a task: the chosen formula, all formulae of the front, and the seconds.
struct Answer {
    chosen: Found,
    /// With their descriptions in bits.
    others: Vec<(f64, Found)>,
    seconds: f64,
}

/// A formula with its predictions for the test rows.
struct Found {
    predictions: Vec<bool>,
    formula: String,
    literals: usize,
}

impl Answer {
    /// The formula with the shortest description of those with at most this many literals.
    fn within(&self, literals: usize) -> Option<&Found> {
        let short = self.others.iter().filter(|(_, found)| found.literals <= literals);
        short.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, found)| found)
    }
}

/// Mines the training rows of a task.
fn ours(task: &Task, engines: &Engines, seconds: f64) -> Result<Answer> {
    let start = std::time::Instant::now();
    let table = table(&task.train, &task.labels);
    let options = MineOptions { engines: engines.clone(), folds: 0, ..MineOptions::default() };
    let found = mine(&table, &options, &Budget::seconds(seconds), &|_| {})?;
    let seconds = start.elapsed().as_secs_f64();
    let chosen = found.chosen().ok_or_else(|| anyhow::anyhow!("no formula"))?;
    let described = |formula: &MinedFormula| Found {
        predictions: task.test.iter().map(|row| formula.expr.value(&|f| row[f as usize])).collect(),
        formula: formula.formula.clone(),
        literals: formula.expr.literals(),
    };
    let others = found.formulae.iter().map(|formula| (formula.bits, described(formula))).collect();
    Ok(Answer { chosen: described(chosen), others, seconds })
}

/// A table of columns c1, c2, ...
fn table(rows: &[Vec<bool>], labels: &[bool]) -> Table {
    let width = rows.first().map_or(0, Vec::len);
    let mut counter = RowCounter::default();
    for (row, &label) in rows.iter().zip(labels) {
        let mut bits = vec![0u64; width.div_ceil(64).max(1)];
        (0..width).filter(|&at| row[at]).for_each(|at| bits[at / 64] |= 1 << (at % 64));
        counter.add(&bits, label, 1);
    }
    let feature = |at: usize| Feature::new(format!("c{}", at + 1), Test::True);
    let features: Vec<Feature> = (0..width).map(feature).collect();
    Table::from_rows(features, counter)
}

/// F1 of the positive label.
fn f1(predictions: &[bool], truth: &[bool]) -> f64 {
    let count =
        |p: bool, t: bool| predictions.iter().zip(truth).filter(|pair| *pair == (&p, &t)).count() as f64;
    let (hit, missed, wrong) = (count(true, true), count(false, true), count(true, false));
    if hit + missed + wrong == 0.0 { 1.0 } else { 2.0 * hit / (2.0 * hit + missed + wrong) }
}

/// Where the report is written.
fn target() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/mining.md")
}

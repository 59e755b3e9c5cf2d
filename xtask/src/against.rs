//! `cargo xtask bench --against`: two builds of the benchmark, compared with each other. A change that must
//! not make anything slower is judged by this: machines are noisy, so both builds run in turn.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use logicvae_logic::quantiles;
use serde::Deserialize;

use crate::shell::{command, output};

/// One line of what `logicvae-bench --json` prints.
#[derive(Deserialize)]
struct Row {
    name: String,
    ours: f64,
}

/// Runs the other and this build in turn, and prints a table of their times: medians, and the median of the
/// ratios of neighbouring runs.
pub fn run(this: &Path, other: &Path, arguments: &[String], rounds: usize) -> Result<()> {
    ensure!(other.is_file(), "--against: there is no program {}", other.display());
    let mut times: BTreeMap<String, [Vec<f64>; 2]> = BTreeMap::new();
    let mut names: Vec<String> = Vec::new();
    for round in 0..rounds {
        eprintln!("round {} of {rounds}", round + 1);
        // The order changes as well, so that neither build always runs on a warmer machine.
        for side in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
            for row in measure([other, this][side], arguments)? {
                if !names.contains(&row.name) {
                    names.push(row.name.clone());
                }
                times.entry(row.name).or_default()[side].push(row.ours);
            }
        }
    }
    print!("{}", table(&names, &times));
    Ok(())
}

fn measure(program: &Path, arguments: &[String]) -> Result<Vec<Row>> {
    let printed = output(command(program).args(arguments).arg("--json"))?;
    serde_json::from_str(&printed).with_context(|| format!("{} did not print a list", program.display()))
}

/// The table, in Markdown. Measurements that only one build has are left out.
fn table(names: &[String], times: &BTreeMap<String, [Vec<f64>; 2]>) -> String {
    let mut out = "| | other, ms | this, ms | this / other |\n|---|--:|--:|--:|\n".to_owned();
    for name in names {
        let [other, this] = &times[name];
        if other.len() != this.len() {
            continue;
        }
        let ratio = median(this.iter().zip(other).map(|(this, other)| this / other));
        let [other, this] = [other, this].map(|list| 1e3 * median(list.iter().copied()));
        let _ = writeln!(out, "| {name} | {other:.4} | {this:.4} | {ratio:.3} |");
    }
    out
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let [median] = quantiles(&mut values.collect::<Vec<f64>>(), [0.5]);
    median
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_neighbouring_runs() {
        // The machine is twice as slow in the second round, for both.
        let runs = [vec![1.0, 2.0, 1.0], vec![1.1, 2.2, 1.1]];
        let times = BTreeMap::from([("step".to_owned(), runs), ("new".to_owned(), [vec![], vec![1.0]])]);
        let table = table(&["step".into(), "new".into()], &times);
        assert!(table.ends_with("| step | 1000.0000 | 1100.0000 | 1.100 |\n"), "{table}");
    }
}

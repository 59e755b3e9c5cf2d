//! `cargo xtask bench minimise`: sizes and times of minimisation, compared with ABC.

use std::fmt::Write;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::cells::{self, Request};
use crate::shell;

const SETS: [(&str, &str); 2] = [
    ("random", "1,000 random truth tables of five variables"),
    ("sampled", "1,000 sampled formulae of five variables and at most 30 nodes"),
];

pub fn run(json: bool) -> Result<()> {
    install_abc()?;
    let requests =
        SETS.map(|(set, what)| Request { label: what.to_owned(), flag: format!("--minimise={set}") });
    cells::run(json, &requests, "minimise.md", table)
}

/// Installs ABC from Debian's packages if it is missing.
fn install_abc() -> Result<()> {
    const INSTALL: &str = "apt-get update && apt-get install --yes berkeley-abc";
    let exists = || {
        let mut look = shell::command("sh");
        look.args(["-c", "command -v berkeley-abc > /dev/null"]).status().is_ok_and(|found| found.success())
    };
    if exists() {
        return Ok(());
    }
    let mut install = shell::command("sh");
    shell::run(shell::print_to_stderr(install.args(["-c", INSTALL])))
        .with_context(|| format!("ABC is missing; as root: {INSTALL}"))?;
    if !exists() {
        bail!("the package berkeley-abc has no command berkeley-abc");
    }
    Ok(())
}

fn table(cells: &[Value]) -> Result<String> {
    let mut out = String::from(
        "# Minimisation compared with ABC\n\n\
         Means per function, measured by `cargo xtask bench minimise` in some minutes, on one core. *ms* is\n\
         processor time. Ours is `logicvae_logic::minimise` over not, and, or. ABC is Debian's\n\
         `berkeley-abc`, with four scripts (`benches/src/minimise.rs` has them). It reads random functions\n\
         as truth tables and sampled formulae as graphs with their structure, in one process. All results\n\
         are checked for equivalence.\n\n\
         *Nodes*: the size of the formula, counting operators and variables. ABC's results are graphs with\n\
         shared parts, optimised for the number of conjunctions; they are expanded to formulae, with\n\
         negations and De Morgan's laws wherever that is shortest. *Conjunctions*: the size of the graph\n\
         itself, with equal parts shared; ours are not optimised for it.\n",
    );
    for ((_, what), cell) in SETS.iter().zip(cells) {
        write!(
            out,
            "\n## {what}\n\n| method | nodes | conjunctions | ms | proven optimal |\n|---|--:|--:|--:|--:|\n"
        )?;
        let methods = cell["methods"].as_array().map_or(&[][..], Vec::as_slice);
        for method in methods.iter().chain([&cell["best_of_abc"]]) {
            let number = |key: &str| method[key].as_f64();
            writeln!(
                out,
                "| {} | {:.2} | {:.2} | {:.1} | {} |",
                method["name"].as_str().unwrap_or_default(),
                number("size").unwrap_or(f64::NAN),
                number("ands").unwrap_or(f64::NAN),
                1e3 * number("seconds").unwrap_or(f64::NAN),
                number("optimal").map_or("–".to_owned(), |share| format!("{:.1} %", 100.0 * share)),
            )?;
        }
        let (smaller, larger) = (&cell["smaller"], &cell["larger"]);
        write!(
            out,
            "\nOf {} functions, our last result is smaller than the smallest of ABC's for {smaller}, and\n\
             larger for {larger}.\n",
            cell["functions"]
        )?;
    }
    Ok(out)
}

//! Tables whose every cell is measured in a process of its own, so that its peak of memory is its own.

use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::shell::{self, cargo, command, output, root, target};

/// A cell: what to tell the user, and the flag that asks the benchmark for it.
pub struct Request {
    pub label: String,
    pub flag: String,
}

/// Measures all cells; prints them as JSON, or their table, which then also becomes a file in `results/`.
pub fn run(
    json: bool,
    requests: &[Request],
    file: &str,
    table: fn(&[Value]) -> Result<String>,
) -> Result<()> {
    shell::run(cargo().args(["build", "--release", "--quiet", "--package", "logicvae-bench"]))?;
    let binary = target().join("release/logicvae-bench");
    let mut cells = Vec::new();
    for request in requests {
        eprintln!("{}", request.label);
        let cell = serde_json::from_str(&output(command(&binary).arg(&request.flag))?)
            .context("a cell of the table")?;
        cells.push(cell);
    }
    if json {
        println!("{}", serde_json::to_string_pretty(&cells)?);
        return Ok(());
    }
    let table = table(&cells)?;
    print!("{table}");
    fs::create_dir_all(root().join("results"))?;
    fs::write(root().join("results").join(file), table)?;
    Ok(())
}

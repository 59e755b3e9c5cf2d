//! Benchmark tables. Each cell is measured in a separate process, so that its peak memory is its own.

use std::env::consts::EXE_SUFFIX;
use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::shell::{self, cargo, command, output, root, target};

/// A cell: its description for the user, and the flag that makes the benchmark measure it.
pub struct Request {
    pub label: String,
    pub flag: String,
}

/// One request per combination of a name and two numbers.
pub fn combinations(
    names: &[&str],
    outer: &[usize],
    inner: &[usize],
    request: impl Fn(&str, usize, usize) -> Request,
) -> Vec<Request> {
    let mut requests = Vec::new();
    for name in names {
        for &first in outer {
            requests.extend(inner.iter().map(|&second| request(name, first, second)));
        }
    }
    requests
}

/// Measures all cells. Prints them as JSON, or prints their table and writes it to a file in `results/`.
pub fn run(
    json: bool,
    requests: &[Request],
    file: &str,
    table: fn(&[Value]) -> Result<String>,
) -> Result<()> {
    shell::run(cargo().args(["build", "--release", "--package", "logicvae-bench"]))?;
    let binary = target().join("release").join(format!("logicvae-bench{EXE_SUFFIX}"));
    let mut cells = Vec::new();
    for (number, request) in requests.iter().enumerate() {
        eprintln!("{} of {}: {}", number + 1, requests.len(), request.label);
        let cell = serde_json::from_str(&output(command(&binary).arg(&request.flag))?)
            .context("the benchmark did not print a cell")?;
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

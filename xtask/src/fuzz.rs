//! `cargo xtask fuzz`: runs all fuzz targets, and counts their inputs.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::attack::write_table;
use crate::shell::{self, command, exists, root};

/// Fuzz the parser and all file readers, each for a limited time. Needs cargo-fuzz and a nightly compiler.
#[derive(clap::Args)]
pub struct Args {
    /// The time per target in seconds.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// The number of inputs per target, instead of a time; in the order of the targets, the last one for
    /// the rest.
    #[arg(long, value_name = "N", value_delimiter = ',')]
    runs: Vec<u64>,
    /// Only these targets.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Write the figures into SECURITY.md.
    #[arg(long)]
    record: bool,
}

/// The targets, with the longest input of each in bytes.
const TARGETS: [(&str, &str, usize); 10] = [
    ("parse", "formulae as text", 4096),
    ("files", "files of formulae, text and binary", 4096),
    ("exchange", "JSON, CSV, SMT-LIB, DIMACS, PLA", 4096),
    ("npy", "matrices (.npy)", 1024),
    ("embedding", "embeddings", 4096),
    ("config", "settings of runs", 4096),
    ("state", "training states", 8192),
    ("model", "models: safetensors with settings", 65_536),
    ("run", "run folders: manifest, record, metrics, formulae", 4096),
    ("table", "tables of observations, and formulae over them", 4096),
];

pub fn run(args: &Args) -> Result<()> {
    if !exists("cargo-fuzz", "--version") {
        bail!("cargo-fuzz is not installed: cargo install cargo-fuzz");
    }
    if let Some(name) = args.only.iter().find(|name| TARGETS.iter().all(|(target, ..)| target != name)) {
        let all: Vec<&str> = TARGETS.iter().map(|(target, ..)| *target).collect();
        bail!("there is no target `{name}`: choose from {}", all.join(", "));
    }
    shell::run(cargo_fuzz().args(["build"]))?;
    let mut rows = Vec::new();
    for (number, (target, what, longest)) in TARGETS.into_iter().enumerate() {
        if !args.only.is_empty() && !args.only.iter().any(|name| name == target) {
            continue;
        }
        let limit = match args.runs.get(number).or(args.runs.last()) {
            Some(runs) => format!("-runs={runs}"),
            None => format!("-max_total_time={}", args.seconds),
        };
        eprintln!("── {target}: {what}");
        let start = Instant::now();
        let inputs = fuzz(target, longest, &limit)?;
        eprintln!("── {target}: {inputs} inputs in {:.0} s\n", start.elapsed().as_secs_f64());
        rows.push((target, what, inputs));
    }
    let mut table = "| target | reads | inputs | crashes |\n|---|---|--:|--:|\n".to_owned();
    for (target, what, inputs) in &rows {
        table += &format!("| `{target}` | {what} | {inputs} | 0 |\n");
    }
    let all: u64 = rows.iter().map(|(.., inputs)| inputs).sum();
    table += &format!("| **all** | | {all} | 0 |\n");
    println!("{table}");
    if args.record {
        ensure!(args.only.is_empty(), "SECURITY.md reports all targets: leave out --only");
        write_table(&root().join("SECURITY.md"), "fuzz", &table)?;
    }
    Ok(())
}

fn cargo_fuzz() -> std::process::Command {
    let mut fuzz = command("cargo");
    fuzz.args(["+nightly", "fuzz"]);
    // Removes the toolchain of `cargo xtask` from the environment of the nightly compiler.
    fuzz.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO").current_dir(root());
    fuzz
}

/// Runs a target, and returns the number of its inputs. A crash is an error.
fn fuzz(target: &str, longest: usize, limit: &str) -> Result<u64> {
    let corpus = root().join("fuzz/corpus").join(target);
    fs::create_dir_all(&corpus).with_context(|| format!("cannot create {}", corpus.display()))?;
    let mut run = cargo_fuzz();
    run.args(["run", target]).arg(&corpus).arg(root().join("fuzz/seeds").join(target));
    run.args(["--", "-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1", limit]);
    run.arg(format!("-max_len={longest}"));
    let mut child = run.stderr(Stdio::piped()).spawn().context("cannot start cargo fuzz")?;
    let mut inputs = None;
    if let Some(messages) = child.stderr.take() {
        for line in BufReader::new(messages).lines().map_while(Result::ok) {
            if let Some(count) = line.strip_prefix("stat::number_of_executed_units:") {
                inputs = count.trim().parse().ok();
            }
            let news = ["NEW", "REDUCE", "RELOAD"].iter().any(|word| line.contains(word));
            if !news {
                eprintln!("{line}");
            }
        }
    }
    let status = child.wait().context("cannot wait for cargo fuzz")?;
    ensure!(status.success(), "the target `{target}` failed: fuzz/artifacts/{target} has the input");
    inputs.context("the fuzzer did not say how many inputs it had")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &str) -> String {
        fs::read_to_string(root().join(file)).unwrap()
    }

    #[test]
    fn every_target_is_fuzzed_and_reported() {
        let table = read("SECURITY.md");
        let table = table.split("<!-- fuzz: ").nth(1).unwrap();
        let reported = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        assert!(reported.eq(TARGETS.map(|(name, ..)| name)), "SECURITY.md reports other targets:\n{table}");

        let mut built: Vec<String> = fs::read_dir(root().join("fuzz/fuzz_targets"))
            .unwrap()
            .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        built.sort();
        let mut known = TARGETS.map(|(name, ..)| name);
        known.sort_unstable();
        assert_eq!(built, known);
    }
}

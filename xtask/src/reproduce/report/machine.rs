//! What a report says about where it was made.

use std::collections::BTreeMap;
use std::fs;

use crate::reproduce::overview::time;
use crate::reproduce::place::Place;
use crate::reproduce::report::Results;
use crate::reproduce::suite::Suite;
use crate::shell;

/// What stands behind a key in one of the system's files.
fn line(file: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let found = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(found.trim_start_matches([':', ' ', '\t']).trim().to_owned())
}

/// The name of this machine's processor.
pub fn processor() -> String {
    line("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.into())
}

/// The processors that results were made on, each with the number of its results.
fn processors(suite: &Suite, results: &Results) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for found in suite.experiment.iter().filter_map(|e| results.get(&e.name)) {
        *counts.entry(found["processor"].as_str().unwrap_or("not recorded")).or_default() += 1;
    }
    counts.iter().map(|(name, count)| format!("{name} ({count} results)")).collect::<Vec<String>>().join(", ")
}

/// Names and values.
pub fn facts(suite: &Suite, place: &Place, results: &Results) -> Vec<(String, String)> {
    let asked = |program: &str, arguments: &[&str]| {
        let found =
            shell::command(program).args(arguments).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&found.stdout).trim().to_owned())
    };
    let unknown = || "unknown".to_owned();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory =
        line("/proc/meminfo", "MemTotal").and_then(|kib| kib.trim_end_matches(" kB").parse::<f64>().ok());
    let commit = asked("git", &["rev-parse", "--short", "HEAD"]).unwrap_or_else(unknown);
    let seconds = |name: &str| {
        let found = results.get(name)?;
        // A training that was interrupted counts whole.
        found["training_seconds"].as_f64().or_else(|| found["seconds"].as_f64())
    };
    let spent: f64 = suite.experiment.iter().filter_map(|e| seconds(&e.name)).sum();
    let seeds: Vec<String> = {
        let mut seeds: Vec<u64> = suite.experiment.iter().filter_map(|e| e.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        seeds.iter().map(u64::to_string).collect()
    };
    let mut facts = vec![
        ("scale", place.scale.name().to_owned()),
        ("processors of the experiments", processors(suite, results)),
        ("processor of the report", processor()),
        ("cores", cores.to_string()),
        ("memory", memory.map_or_else(unknown, |kib| format!("{:.0} GiB", kib / (1 << 20) as f64))),
        ("system", std::env::consts::OS.to_owned()),
        ("compiler", asked("rustc", &["--version"]).unwrap_or_else(unknown)),
        ("LogicVAE", format!("{}, code version {}", env!("CARGO_PKG_VERSION"), suite.code_version)),
        ("commit of the report", commit),
        (
            "seeds",
            format!("{} (data, weights and samples of each are functions of its seed)", seeds.join(", ")),
        ),
    ];
    facts.push(("time of all experiments, one after the other", time(spent)));
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

//! Where and how the results and the report were made.

use std::collections::{BTreeMap, BTreeSet};

use super::results::Results;
use crate::layout::Layout;
use crate::machine;
use crate::progress::human_time;
use crate::suite::Suite;

/// Names and values.
pub fn facts(suite: &Suite, layout: &Layout, results: &Results) -> Vec<(String, String)> {
    let unknown = || "unknown".to_owned();
    let memory = machine::memory().map(|gib| format!("{gib:.0} GiB"));
    let version = format!("{}, code version {}", env!("CARGO_PKG_VERSION"), suite.code_version);
    let facts = [
        ("scale", layout.scale.name().to_owned()),
        ("processors of the experiments", processors(results)),
        ("total time of all experiments", human_time(total_seconds(results))),
        ("seeds of the experiments", seeds(suite)),
        ("LogicVAE", version),
        ("processor of the report", machine::processor()),
        ("cores", machine::cores().to_string()),
        ("memory", memory.unwrap_or_else(unknown)),
        ("system", std::env::consts::OS.to_owned()),
        ("compiler", machine::compiler().unwrap_or_else(unknown)),
        ("commit of the report", machine::commit().unwrap_or_else(unknown)),
    ];
    facts.map(|(name, value)| (name.to_owned(), value)).into()
}

/// The processors that results were made on, with the number of results.
fn processors(results: &Results) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for record in results.records.values() {
        *counts.entry(record.processor.as_deref().unwrap_or("not recorded")).or_default() += 1;
    }
    counts.iter().map(|(name, count)| format!("{name} ({count} results)")).collect::<Vec<_>>().join(", ")
}

/// Seconds of all experiments. Trainings count with all their parts, however often they were interrupted.
fn total_seconds(results: &Results) -> f64 {
    results.records.values().map(|record| record.training_seconds.unwrap_or(record.seconds)).sum()
}

fn seeds(suite: &Suite) -> String {
    let seeds: BTreeSet<u64> = suite.experiments.iter().filter_map(|experiment| experiment.seed).collect();
    let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
    format!("{} (data, weights and samples depend only on the seed)", seeds.join(", "))
}

//! `logicvae stats`: a summary of a file of formulae.

use std::collections::HashSet;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use logicvae_logic::{Formula, Stats, StatsBuilder, Summary};
use serde::Serialize;

use crate::args::StatsArgs;
use crate::input::{no_formulae, stream_formulae};
use crate::output::Output;

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    stats: Stats,
    /// The share of formulae that occur in the file that --known names, up to the order of children.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<f64>,
}

pub fn run(args: &StatsArgs, output: Output) -> Result<ExitCode> {
    let others = match &args.known {
        Some(path) => {
            let all = stream_formulae(path, None)?.map(|formula| formula.map(|f| f.sorted()));
            Some(all.collect::<Result<HashSet<Formula>>>()?)
        }
        None => None,
    };
    let mut builder = StatsBuilder::default();
    let mut known = 0usize;
    for formula in stream_formulae(&args.file, args.vars)? {
        let formula = formula?;
        builder.add(&formula);
        known += usize::from(others.as_ref().is_some_and(|others| others.contains(&formula.sorted())));
    }
    let stats = builder.finish();
    if stats.count == 0 {
        return Err(no_formulae(&args.file));
    }
    let known = others.map(|_| known as f64 / stats.count as f64);
    let report = Report { stats, known };
    output.print(&report, |out| {
        text(&report.stats, out)?;
        match report.known {
            Some(share) => writeln!(out, "\n{:<16}{:>6.2} %", "known", 100.0 * share),
            None => Ok(()),
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

fn text(stats: &Stats, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} formulae\n", stats.count)?;
    writeln!(out, "{:<12}{:>10}{:>8}{:>8}", "", "mean", "min", "max")?;
    for (name, Summary { mean, min, max }) in
        [("nodes", stats.nodes), ("depth", stats.depth), ("variables", stats.variables)]
    {
        writeln!(out, "{name:<12}{mean:>10.4}{min:>8}{max:>8}")?;
    }
    let mix = stats.mix;
    writeln!(out, "\n{:<12}{:>10}", "node types", "share")?;
    for (name, share) in [
        ("and", mix.and),
        ("or", mix.or),
        ("not", mix.not),
        ("variable", mix.variable),
        ("constant", mix.constant),
    ] {
        writeln!(out, "{name:<12}{:>8.2} %", 100.0 * share)?;
    }
    writeln!(out, "\n{:<16}{:>6.2} %", "tautologies", 100.0 * stats.tautologies)?;
    writeln!(out, "{:<16}{:>6.2} %", "contradictions", 100.0 * stats.contradictions)?;
    if stats.undecided > 0.0 {
        writeln!(out, "{:<16}{:>6.2} % (too hard to decide)", "undecided", 100.0 * stats.undecided)?;
    }
    writeln!(out, "\nnodes  formulae")?;
    let highest = stats.size_histogram.iter().max().copied().unwrap_or(1).max(1);
    for (size, &count) in stats.size_histogram.iter().enumerate().filter(|&(_, &c)| c > 0) {
        writeln!(out, "{size:>5}  {count:>8}  {}", "█".repeat((40 * count).div_ceil(highest)))?;
    }
    Ok(())
}

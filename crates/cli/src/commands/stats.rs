//! `logicvae stats`: a summary of a file of formulae.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use logicvae_logic::{Stats, StatsBuilder, Summary};

use crate::args::StatsArgs;
use crate::input::{no_formulae, stream_formulae};
use crate::output::Output;

pub fn run(args: &StatsArgs, output: Output) -> Result<ExitCode> {
    let mut builder = StatsBuilder::default();
    for formula in stream_formulae(&args.file, args.vars)? {
        builder.add(&formula?);
    }
    let stats = builder.finish();
    if stats.count == 0 {
        return Err(no_formulae(&args.file));
    }
    output.print(&stats, |out| text(&stats, out))?;
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

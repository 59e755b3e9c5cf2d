//! `logicvae plot`: charts from JSON descriptions.

use std::process::ExitCode;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::args::PlotArgs;
use crate::figure::{Picture, plot};
use crate::input;
use crate::output::Output;

#[derive(Serialize)]
struct Report {
    kind: &'static str,
    series: usize,
    out: String,
}

pub fn run(args: &PlotArgs, output: Output) -> Result<ExitCode> {
    let picture = Picture::new(&args.picture.out, args.picture.force)?;
    let text = input::read_text(&args.chart, "the JSON description of a chart")?;
    let plot = plot::read(&text).with_context(|| input::display_name(&args.chart))?;
    picture.write(&plot.chart.svg()?)?;
    let report = Report { kind: plot.kind, series: plot.series, out: args.picture.out.display().to_string() };
    output.print(&report, |out| {
        writeln!(out, "{} with {} series, written to {}", report.kind, report.series, report.out)
    })?;
    Ok(ExitCode::SUCCESS)
}

//! `logicvae draw`

use std::process::ExitCode;

use anyhow::Result;
use logicvae_logic::Formula;
use serde::Serialize;

use crate::args::DrawArgs;
use crate::figure::{Picture, draw_formula};
use crate::input::Arguments;
use crate::output::Output;

#[derive(Serialize)]
struct Report {
    formula: Formula,
    nodes: usize,
    depth: usize,
    out: String,
}

pub fn run(args: &DrawArgs, output: Output) -> Result<ExitCode> {
    let picture = Picture::new(&args.picture.out, args.picture.force)?;
    let mut arguments = Arguments::new();
    let formula = arguments.formula(&args.formula)?;
    arguments.finish()?;
    picture.write(&draw_formula(&formula)?)?;
    let report = Report {
        nodes: formula.size(),
        depth: formula.depth(),
        out: args.picture.out.display().to_string(),
        formula,
    };
    output.print(&report, |out| {
        writeln!(out, "{} node(s), depth {}, drawn in {}", report.nodes, report.depth, report.out)
    })?;
    Ok(ExitCode::SUCCESS)
}

//! `logicvae draw`: a syntax tree as a picture.

use std::process::ExitCode;

use anyhow::Result;
use logicvae_logic::Formula;
use serde::Serialize;

use crate::args::DrawArgs;
use crate::figure::{Picture, draw_formula};
use crate::input::FormulaArguments;
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
    let mut arguments = FormulaArguments::new();
    let formula = arguments.parse(&args.formula)?;
    arguments.finish()?;
    picture.write(&draw_formula(&formula)?)?;
    let report = Report {
        nodes: formula.size(),
        depth: formula.depth(),
        out: args.picture.out.display().to_string(),
        formula,
    };
    output.print(&report, |out| {
        writeln!(out, "{} node(s), depth {}, written to {}", report.nodes, report.depth, report.out)
    })?;
    Ok(ExitCode::SUCCESS)
}

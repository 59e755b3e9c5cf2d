//! `logicvae draw`: a syntax tree as a picture.

use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use crate::args::DrawArgs;
use crate::figure::{Picture, draw_formula};
use crate::input::Inputs;
use crate::output::Output;

#[derive(Serialize)]
struct Report {
    formula: String,
    nodes: usize,
    depth: usize,
    out: String,
}

pub fn run(args: &DrawArgs, output: Output) -> Result<ExitCode> {
    let picture = Picture::new(&args.picture.out, args.picture.force)?;
    let mut inputs = Inputs::new();
    let formula = inputs.formula(&args.formula)?;
    inputs.finish()?;
    picture.write(&draw_formula(&formula, &inputs.names)?)?;
    let report = Report {
        nodes: formula.size(),
        depth: formula.depth(),
        out: args.picture.out.display().to_string(),
        formula: inputs.show(&formula),
    };
    output.print(&report, |out| {
        writeln!(out, "{} node(s), depth {}, written to {}", report.nodes, report.depth, report.out)
    })?;
    Ok(ExitCode::SUCCESS)
}

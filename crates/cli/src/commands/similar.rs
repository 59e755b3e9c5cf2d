//! `logicvae similar`

use std::process::ExitCode;

use anyhow::{Result, bail};
use logicvae_kernel::Neighbours;
use logicvae_logic::Formula;
use serde::Serialize;

use crate::args::SimilarArgs;
use crate::input::Arguments;
use crate::measure::{formulae, largest_variable, measure};
use crate::output::Output;

#[derive(Serialize)]
struct Report {
    neighbours: Vec<Neighbour>,
}

#[derive(Serialize)]
struct Neighbour {
    formula: Formula,
    kernel: f64,
}

pub fn run(args: &SimilarArgs, output: Output) -> Result<ExitCode> {
    if args.k == 0 {
        bail!("-k must be at least 1");
    }
    let mut arguments = Arguments::new();
    let formula = arguments.formula(&args.formula)?;
    arguments.finish()?;
    let list = formulae(&args.file, args.measure.vars)?;
    let used = largest_variable(list.iter().chain([&formula]));
    let index = Neighbours::new(measure(&args.measure, used)?, &list)?;
    let nearest = index.nearest(&formula, args.k)?;
    let neighbours =
        nearest.iter().map(|n| Neighbour { formula: list[n.index].clone(), kernel: n.kernel }).collect();
    let report = Report { neighbours };
    output.print(&report, |out| {
        writeln!(out, " kernel  agreement  formula")?;
        report.neighbours.iter().try_for_each(|n| {
            writeln!(out, "{:>7.4}  {:>7.2} %  {}", n.kernel, 50.0 * (n.kernel + 1.0), n.formula)
        })
    })?;
    Ok(ExitCode::SUCCESS)
}

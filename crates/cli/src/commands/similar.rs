//! `logicvae similar`: nearest formulae by meaning.

use std::process::ExitCode;

use anyhow::{Result, bail};
use logicvae_kernel::Neighbours;
use logicvae_logic::Formula;
use serde::Serialize;

use crate::args::SimilarArgs;
use crate::domain::{domain, largest_variable};
use crate::input::{FormulaArguments, read_formulae};
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
    let mut arguments = FormulaArguments::new();
    let formula = arguments.parse(&args.formula)?;
    arguments.finish()?;
    let candidates = read_formulae(&args.file, args.domain.vars)?;
    let used = largest_variable(candidates.iter().chain([&formula]));
    let index = Neighbours::new(domain(&args.domain, used)?, &candidates)?;
    let nearest = index.nearest(&formula, args.k)?;
    let neighbours = nearest
        .iter()
        .map(|n| Neighbour { formula: candidates[n.index].clone(), kernel: n.kernel })
        .collect();
    let report = Report { neighbours };
    output.print(&report, |out| {
        writeln!(out, " kernel  agreement  formula")?;
        report.neighbours.iter().try_for_each(|n| {
            writeln!(out, "{:>7.4}  {:>7.2} %  {}", n.kernel, 50.0 * (n.kernel + 1.0), n.formula)
        })
    })?;
    Ok(ExitCode::SUCCESS)
}

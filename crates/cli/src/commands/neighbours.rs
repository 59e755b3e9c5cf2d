//! `logicvae neighbours`

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use candle_core::DType;
use logicvae_logic::{Formula, Split};
use logicvae_vae::nearest;
use serde::Serialize;

use crate::args::NeighboursArgs;
use crate::input::read_formulae;
use crate::output::Output;
use crate::trained::{encode, open};

#[derive(Serialize)]
struct Report {
    neighbours: Vec<Found>,
}

#[derive(Serialize)]
struct Found {
    formula: Formula,
    distance: f64,
}

pub fn run(args: &NeighboursArgs, output: Output) -> Result<ExitCode> {
    let (run, model) = open(&args.model)?;
    let formula: Formula = args.formula.parse().context("this is not a valid formula")?;
    let list = match &args.file {
        Some(path) => read_formulae(path, Some(run.config.model.variables))?,
        None => run.formulae(Split::Test)?,
    };
    if list.is_empty() {
        bail!("the run has no test formulae: name a file with --in");
    }
    let own: Vec<Vec<f64>> = model.encode(&[formula])?.z.to_dtype(DType::F64)?.to_vec2()?;
    let (all, _) = encode(&model, &list, false)?;
    let found = nearest(&all.z, &own[0], args.k)?;
    let neighbours = found.into_iter().map(|(at, distance)| Found { formula: list[at].clone(), distance });
    let report = Report { neighbours: neighbours.collect() };
    output.print(&report, |out| {
        report.neighbours.iter().try_for_each(|n| writeln!(out, "{:>9.4}  {}", n.distance, n.formula))
    })?;
    Ok(ExitCode::SUCCESS)
}

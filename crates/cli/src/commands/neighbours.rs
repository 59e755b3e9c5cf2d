//! `logicvae neighbours`

use std::process::ExitCode;

use anyhow::{Context, Result};
use logicvae_logic::Formula;
use logicvae_vae::nearest;
use serde::Serialize;

use crate::args::NeighboursArgs;
use crate::output::Output;
use crate::trained::{encode_only, formulae_or_test_set, open};

#[derive(Serialize)]
struct Report {
    neighbours: Vec<Found>,
}

#[derive(Serialize)]
struct Found {
    formula: Formula,
    /// The row of the formula in the file, from 1.
    row: usize,
    distance: f64,
}

pub fn run(args: &NeighboursArgs, output: Output) -> Result<ExitCode> {
    let model = open(&args.model)?;
    let limits = model.config().limits();
    let formula: Formula = args.formula.parse().context("this is not a valid formula")?;
    limits.check(&formula).with_context(|| format!("`{formula}`"))?;
    let list = formulae_or_test_set(&args.model, args.file.as_deref(), limits)?;
    let own: Vec<Vec<f32>> = model.vectors(&model.encode(&[formula])?)?.to_vec2()?;
    let own: Vec<f64> = own[0].iter().map(|&x| f64::from(x)).collect();
    let all = model.vectors(&encode_only(&model, &list)?)?;
    let found = nearest(&all, &own, args.k as usize)?;
    let neighbours =
        found.into_iter().map(|(at, distance)| Found { formula: list[at].clone(), row: at + 1, distance });
    let report = Report { neighbours: neighbours.collect() };
    output.print(&report, |out| {
        writeln!(out, " distance    row  formula")?;
        let mut lines = report.neighbours.iter();
        lines.try_for_each(|n| writeln!(out, "{:>9.4}  {:>5}  {}", n.distance, n.row, n.formula))
    })?;
    Ok(ExitCode::SUCCESS)
}

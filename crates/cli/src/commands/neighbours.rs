//! `logicvae neighbours`

use std::process::ExitCode;

use anyhow::Result;
use logicvae_vae::nearest;
use serde::Serialize;

use crate::args::NeighboursArgs;
use crate::input::{Inputs, display_name};
use crate::output::Output;
use crate::place::Place;
use crate::table::Table;
use crate::trained::{encode_only, formulae, formulae_or_test_set, open};

#[derive(Serialize)]
struct Report {
    neighbours: Vec<Found>,
}

#[derive(Serialize)]
struct Found {
    formula: String,
    /// The number of the formula in the file, from 1.
    row: usize,
    #[serde(flatten)]
    place: Place,
    distance: f64,
}

pub fn run(args: &NeighboursArgs, output: Output) -> Result<ExitCode> {
    let model = open(&args.model)?;
    let limits = model.config().limits();
    let mut inputs = Inputs::new();
    let list = formulae_or_test_set(&args.model, args.file.as_deref(), limits, &mut inputs)?;
    let formula = inputs.limited_formula(&args.formula, limits)?;
    let own: Vec<Vec<f32>> = model.vectors(&model.encode(&[formula])?)?.to_vec2()?;
    let own: Vec<f64> = own[0].iter().map(|&x| f64::from(x)).collect();
    let all = model.vectors(&encode_only(&model, &formulae(&list))?)?;
    let found = nearest(&all, &own, args.k as usize)?;
    let neighbours = found.into_iter().map(|(at, distance)| Found {
        formula: inputs.show(&list[at].formula),
        row: at + 1,
        place: Place::new(args.file.as_deref(), &list[at]),
        distance,
    });
    let report = Report { neighbours: neighbours.collect() };
    output.print(&report, |out| {
        if let Some(file) = &args.file {
            writeln!(out, "formulae: {}", display_name(file))?;
        }
        let mut table = Table::new(["distance", "line", "label", "formula"]);
        for n in &report.neighbours {
            let (line, label) = n.place.cells();
            table.row([format!("{:.4}", n.distance), line, label, n.formula.clone()]);
        }
        table.write(out)
    })?;
    Ok(ExitCode::SUCCESS)
}

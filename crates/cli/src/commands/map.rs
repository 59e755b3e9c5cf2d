//! `logicvae map`

use std::process::ExitCode;

use anyhow::{Result, bail};
use logicvae_kernel::Domain;
use logicvae_logic::Split;
use logicvae_vae::plane;
use serde::Serialize;

use crate::args::MapArgs;
use crate::figure::map;
use crate::input::read_formulae;
use crate::output::{Output, check_target, write_file};
use crate::trained::{encode, open};

/// The maximum number of points: more would hide each other.
const MOST: usize = 2000;
/// From this many variables on, satisfying assignments are estimated from a sample.
const EXACT_VARIABLES: usize = 12;
const SAMPLED: usize = 4096;

#[derive(Serialize)]
struct Report {
    rows: usize,
}

pub fn run(args: &MapArgs, output: Output) -> Result<ExitCode> {
    check_target(&args.svg, args.force)?;
    let (run, model) = open(&args.model)?;
    let variables = run.config.model.variables;
    let mut list = match &args.file {
        Some(path) => read_formulae(path, Some(variables))?,
        None => run.formulae(Split::Test)?,
    };
    list.truncate(MOST);
    if list.len() < 2 {
        bail!("a map needs at least two formulae: name a file with --in");
    }
    let points = plane(&encode(&model, &list, false)?.0.z)?;
    let domain = match variables as usize {
        few if few < EXACT_VARIABLES => Domain::exact(few)?,
        many => Domain::monte_carlo(many, SAMPLED, 0)?,
    };
    let values = domain.values(&list)?;
    let satisfied: Vec<f64> = (0..list.len())
        .map(|row| {
            values.row(row).iter().map(|w| w.count_ones() as usize).sum::<usize>() as f64
                / domain.len() as f64
        })
        .collect();
    let drawn = map(&points, &satisfied, &vec![String::new(); list.len()])?;
    write_file(&args.svg, args.force, |out| Ok(out.write_all(drawn.as_bytes())?))?;
    let report = Report { rows: list.len() };
    output.print(&report, |out| writeln!(out, "{} formulae drawn in {}", report.rows, args.svg.display()))?;
    Ok(ExitCode::SUCCESS)
}

//! `logicvae interpolate`

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use candle_core::{DType, Device, Tensor};
use logicvae_logic::{Formula, edit_distance};
use logicvae_vae::{Codes, Conditions, Decoding, arc, great_circle, line};
use serde::Serialize;

use crate::args::InterpolateArgs;
use crate::figure::{Step, strip};
use crate::output::{Output, check_target, write_file};
use crate::trained::{encode, open};

#[derive(Serialize)]
struct Report {
    steps: Vec<Point>,
    /// Nodes that change in a step, on average; none where no two neighbours are formulae.
    mean_changed: Option<f64>,
}

#[derive(Serialize)]
struct Point {
    formula: Option<Formula>,
    log_probability: f64,
    /// Nodes that differ from the step before, by the least number of insertions, deletions and renamings.
    changed: Option<usize>,
}

pub fn run(args: &InterpolateArgs, output: Output) -> Result<ExitCode> {
    if let Some(svg) = &args.svg {
        check_target(svg, args.force)?;
    }
    let (_, model) = open(&args.model)?;
    let mut ends = vec![args.from.parse::<Formula>().context("the first formula")?];
    if let Some(to) = &args.to {
        ends.push(to.parse().context("the second formula")?);
    }
    let (codes, exact) = encode(&model, &ends, args.refine)?;
    if let Some(at) = exact.iter().position(|exact| !exact) {
        bail!(
            "`{}` could not be refined: no vector was found that decodes to it; leave --refine out",
            ends[at]
        );
    }
    let vectors: Vec<Vec<f64>> = codes.z.to_dtype(DType::F64)?.to_vec2()?;
    let steps = args.steps as usize;
    let points = match &vectors[..] {
        [from, to] if args.linear => line(from, to, steps),
        [from, to] => arc(from, to, steps),
        _ => great_circle(&vectors[0], steps, args.seed)?,
    };
    let latent = model.config().latent;
    let z = Tensor::from_vec(points.concat(), (steps, latent), &Device::Cpu)?.to_dtype(DType::F32)?;
    // A conditional model moves between the meanings in a straight line, or keeps that of the only formula.
    let conditions = match codes.conditions.vectors() {
        Some(vectors) => {
            let meanings: Vec<Vec<f64>> = vectors.to_dtype(DType::F64)?.to_vec2()?;
            let path = line(&meanings[0], &meanings[meanings.len() - 1], steps);
            let path = Tensor::from_vec(path.concat(), (steps, meanings[0].len()), &Device::Cpu)?;
            Conditions::from_vectors(path.to_dtype(DType::F32)?)?
        }
        None => Conditions::none(steps),
    };
    let decoded = model.decode(&Codes { z, conditions }, Decoding::Greedy)?;
    let mut path: Vec<Point> = Vec::with_capacity(steps);
    for list in decoded {
        let Some(best) = list.into_iter().next() else { continue };
        let before = path.last().and_then(|point| point.formula.as_ref());
        let changed = before.zip(best.formula.as_ref()).map(|(a, b)| edit_distance(a, b));
        path.push(Point { formula: best.formula, log_probability: best.log_probability, changed });
    }
    if let Some(svg) = &args.svg {
        let steps: Vec<Step> =
            path.iter().map(|p| Step { formula: p.formula.clone(), changed: p.changed }).collect();
        let drawn = strip(&steps);
        write_file(svg, args.force, |out| Ok(out.write_all(drawn.as_bytes())?))?;
    }
    let changes: Vec<usize> = path.iter().filter_map(|p| p.changed).collect();
    let mean_changed =
        (!changes.is_empty()).then(|| changes.iter().sum::<usize>() as f64 / changes.len() as f64);
    let report = Report { steps: path, mean_changed };
    output.print(&report, |out| {
        for (number, point) in report.steps.iter().enumerate() {
            let formula = point.formula.as_ref().map_or("(not a formula)".to_owned(), ToString::to_string);
            let changed = point.changed.map_or(String::new(), |c| format!("{c:+}"));
            writeln!(out, "{:>4}  {changed:>4}  {formula}", number + 1)?;
        }
        match report.mean_changed {
            Some(mean) => writeln!(out, "{mean:.2} nodes change in a step"),
            None => writeln!(out, "no two neighbours are formulae"),
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

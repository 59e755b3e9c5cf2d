//! `logicvae interpolate`

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use candle_core::{DType, Device, Tensor};
use logicvae_kernel::{Form, Kernel};
use logicvae_logic::{Formula, edit_distance};
use logicvae_vae::{Codes, Conditions, Decoded, Decoding, Model, arc, great_circle, line};
use serde::Serialize;

use crate::args::InterpolateArgs;
use crate::domain::model_domain;
use crate::figure::{Picture, Step, strip};
use crate::input::Inputs;
use crate::output::Output;
use crate::trained::{encode, encode_only, minimised, open};

#[derive(Serialize)]
struct Report {
    steps: Vec<Point>,
    /// Nodes that change in a step, on average; none where no two neighbours are formulae.
    mean_changed: Option<f64>,
    /// The mean kernel of neighbours.
    mean_kernel: Option<f64>,
}

#[derive(Serialize)]
struct Point {
    formula: Option<String>,
    log_probability: f64,
    /// Nodes that differ from the step before, by the least number of insertions, deletions and renamings.
    changed: Option<usize>,
    /// The kernel with the step before.
    kernel: Option<f64>,
}

pub fn run(args: &InterpolateArgs, output: Output) -> Result<ExitCode> {
    let picture = args.out.as_ref().map(|out| Picture::new(out, args.force)).transpose()?;
    let model = open(&args.model)?;
    let (mut inputs, limits) = (Inputs::new(), model.config().limits());
    let mut ends = vec![inputs.limited_formula(&args.from, limits).context("the first formula")?];
    if let Some(to) = &args.to {
        ends.push(inputs.limited_formula(to, limits).context("the second formula")?);
    }
    // A great circle passes through the vector as it is.
    let (codes, exact) = match ends.len() {
        1 => (encode_only(&model, &ends)?, vec![true]),
        _ => encode(&model, &ends)?,
    };
    if let Some(at) = exact.iter().position(|exact| !exact) {
        bail!(
            "`{}` cannot be the end of a path: no vector was found that decodes to it",
            inputs.show(&ends[at])
        );
    }
    let steps = args.steps as usize;
    let decoded = match &ends[..] {
        [from, to] if !args.linear && model.reads_meanings() => model.walk(from, to, steps)?,
        _ => path(args, &model, &codes, steps)?,
    };
    let decoded: Vec<Decoded> = match args.minimise {
        true => {
            decoded.into_iter().map(|d| Decoded { formula: d.formula.as_ref().map(minimised), ..d }).collect()
        }
        false => decoded,
    };
    let formulae: Vec<Option<Formula>> = decoded.iter().map(|step| step.formula.clone()).collect();
    let report = report(decoded, model.config().variables, &inputs)?;
    if let Some(picture) = picture {
        let steps = formulae.into_iter().zip(&report.steps);
        let steps: Vec<Step> = steps.map(|(formula, p)| Step { formula, changed: p.changed }).collect();
        picture.write(&strip(&steps, &inputs.names))?;
    }
    output.print(&report, |out| {
        writeln!(out, "step  nodes  kernel  formula")?;
        for (number, point) in report.steps.iter().enumerate() {
            let formula = point.formula.as_deref().unwrap_or("(not a formula)");
            let changed = point.changed.map_or(String::new(), |c| format!("{c:+}"));
            let kernel = point.kernel.map_or(String::new(), |k| format!("{k:.3}"));
            writeln!(out, "{:>4}  {changed:>5}  {kernel:>6}  {formula}", number + 1)?;
        }
        match report.mean_changed.zip(report.mean_kernel) {
            Some((nodes, kernel)) => {
                writeln!(
                    out,
                    "{nodes:.2} nodes change in a step; the mean kernel of neighbours is {kernel:.3}"
                )
            }
            None => writeln!(out, "no two neighbours are formulae"),
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The decodings of points on a path between two vectors, or on a great circle through one.
fn path(args: &InterpolateArgs, model: &Model, codes: &Codes, steps: usize) -> Result<Vec<Decoded>> {
    let vectors: Vec<Vec<f64>> = codes.z.to_dtype(DType::F64)?.to_vec2()?;
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
    Ok(decoded.into_iter().filter_map(|list| list.into_iter().next()).collect())
}

/// What changes from step to step.
fn report(decoded: Vec<Decoded>, variables: u32, inputs: &Inputs) -> Result<Report> {
    let kernel = Kernel::new(model_domain(variables)?, Form::Plain)?;
    let mut steps: Vec<Point> = Vec::with_capacity(decoded.len());
    let mut before: Option<Formula> = None;
    for Decoded { formula, log_probability, .. } in decoded {
        let pair = before.as_ref().zip(formula.as_ref());
        let changed = pair.map(|(a, b)| edit_distance(a, b));
        let kernel = pair.map(|(a, b)| kernel.value(a, b)).transpose()?;
        let shown = formula.as_ref().map(|formula| inputs.show(formula));
        steps.push(Point { formula: shown, log_probability, changed, kernel });
        before = formula;
    }
    let changes: Vec<f64> = steps.iter().filter_map(|p| p.changed.map(|c| c as f64)).collect();
    let kernels: Vec<f64> = steps.iter().filter_map(|p| p.kernel).collect();
    let mean = |list: &[f64]| (!list.is_empty()).then(|| list.iter().sum::<f64>() / list.len() as f64);
    Ok(Report { mean_changed: mean(&changes), mean_kernel: mean(&kernels), steps })
}

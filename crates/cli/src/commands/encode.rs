//! `logicvae encode`

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use candle_core::{DType, Tensor};
use logicvae_kernel::{NpyWriter, Precision};
use logicvae_logic::Formula;
use logicvae_vae::{Model, Refinement, context_of};
use ndarray::Array2;
use serde::Serialize;

use crate::args::EncodeArgs;
use crate::input::is_standard;
use crate::measure::formulae;
use crate::output::{Output, check_target, write_file};
use crate::progress::Progress;
use crate::run::{self, Run};

#[derive(Serialize)]
struct Report {
    rows: usize,
    latent: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failed: Vec<Formula>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vectors: Option<Vec<Vec<f32>>>,
}

pub fn run(args: &EncodeArgs, output: Output) -> Result<ExitCode> {
    if let Some(out) = &args.out {
        if is_standard(out) {
            bail!("a .npy file is not for reading: name a file with --out, or leave it out to print");
        }
        check_target(out, args.force)?;
    }
    let (run, model) = run::open(&args.model)?;
    let list = list(&args.input, run.config.model.variables)?;
    run.config.model.vocabulary().trees(&list)?;
    let (z, exact) = encode(&run, &model, &list, args.refine)?;
    let failed: Vec<Formula> =
        list.iter().zip(&exact).filter(|(_, exact)| !**exact).map(|(f, _)| f.clone()).collect();
    let rows: Vec<Vec<f32>> = z.to_dtype(DType::F32)?.to_vec2()?;
    let latent = model.config().latent;
    if let Some(out) = &args.out {
        write_file(out, args.force, |file| {
            let mut writer = NpyWriter::new(file, (rows.len(), latent), Precision::F32)?;
            let numbers = rows.iter().flatten().map(|&x| f64::from(x)).collect();
            writer.rows(Array2::from_shape_vec((rows.len(), latent), numbers)?.view())?;
            writer.finish()?;
            Ok(())
        })?;
    }
    let report = Report {
        rows: rows.len(),
        latent,
        exact: args.refine.then_some(list.len() - failed.len()),
        failed,
        vectors: args.out.is_none().then_some(rows),
    };
    output.print(&report, |out| {
        match &report.vectors {
            Some(rows) => {
                for (formula, row) in list.iter().zip(rows) {
                    let numbers: Vec<String> = row.iter().map(f32::to_string).collect();
                    writeln!(out, "{formula}\t{}", numbers.join(" "))?;
                }
            }
            None => writeln!(out, "{} vectors of {} numbers", report.rows, report.latent)?,
        }
        if let Some(exact) = report.exact {
            writeln!(out, "{exact} of {} decode to their formula", report.rows)?;
        }
        report.failed.iter().try_for_each(|formula| writeln!(out, "could not be refined: {formula}"))
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The formulae of a file, if there is one of this name; otherwise the formula itself.
pub fn list(input: &str, variables: u32) -> Result<Vec<Formula>> {
    let path = Path::new(input);
    if is_standard(path) || path.exists() {
        return formulae(path, Some(variables));
    }
    let formula: Formula =
        input.parse().with_context(|| format!("`{input}` is neither a file nor a formula"))?;
    Ok(vec![formula])
}

/// Posterior means, refined if so wanted; and whether each decodes to its formula, where that is known.
pub fn encode(run: &Run, model: &Model, formulae: &[Formula], refine: bool) -> Result<(Tensor, Vec<bool>)> {
    /// Formulae in one pass through the model.
    const PART: usize = 256;
    let (mut parts, mut exact) = (Vec::new(), Vec::new());
    let mut bar = Progress::new(if refine { "refining" } else { "encoding" }, formulae.len());
    for (number, part) in formulae.chunks(PART).enumerate() {
        let context =
            run.embedding.as_ref().map(|e| context_of(e, part, model.dtype(), model.device())).transpose()?;
        let mean = model.posterior(&model.prepare(part)?, context.as_ref())?.mean.detach();
        if refine {
            let told = |done| bar.set(number * PART + done);
            let refined = model.refine(part, &mean, context.as_ref(), &Refinement::default(), told)?;
            parts.push(refined.z);
            exact.extend(refined.exact);
        } else {
            parts.push(mean);
            exact.extend(vec![true; part.len()]);
            bar.set((number * PART + part.len()).min(formulae.len()));
        }
    }
    Ok((Tensor::cat(&parts, 0)?, exact))
}

//! `logicvae decode`

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use candle_core::{Device, Tensor};
use logicvae_logic::Formula;
use logicvae_vae::{Decoded, Decoding, context_of};
use ndarray::Array2;
use ndarray_npy::ReadNpyExt;
use serde::Serialize;

use crate::args::DecodeArgs;
use crate::commands::encode::list;
use crate::output::Output;
use crate::run::{self, Run};

#[derive(Serialize)]
struct Report {
    formulae: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    row: usize,
    formula: Option<Formula>,
    log_probability: f64,
    count: usize,
}

pub fn run(args: &DecodeArgs, output: Output) -> Result<ExitCode> {
    let (run, model) = run::open(&args.model)?;
    let mut context = args.context.as_deref().map(|given| context(&run, given)).transpose()?;
    let z = match &args.z {
        Some(path) => {
            let z = matrix(path, model.config().latent)?;
            // One context serves all vectors.
            if let Some(c) = context.as_mut().filter(|c| c.dims()[0] == 1) {
                *c = c.repeat((z.dim(0)?, 1))?;
            }
            z
        }
        None => {
            let draws = args.draws.unwrap_or(1) as usize;
            if let Some(c) = &mut context {
                let rows: Vec<u32> = (0..c.dim(0)? as u32).flat_map(|row| vec![row; draws]).collect();
                *c = c.index_select(&Tensor::new(rows, &Device::Cpu)?, 0)?;
            }
            let rows = context.as_ref().map_or(Ok(draws), |c| c.dim(0))?;
            model.draw(rows, context.as_ref(), args.seed)?
        }
    };
    let decoding = match (args.beam, args.samples) {
        (Some(width), _) => Decoding::Beam { width: width as usize },
        (None, Some(samples)) => Decoding::Sampled {
            samples: samples as usize,
            temperature: args.temperature.unwrap_or(1.0),
            top_k: args.top_k,
            seed: args.seed,
        },
        (None, None) => Decoding::Greedy,
    };
    let decoded = match &args.of {
        Some(given) => {
            let mut formulae = list(given, model.config().variables)?;
            if formulae.len() == 1 {
                formulae = vec![formulae[0].clone(); z.dim(0)?];
            }
            if formulae.len() != z.dim(0)? {
                bail!(
                    "{} formulae for {} vectors: give one for each, or one for all",
                    formulae.len(),
                    z.dim(0)?
                );
            }
            let nll = model.negative_log_likelihood(&model.prepare(&formulae)?, &z, context.as_ref())?;
            let one = |(formula, nll): (Formula, f32)| {
                vec![Decoded { formula: Some(formula), log_probability: -f64::from(nll), count: 1 }]
            };
            formulae.into_iter().zip(nll.to_vec1::<f32>()?).map(one).collect()
        }
        None => model.decode_guided(&z, context.as_ref().zip(run.embedding.as_ref()), decoding)?,
    };
    let lines = decoded.into_iter().enumerate().flat_map(|(row, list)| {
        let line = move |d: Decoded| Line {
            row,
            formula: d.formula,
            log_probability: d.log_probability,
            count: d.count,
        };
        list.into_iter().map(line)
    });
    let report = Report { formulae: lines.collect() };
    output.print(&report, |out| {
        for line in &report.formulae {
            let formula = line.formula.as_ref().map_or("(not a formula)".to_owned(), ToString::to_string);
            let times = if line.count > 1 { format!("  {} times", line.count) } else { String::new() };
            writeln!(out, "{:>5}  {:>9.4}  {formula}{times}", line.row, line.log_probability)?;
        }
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Semantic vectors: of a file, or of a formula.
fn context(run: &Run, given: &str) -> Result<Tensor> {
    let Some(embedding) = &run.embedding else { bail!("this model is not conditional: leave --context out") };
    let path = Path::new(given);
    if path.exists() {
        return matrix(path, embedding.components());
    }
    let formula: Formula =
        given.parse().with_context(|| format!("`{given}` is neither a file nor a formula"))?;
    if formula.max_variable() > run.config.model.variables {
        bail!(
            "the context has the variable x{}, but the model knows x1 to x{}",
            formula.max_variable(),
            run.config.model.variables
        );
    }
    Ok(context_of(embedding, &[formula], candle_core::DType::F32, &Device::Cpu)?)
}

/// A matrix of a .npy file, f32 or f64, with rows of `columns` numbers.
fn matrix(path: &Path, columns: usize) -> Result<Tensor> {
    let open = || File::open(path).with_context(|| format!("cannot open {}", path.display()));
    let found: Array2<f32> = match Array2::<f32>::read_npy(BufReader::new(open()?)) {
        Ok(found) => found,
        Err(_) => Array2::<f64>::read_npy(BufReader::new(open()?))
            .map_err(|e| anyhow::anyhow!("{}: not a matrix of f32 or f64 in .npy form: {e}", path.display()))?
            .mapv(|x| x as f32),
    };
    if found.ncols() != columns {
        bail!("{} has rows of {} numbers, but {columns} are wanted", path.display(), found.ncols());
    }
    if found.nrows() == 0 {
        bail!("{} has no rows", path.display());
    }
    if let Some(((row, column), value)) = found.indexed_iter().find(|(_, x)| !x.is_finite()) {
        bail!("{}: row {row}, column {column} is {value}: only finite numbers make sense", path.display());
    }
    let shape = found.dim();
    Ok(Tensor::from_vec(found.into_iter().collect::<Vec<f32>>(), shape, &Device::Cpu)?)
}

//! `logicvae decode`

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use candle_core::{Device, Tensor};
use logicvae_logic::Formula;
use logicvae_vae::{Codes, Condition, Conditions, Decoded, Decoding, Model};
use ndarray::Array2;
use ndarray_npy::ReadNpyExt;
use serde::Serialize;

use crate::args::DecodeArgs;
use crate::output::Output;
use crate::trained::{formulae_or_file, open};

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
    let (_, model) = open(&args.model)?;
    let conditions = args.context.as_deref().map(|given| conditions(&model, given)).transpose()?;
    let codes = match &args.z {
        Some(path) => {
            let z = matrix(path, model.config().latent)?;
            let rows = z.dim(0)?;
            let conditions = match conditions {
                // One condition serves all vectors.
                Some(conditions) if conditions.rows() == 1 => conditions.select(&vec![0; rows])?,
                Some(conditions) => conditions,
                None => Conditions::none(rows),
            };
            Codes { z, conditions }
        }
        None => {
            let draws = args.draws.unwrap_or(1) as usize;
            let conditions = match conditions {
                Some(conditions) => {
                    let rows: Vec<usize> = (0..conditions.rows()).flat_map(|row| vec![row; draws]).collect();
                    conditions.select(&rows)?
                }
                None => Conditions::none(draws),
            };
            model.sample_prior(conditions, args.seed)?
        }
    };
    let rows = codes.z.dim(0)?;
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
            let mut formulae = formulae_or_file(given, model.config().variables)?;
            if formulae.len() == 1 {
                formulae = vec![formulae[0].clone(); rows];
            }
            if formulae.len() != rows {
                bail!(
                    "there are {} formulae for {rows} vectors: give one per vector, or one for all",
                    formulae.len()
                );
            }
            let batch = model.prepare_with(&formulae, codes.conditions.clone())?;
            let nll = model.negative_log_likelihood(&batch, &codes.z)?;
            let one = |(formula, nll): (Formula, f32)| {
                vec![Decoded { formula: Some(formula), log_probability: -f64::from(nll), count: 1 }]
            };
            formulae.into_iter().zip(nll.to_vec1::<f32>()?).map(one).collect()
        }
        None => model.decode(&codes, decoding)?,
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

/// The conditions of a file of semantic vectors, or of a formula.
fn conditions(model: &Model, given: &str) -> Result<Conditions> {
    let Some(embedding) = model.embedding() else {
        bail!("this model is not conditional: leave out --context")
    };
    let path = Path::new(given);
    if path.exists() {
        return Ok(Conditions::from_vectors(matrix(path, embedding.components())?)?);
    }
    let formula: Formula =
        given.parse().with_context(|| format!("`{given}` is neither a file nor a valid formula"))?;
    Ok(model.conditions(&[Condition::Formula(formula)])?)
}

/// A matrix of a .npy file, f32 or f64, with rows of `columns` numbers.
fn matrix(path: &Path, columns: usize) -> Result<Tensor> {
    let open = || File::open(path).with_context(|| format!("cannot open {}", path.display()));
    let found: Array2<f32> = match Array2::<f32>::read_npy(BufReader::new(open()?)) {
        Ok(found) => found,
        Err(_) => Array2::<f64>::read_npy(BufReader::new(open()?))
            .map_err(|e| anyhow::anyhow!("{}: this is not a .npy matrix of f32 or f64: {e}", path.display()))?
            .mapv(|x| x as f32),
    };
    if found.ncols() != columns {
        bail!("{} has rows of {} numbers, but {columns} are expected", path.display(), found.ncols());
    }
    if found.nrows() == 0 {
        bail!("{} has no rows", path.display());
    }
    if let Some(((row, column), value)) = found.indexed_iter().find(|(_, x)| !x.is_finite()) {
        bail!("{}: row {row}, column {column} is {value}: only finite numbers are allowed", path.display());
    }
    let shape = found.dim();
    Ok(Tensor::from_vec(found.into_iter().collect::<Vec<f32>>(), shape, &Device::Cpu)?)
}

//! `logicvae encode`

use std::process::ExitCode;

use anyhow::{Result, bail};
use candle_core::DType;
use logicvae_kernel::{NpyWriter, Precision};
use logicvae_logic::Formula;
use ndarray::Array2;
use serde::Serialize;

use crate::args::EncodeArgs;
use crate::input::is_standard;
use crate::output::{Output, check_target, write_file};
use crate::trained::{encode, formulae_or_file, open};

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
            bail!("a .npy file cannot be printed: name a file with --out, or leave it out to print text");
        }
        check_target(out, args.force)?;
    }
    let (_, model) = open(&args.model)?;
    let list = formulae_or_file(&args.input, model.config().variables)?;
    model.config().vocabulary().trees(&list)?;
    let (codes, exact) = encode(&model, &list, args.refine)?;
    let failed: Vec<Formula> =
        list.iter().zip(&exact).filter(|(_, exact)| !**exact).map(|(f, _)| f.clone()).collect();
    let rows: Vec<Vec<f32>> = codes.z.to_dtype(DType::F32)?.to_vec2()?;
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

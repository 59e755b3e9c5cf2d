//! `logicvae encode`

use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use crate::args::EncodeArgs;
use crate::input::Inputs;
use crate::matrix::MatrixFormat;
use crate::message::message;
use crate::output::Output;
use crate::trained::{encode, encode_only, formulae, formulae_or_file, open};

#[derive(Serialize)]
struct Report {
    rows: usize,
    width: usize,
    /// The number of formulae that decode to themselves; none if that was not checked.
    exact: Option<usize>,
    failed: Vec<Failed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vectors: Option<Vec<Vec<f32>>>,
}

/// A formula that no vector was found for.
#[derive(Serialize)]
struct Failed {
    row: usize,
    formula: String,
    exact: bool,
}

pub fn run(args: &EncodeArgs, output: Output) -> Result<ExitCode> {
    let format = args.out.as_ref().map(|out| MatrixFormat::check(out, args.force)).transpose()?;
    let model = open(&args.model)?;
    let mut inputs = Inputs::new();
    let entries = formulae_or_file(&args.input, model.config().limits(), &mut inputs)?;
    let list = formulae(&entries);
    let (codes, exact) = match args.no_verify {
        true => (encode_only(&model, &list)?, None),
        false => encode(&model, &list).map(|(codes, exact)| (codes, Some(exact)))?,
    };
    let inexact = |(row, exact): (usize, &bool)| {
        (!exact).then(|| Failed { row, formula: inputs.show(&list[row]), exact: false })
    };
    let failed: Vec<Failed> = exact.iter().flatten().enumerate().filter_map(inexact).collect();
    let rows: Vec<Vec<f32>> = model.vectors(&codes)?.to_vec2()?;
    if let Some((format, out)) = format.zip(args.out.as_ref()) {
        format.write(out, args.force, &rows)?;
    }
    let report = Report {
        rows: rows.len(),
        width: model.vector_width(),
        exact: exact.map(|exact| exact.len() - failed.len()),
        failed,
        vectors: args.out.is_none().then_some(rows),
    };
    output.print(&report, |out| {
        match &report.vectors {
            Some(rows) => {
                for (formula, row) in list.iter().zip(rows) {
                    let numbers: Vec<String> = row.iter().map(f32::to_string).collect();
                    writeln!(out, "{}\t{}", inputs.show(formula), numbers.join(" "))?;
                }
            }
            None => writeln!(out, "{} vectors of {} numbers", report.rows, report.width)?,
        }
        if let (Some(exact), None) = (report.exact, &report.vectors) {
            writeln!(out, "{exact} of {} decode to their formula", report.rows)?;
        }
        Ok(())
    })?;
    for Failed { row, formula, .. } in &report.failed {
        message(format_args!("logicvae: row {row} does not decode to its formula: {formula}"));
    }
    Ok(ExitCode::SUCCESS)
}

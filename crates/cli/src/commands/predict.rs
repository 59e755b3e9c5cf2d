//! `logicvae predict`: applies a mined formula.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use logicvae_mine::{Feature, ParsedFormula, Test, parse, predict};
use serde::{Deserialize, Serialize};

use crate::args::PredictArgs;
use crate::output::Output;

/// The part of a result of `logicvae mine` that is needed.
#[derive(Deserialize)]
struct MinedResult {
    formulae: Vec<Entry>,
    target: Feature,
}

#[derive(Deserialize)]
struct Entry {
    formula: String,
    chosen: bool,
}

#[derive(Serialize)]
struct Report {
    formula: String,
    predictions: Vec<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    f1: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<u64>,
}

pub fn run(args: &PredictArgs, output: Output) -> Result<ExitCode> {
    let (text, formula, own_target) = formula(&args.formula)?;
    let target = match (&args.target, &args.positive, own_target) {
        (None, _, own) => own,
        (Some(column), Some(value), _) => Some(Feature::new(column.clone(), Test::Equals(value.clone()))),
        // The result knows which value counts as true.
        (Some(column), None, Some(mut own)) => {
            own.column.clone_from(column);
            Some(own)
        }
        (Some(column), None, None) => Some(Feature::new(column.clone(), Test::True)),
    };
    let found = predict(&args.rows, &formula, target.as_ref())?;
    if args.target.is_some() && found.with_target == 0 {
        bail!(
            "--target: the table has no column `{}` with values",
            args.target.as_deref().unwrap_or_default()
        );
    }
    for (column, count) in &found.unreadable {
        crate::message::message(format_args!(
            "column `{column}`: {count} values that the formula cannot read count as missing"
        ));
    }
    let compared = (found.with_target > 0).then_some(found.confusion);
    let report = Report {
        formula: text,
        predictions: found.values.iter().map(|&value| u8::from(value)).collect(),
        accuracy: compared.map(|confusion| confusion.accuracy()),
        f1: compared.map(|confusion| confusion.f1()),
        compared: compared.map(|_| found.with_target),
    };
    output.print(&report, |out| {
        for value in &report.predictions {
            writeln!(out, "{value}")?;
        }
        Ok(())
    })?;
    if let (Some(accuracy), Some(f1), false) = (report.accuracy, report.f1, output.json) {
        let rows = found.with_target;
        crate::message::message(format_args!(
            "accuracy {accuracy:.4}, F1 {f1:.4} on {rows} rows with a target"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// The formula, and the target if it comes from a result.
fn formula(argument: &str) -> Result<(String, ParsedFormula, Option<Feature>)> {
    let path = Path::new(argument);
    if !path.is_file() {
        if path.extension().is_some_and(|extension| extension == "json") {
            bail!("{argument} does not exist: give a result of `logicvae mine --json`, or a formula");
        }
        return Ok((argument.to_owned(), parse(argument)?, None));
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {argument}"))?;
    let result: MinedResult = serde_json::from_slice(&bytes)
        .with_context(|| format!("{argument} is not a result of `logicvae mine --json`"))?;
    let Some(chosen) = result.formulae.into_iter().find(|entry| entry.chosen) else {
        bail!("{argument} has no chosen formula");
    };
    let parsed = parse(&chosen.formula)?;
    Ok((chosen.formula, parsed, Some(result.target)))
}

//! `logicvae check`: whether two formulae are equivalent.

use std::process::ExitCode;

use anyhow::Result;
use logicvae_logic::{Assignment, Equivalence, Formula};
use serde::Serialize;

use crate::args::CheckArgs;
use crate::input::FormulaArguments;
use crate::output::Output;

#[derive(Serialize)]
struct Report {
    equivalent: bool,
    counterexample: Option<Assignment>,
}

pub fn run(args: &CheckArgs, output: Output) -> Result<ExitCode> {
    let mut arguments = FormulaArguments::new();
    let (first, second) = (arguments.parse(&args.first)?, arguments.parse(&args.second)?);
    arguments.finish()?;
    let counterexample = match first.compare(&second) {
        Equivalence::Equivalent => None,
        Equivalence::Differ(assignment) => Some(assignment),
    };
    let report = Report { equivalent: counterexample.is_none(), counterexample };
    output.print(&report, |out| match &report.counterexample {
        None => writeln!(out, "equivalent"),
        Some(assignment) => {
            let value = |formula: &Formula| formula.sign(assignment).unwrap_or_default();
            writeln!(
                out,
                "different at {assignment} (x1 first): {:+} and {:+}",
                value(&first),
                value(&second)
            )
        }
    })?;
    Ok(if report.equivalent { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

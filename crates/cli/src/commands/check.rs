//! `logicvae check`

use std::process::ExitCode;

use anyhow::Result;
use logicvae_logic::{Assignment, Equivalence};
use serde::Serialize;

use crate::args::CheckArgs;
use crate::input::Arguments;
use crate::output::Output;

#[derive(Serialize)]
struct Report {
    equivalent: bool,
    counterexample: Option<Assignment>,
}

pub fn run(args: &CheckArgs, output: Output) -> Result<ExitCode> {
    let mut arguments = Arguments::new();
    let (first, second) = (arguments.formula(&args.first)?, arguments.formula(&args.second)?);
    arguments.finish()?;
    let counterexample = match first.compare(&second) {
        Equivalence::Equivalent => None,
        Equivalence::Differ(at) => Some(at),
    };
    let report = Report { equivalent: counterexample.is_none(), counterexample };
    output.print(&report, |out| match &report.counterexample {
        None => writeln!(out, "equivalent"),
        Some(at) => {
            let value = |f: &logicvae_logic::Formula| f.sign(at).unwrap_or_default();
            writeln!(out, "different at {at} (x1 first): {:+} and {:+}", value(&first), value(&second))
        }
    })?;
    Ok(if report.equivalent { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

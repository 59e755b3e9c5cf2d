//! `logicvae check`: whether two formulae are equivalent.

use std::process::ExitCode;

use anyhow::Result;
use logicvae_logic::{Assignment, Equivalence, Formula, Unknown, Var};
use serde::Serialize;

use crate::args::CheckArgs;
use crate::failure::UNKNOWN;
use crate::input::Inputs;
use crate::output::Output;

#[derive(Serialize)]
struct Report {
    /// None if that is unknown.
    equivalent: Option<bool>,
    counterexample: Option<Assignment>,
}

pub fn run(args: &CheckArgs, output: Output) -> Result<ExitCode> {
    let budget = args.limit.budget()?;
    let mut inputs = Inputs::new();
    let (first, second) = (inputs.formula(&args.first)?, inputs.formula(&args.second)?);
    inputs.finish()?;
    let (equivalent, counterexample) = match first.compare_within(&second, &budget) {
        Ok(Equivalence::Equivalent) => (Some(true), None),
        Ok(Equivalence::Differ(assignment)) => (Some(false), Some(assignment)),
        Err(Unknown) => (None, None),
    };
    let report = Report { equivalent, counterexample };
    output.print(&report, |out| match (&report.counterexample, report.equivalent) {
        (None, Some(_)) => writeln!(out, "equivalent"),
        (None, None) => {
            writeln!(out, "unknown: the limit was reached before the answer was known; see --time-limit")
        }
        (Some(assignment), _) => {
            let value = |formula: &Formula| u8::from(formula.evaluate(assignment).unwrap_or_default());
            if inputs.names.is_empty() {
                write!(out, "different at {assignment} (x1 first)")?;
            } else {
                let mut used: Vec<_> = first.variables().into_iter().chain(second.variables()).collect();
                used.sort_unstable();
                used.dedup();
                let values = assignment.values();
                let cell =
                    |v: &Var| format!("{} = {}", inputs.names.show(*v), u8::from(values[v.position()]));
                write!(out, "different at {}", used.iter().map(cell).collect::<Vec<_>>().join(", "))?;
            }
            writeln!(out, ": {} and {}", value(&first), value(&second))
        }
    })?;
    Ok(match report.equivalent {
        Some(true) => ExitCode::SUCCESS,
        Some(false) => ExitCode::FAILURE,
        None => UNKNOWN.into(),
    })
}

//! `logicvae eval`: value, truth table and satisfying assignments of a formula.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Result, bail};
use logicvae_logic::{Assignment, Budget, CountError, Formula, Operators, TruthTable, Var, minimise};
use serde::Serialize;

use crate::args::EvalArgs;
use crate::failure::UNKNOWN;
use crate::input::Inputs;
use crate::message::message;
use crate::output::Output;
use crate::table::right_aligned;

/// Formulae with more nodes are not minimised.
const LARGE: usize = 2000;

#[derive(Serialize)]
struct Report {
    formula: String,
    variables: usize,
    nodes: usize,
    depth: usize,
    value: Option<i8>,
    truth_table: Option<String>,
    satisfying: Option<u128>,
    simplified: Option<String>,
}

pub fn run(args: &EvalArgs, output: Output) -> Result<ExitCode> {
    let budget = args.limit.budget()?;
    let mut inputs = Inputs::new();
    let formula = inputs.formula(&args.formula)?;
    inputs.finish()?;
    let variables = variables(&formula, args, &inputs)?;
    let table = if args.truth_table { Some(formula.truth_table(variables)?) } else { None };
    let mut code = ExitCode::SUCCESS;
    // Counting can take long, so satisfying assignments are counted only if nothing else was asked for.
    let skipped = args.assign.is_some() || args.simplify;
    let satisfying = match &table {
        Some(table) => Some(table.count_ones().into()),
        None if skipped => None,
        None => match formula.count_models_within(variables, &budget) {
            Ok(count) => Some(count),
            Err(reason) => {
                message(format_args!("logicvae: satisfying assignments are not counted: {reason}"));
                if let CountError::Unknown(_) | CountError::TooHard = reason {
                    code = UNKNOWN.into();
                }
                None
            }
        },
    };
    let report = Report {
        variables,
        nodes: formula.size(),
        depth: formula.depth(),
        value: args.assign.as_ref().map(|a| formula.sign(a)).transpose()?,
        truth_table: table.as_ref().map(TruthTable::to_string),
        satisfying,
        simplified: args.simplify.then(|| inputs.show(&simplified(&formula, &budget))),
        formula: inputs.show(&formula),
    };
    let columns = inputs.names.columns(variables);
    output.print(&report, |out| text(&report, args, table.as_ref().map(|t| (t, &columns[..])), out))?;
    Ok(code)
}

/// The number of variables: `--vars`, or the length of `--assign`, or the largest variable of the formula.
fn variables(formula: &Formula, args: &EvalArgs, inputs: &Inputs) -> Result<usize> {
    let used = formula.max_variable() as usize;
    let last = || {
        let name = Var::new(used as u32).ok().and_then(|var| inputs.names.name(var));
        name.map_or(format!("x{used}"), |name| format!("`{name}`, variable {used},"))
    };
    let assigned = args.assign.as_ref().map(Assignment::len);
    if let Some(given) = args.vars.map(|v| v as usize) {
        if used > given {
            bail!(
                "the formula contains {}, but --vars is {given}: use fewer variables, or increase --vars",
                last()
            );
        }
        if let Some(assigned) = assigned.filter(|&a| a != given) {
            bail!("--assign has {assigned} values, but --vars is {given}: give one value per variable");
        }
        return Ok(given);
    }
    match assigned {
        Some(assigned) if assigned < used => {
            bail!(
                "--assign has {assigned} value(s), but the formula contains {}: give at least {used} values",
                last()
            )
        }
        Some(assigned) => Ok(assigned),
        None => Ok(used),
    }
}

fn text(
    report: &Report,
    args: &EvalArgs,
    table: Option<(&TruthTable, &[String])>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "formula     {}", report.formula)?;
    writeln!(
        out,
        "size        {} nodes, depth {}, {} variable(s)",
        report.nodes, report.depth, report.variables
    )?;
    if let (Some(value), Some(assignment)) = (report.value, &args.assign) {
        writeln!(out, "value       {} at {assignment}", u8::from(value > 0))?;
    }
    if report.satisfying.is_none() && args.assign.is_none() && !args.simplify {
        writeln!(out, "satisfying  unknown")?;
    }
    if let Some(count) = report.satisfying {
        let all = 1u128 << report.variables;
        let remark = match count {
            0 => " (contradiction)",
            c if c == all => " (tautology)",
            _ => "",
        };
        writeln!(out, "satisfying  {count} of {all}{remark}")?;
    }
    if let Some(simplified) = &report.simplified {
        writeln!(out, "simplified  {simplified}")?;
    }
    table.map_or(Ok(()), |(table, columns)| truth_table(table, columns, out))
}

/// The smallest formula with the same meaning that is found in a second, or within the budget. Very large
/// formulae are only rewritten.
fn simplified(formula: &Formula, budget: &Budget) -> Formula {
    let simple = formula.simplify();
    if simple.size() > LARGE {
        return simple;
    }
    let found = minimise(&simple, Operators::BASIC, &budget.at_most(1.0));
    found.map_or(simple, |found| found.expression.to_formula())
}

/// Prints one row per assignment for a few variables, and one string of bits for more.
fn truth_table(table: &TruthTable, columns: &[String], out: &mut dyn Write) -> io::Result<()> {
    const MAX_VARIABLES_IN_ROWS: usize = 8;
    if table.variables() > MAX_VARIABLES_IN_ROWS {
        return writeln!(out, "truth table\n{table}");
    }
    writeln!(out, "\n  {}  value", columns.join(" "))?;
    for index in 0..table.len() {
        let assignment = Assignment::from_index(index as u64, table.variables());
        let cells = assignment.values().iter().zip(columns);
        let cells: Vec<String> = cells
            .map(|(&value, name)| right_aligned(&u8::from(value).to_string(), name.chars().count()))
            .collect();
        writeln!(out, "  {}  {:>5}", cells.join(" "), if table.get(index) { "1" } else { "0" })?;
    }
    Ok(())
}

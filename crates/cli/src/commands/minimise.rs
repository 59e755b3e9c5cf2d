//! `logicvae minimise`: the smallest formula with the same meaning.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use logicvae_logic::{Budget, Entry, Operators, minimise};
use serde::Serialize;

use crate::args::{MinimiseArgs, OperatorName};
use crate::input::{Inputs, is_file};
use crate::output::Output;
use crate::place::Place;
use crate::progress::Progress;
use crate::table::Table;

#[derive(Serialize)]
struct Report {
    formulae: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    place: Place,
    formula: String,
    size: usize,
    size_before: usize,
    optimal: bool,
}

pub fn run(args: &MinimiseArgs, output: Output) -> Result<ExitCode> {
    if !(args.time_limit.is_finite() && args.time_limit >= 0.0) {
        bail!("--time-limit must be a number of seconds that is at least 0");
    }
    let operators = operators(&args.operators);
    let mut inputs = Inputs::new();
    let (file, entries) = entries(args, &mut inputs)?;
    let mut bar = Progress::new("minimising", entries.len());
    let mut formulae = Vec::with_capacity(entries.len());
    for (done, entry) in entries.iter().enumerate() {
        let budget = Budget::seconds(args.time_limit);
        let found = minimise(&entry.formula, operators, &budget)
            .with_context(|| format!("`{}`", inputs.show(&entry.formula)))?;
        formulae.push(Line {
            place: Place::new(file, entry),
            formula: found.expression.display(&inputs.names).to_string(),
            size: found.expression.size(),
            size_before: entry.formula.size(),
            optimal: found.optimal,
        });
        bar.set(done + 1);
    }
    drop(bar);
    let report = Report { formulae };
    output.print(&report, |out| {
        let mut table = Table::new(["nodes", "before", "", "line", "label", "formula"]);
        for l in &report.formulae {
            let (line, label) = if file.is_some() { l.place.cells() } else { Default::default() };
            let proof = if l.optimal { "optimal" } else { "not proven" };
            let sizes = (l.size.to_string(), l.size_before.to_string());
            table.row([sizes.0, sizes.1, proof.to_owned(), line, label, l.formula.clone()]);
        }
        table.write(out)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The formulae of a file, if there is one of this name; otherwise the formula itself.
fn entries<'a>(args: &'a MinimiseArgs, inputs: &mut Inputs) -> Result<(Option<&'a Path>, Vec<Entry>)> {
    let path = Path::new(&args.input);
    if is_file(&args.input)? {
        return Ok((Some(path), inputs.entries(path, None)?));
    }
    let parsed = inputs.names.parse(&args.input);
    let formula =
        parsed.with_context(|| format!("`{}` is neither a file nor a valid formula", args.input))?;
    Ok((None, vec![formula.into()]))
}

fn operators(names: &[OperatorName]) -> Operators {
    let has = |name: OperatorName| names.contains(&name);
    Operators {
        not: has(OperatorName::Not),
        and: has(OperatorName::And),
        or: has(OperatorName::Or),
        xor: has(OperatorName::Xor),
    }
}

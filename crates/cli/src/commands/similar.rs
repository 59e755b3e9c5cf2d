//! `logicvae similar`: nearest formulae by meaning.

use std::process::ExitCode;

use anyhow::{Result, bail};
use logicvae_kernel::{Measure, Neighbours, Overlap};
use logicvae_logic::{Budget, Formula};
use serde::Serialize;

use crate::args::{MeasureName, SimilarArgs};
use crate::domain::{domain, largest_variable};
use crate::input::{Inputs, display_name};
use crate::output::Output;
use crate::place::Place;
use crate::table::Table;
use crate::trained::formulae;

/// The number of further formulae that are compared, so that contradictions can go behind formulae with the
/// same value.
const SPARE: usize = 16;

/// How long to look for an assignment at which both formulae are true, in seconds.
const CONTRADICTION_SECONDS: f64 = 1.0;

#[derive(Serialize)]
struct Report {
    measure: &'static str,
    assignments: usize,
    /// Whether the measure is computed at all assignments, not at a sample of them.
    exact: bool,
    neighbours: Vec<Neighbour>,
}

#[derive(Serialize)]
struct Neighbour {
    formula: String,
    #[serde(flatten)]
    place: Place,
    kernel: f64,
    /// The similarity by the measure.
    value: f64,
    /// Whether both formulae cannot be true together; none if that is unknown.
    contradicts: Option<bool>,
}

impl MeasureName {
    fn measure(self) -> (Measure, &'static str) {
        match self {
            Self::Agreement => (Measure::Agreement, "agreement"),
            Self::Jaccard => (Measure::Jaccard, "jaccard"),
            Self::Centred => (Measure::Centred, "centred"),
            Self::Entailment => (Measure::Entailment, "entailment"),
        }
    }
}

pub fn run(args: &SimilarArgs, output: Output) -> Result<ExitCode> {
    if args.k == 0 {
        bail!("-k must be at least 1");
    }
    let mut inputs = Inputs::new();
    let candidates = inputs.entries(&args.file, args.domain.vars)?;
    let formula = inputs.formula(&args.formula)?;
    inputs.finish()?;
    let list = formulae(&candidates);
    let used = largest_variable(list.iter().chain([&formula]));
    let domain = domain(&args.domain, used)?;
    let (assignments, exact) = (
        domain.len(),
        args.domain.rows.is_none() && domain.len() as f64 == 2f64.powi(domain.variables() as i32),
    );
    let (measure, name) = args.measure.measure();
    let nearest: Vec<(usize, f64, f64)> = match measure {
        // The index finds the largest kernel values without computing the others.
        Measure::Agreement => {
            let found = Neighbours::new(domain, &list)?.nearest(&formula, args.k.saturating_add(SPARE))?;
            found.into_iter().map(|n| (n.index, n.kernel, (n.kernel + 1.0) / 2.0)).collect()
        }
        _ => {
            let overlaps = Overlap::with_all(&domain, &formula, &list)?;
            let value = |at: usize| overlaps[at].measure(measure);
            let mut order: Vec<usize> = (0..list.len()).collect();
            order.sort_by(|&a, &b| value(b).total_cmp(&value(a)).then(a.cmp(&b)));
            order.truncate(args.k.saturating_add(SPARE));
            let kernel = |at: usize| 2.0 * overlaps[at].measure(Measure::Agreement) - 1.0;
            order.into_iter().map(|at| (at, kernel(at), value(at))).collect()
        }
    };
    let neighbours = nearest.into_iter().map(|(at, kernel, value)| Neighbour {
        formula: inputs.show(&list[at]),
        place: Place::new(Some(&args.file), &candidates[at]),
        kernel,
        value,
        contradicts: contradicts(&formula, &list[at]),
    });
    let mut neighbours: Vec<Neighbour> = neighbours.collect();
    neighbours.sort_by(|a, b| {
        let contradicts = |n: &Neighbour| n.contradicts == Some(true);
        b.value.total_cmp(&a.value).then(contradicts(a).cmp(&contradicts(b)))
    });
    neighbours.truncate(args.k);
    let report = Report { measure: name, assignments, exact, neighbours };
    output.print(&report, |out| {
        let sampled = if exact { "all" } else { "sampled" };
        writeln!(out, "measure: {name}, at {assignments} assignments ({sampled})")?;
        writeln!(out, "formulae: {}", display_name(&args.file))?;
        let mut table = Table::new([name, "kernel", "line", "label", "", "formula"]);
        for n in &report.neighbours {
            let (line, label) = n.place.cells();
            let flag = if n.contradicts == Some(true) { "contradicts it" } else { "" };
            let value = match measure {
                Measure::Centred => format!("{:.4}", n.value),
                _ => format!("{:.2} %", 100.0 * n.value),
            };
            let kernel = format!("{:.4}", n.kernel);
            table.row([value, kernel, line, label, flag.to_owned(), n.formula.clone()]);
        }
        table.write(out)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Whether two formulae cannot be true together.
fn contradicts(a: &Formula, b: &Formula) -> Option<bool> {
    let budget = Budget::seconds(CONTRADICTION_SECONDS);
    (a & b).find_model_within(&budget).ok().map(|model| model.is_none())
}

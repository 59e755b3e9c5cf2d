//! `logicvae map`

use std::process::ExitCode;

use anyhow::{Result, bail};
use logicvae_logic::Formula;
use logicvae_vae::plane;
use serde::Serialize;

use crate::args::MapArgs;
use crate::domain::model_domain;
use crate::figure::{Picture, map};
use crate::input::Inputs;
use crate::output::Output;
use crate::trained::{encode_only, formulae, formulae_or_test_set, open};

/// The maximum number of points: more would hide each other.
const MOST: usize = 2000;

#[derive(Serialize)]
struct Report {
    rows: usize,
}

pub fn run(args: &MapArgs, output: Output) -> Result<ExitCode> {
    let picture = Picture::new(&args.out, args.force)?;
    let model = open(&args.model)?;
    let mut inputs = Inputs::new();
    let limits = model.config().limits();
    let mut entries = formulae_or_test_set(&args.model, args.file.as_deref(), limits, &mut inputs)?;
    entries.truncate(MOST);
    let list = formulae(&entries);
    if list.len() < 2 {
        bail!("a map needs at least two formulae: name a file with --in");
    }
    let points = plane(&model.vectors(&encode_only(&model, &list)?)?)?;
    let domain = model_domain(model.config().variables)?;
    let values = domain.values(&list)?;
    let satisfied: Vec<f64> = (0..list.len())
        .map(|row| {
            values.row(row).iter().map(|w| w.count_ones() as usize).sum::<usize>() as f64
                / domain.len() as f64
        })
        .collect();
    let title = format!("{} formulae; colour: the share of assignments that satisfy them", list.len());
    let drawn = map(&title, &points, &satisfied, &labels(&list, &points, args.labels, &inputs))?;
    picture.write(&drawn)?;
    let report = Report { rows: list.len() };
    output.print(&report, |out| writeln!(out, "{} formulae drawn in {}", report.rows, args.out.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Labels for some of the shortest formulae, far from each other; the others are empty.
fn labels(list: &[Formula], points: &[(f64, f64)], count: usize, inputs: &Inputs) -> Vec<String> {
    let mut sizes: Vec<usize> = list.iter().map(Formula::size).collect();
    sizes.sort_unstable();
    let short = sizes[sizes.len() / 5];
    let candidates: Vec<usize> = (0..list.len()).filter(|&at| list[at].size() <= short).collect();
    let mut labels = vec![String::new(); list.len()];
    let mut chosen: Vec<usize> = Vec::new();
    for _ in 0..count.min(candidates.len()) {
        let distance = |a: usize, b: usize| (points[a].0 - points[b].0).hypot(points[a].1 - points[b].1);
        let nearest = |at: usize| chosen.iter().map(|&c| distance(at, c)).fold(f64::INFINITY, f64::min);
        let best = candidates.iter().copied().max_by(|&a, &b| {
            let order = nearest(a).total_cmp(&nearest(b));
            order.then_with(|| list[b].size().cmp(&list[a].size())).then_with(|| b.cmp(&a))
        });
        chosen.extend(best.filter(|&best| nearest(best) > 0.0));
    }
    chosen.into_iter().for_each(|at| labels[at] = inputs.show(&list[at]));
    labels
}

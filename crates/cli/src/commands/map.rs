//! `logicvae map`

use std::process::ExitCode;

use anyhow::{Result, bail};
use logicvae_logic::Formula;
use logicvae_vae::plane;
use serde::Serialize;

use crate::args::MapArgs;
use crate::domain::model_domain;
use crate::figure::{MapContent, Picture, map};
use crate::input::Inputs;
use crate::output::Output;
use crate::place::Place;
use crate::trained::{encode_only, formulae, formulae_or_test_set, open};

/// The maximum number of points: more would hide each other.
const MOST: usize = 2000;

#[derive(Serialize)]
struct Report {
    rows: usize,
    points: Vec<Point>,
}

/// A formula and its place in the plane.
#[derive(Serialize)]
struct Point {
    #[serde(flatten)]
    place: Place,
    formula: String,
    x: f64,
    y: f64,
    /// The share of assignments that satisfy it.
    satisfied: f64,
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
    let title = format!("Vectors of {} formulae in the plane", list.len());
    let file = args.file.as_deref();
    let point = |at: usize| Point {
        place: Place::new(file, &entries[at]),
        formula: inputs.show(&list[at]),
        x: points[at].0,
        y: points[at].1,
        satisfied: satisfied[at],
    };
    let report = Report { rows: list.len(), points: (0..list.len()).map(point).collect() };
    // What identifies a point: its label or line, and the formula.
    let names: Vec<String> = report.points.iter().map(Point::name).collect();
    let labels: Vec<String> = labelled(&list, &points, args.labels)
        .into_iter()
        .zip(&report.points)
        .map(|(chosen, point)| if chosen { point.short_name() } else { String::new() })
        .collect();
    let colour = "share of assignments that satisfy the formula";
    let content = MapContent {
        title: &title,
        colour,
        points: &points,
        values: &satisfied,
        names: &names,
        labels: &labels,
    };
    picture.write(&map(&content)?)?;
    output.print(&report, |out| writeln!(out, "{} formulae drawn in {}", report.rows, args.out.display()))?;
    Ok(ExitCode::SUCCESS)
}

impl Point {
    /// Everything about the point, for viewers that show it.
    fn name(&self) -> String {
        let label = self.place.label.as_ref().map_or(String::new(), |label| format!("{label}: "));
        format!("line {}: {label}{}", self.place.line, self.formula)
    }

    /// Its label in the file, or else the formula.
    fn short_name(&self) -> String {
        self.place.label.clone().unwrap_or_else(|| self.formula.clone())
    }
}

/// Which formulae are labelled: some of the shortest ones, far from each other.
fn labelled(list: &[Formula], points: &[(f64, f64)], count: usize) -> Vec<bool> {
    let mut sizes: Vec<usize> = list.iter().map(Formula::size).collect();
    sizes.sort_unstable();
    let short = sizes[sizes.len() / 5];
    let candidates: Vec<usize> = (0..list.len()).filter(|&at| list[at].size() <= short).collect();
    let mut labelled = vec![false; list.len()];
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
    chosen.into_iter().for_each(|at| labelled[at] = true);
    labelled
}

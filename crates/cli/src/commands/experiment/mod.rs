//! `logicvae experiment`: the kernel experiments of the paper and their figures.

mod table;

use std::fmt::Write;
use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result};
use logicvae_kernel::experiments::{self, Accuracy, ClassificationParams};
use logicvae_kernel::{Form, PAPER_SIGMA2};
use serde_json::{Value, json};

use crate::args::{Experiment, ExperimentArgs};
use crate::figure::{Axis, Chart, ENDINGS, Figure, Mark, Series};
use crate::output::{Output, check_target};
use crate::progress::Progress;

const GAUSSIAN: Form = Form::Gaussian { sigma2: PAPER_SIGMA2 };

/// Sample sizes of the experiments: those of the paper, or about a tenth of them.
struct Sizes {
    pool: usize,
    pairs: usize,
    repetitions: usize,
    seed: u64,
}

pub fn run(args: &ExperimentArgs, output: Output) -> Result<ExitCode> {
    let sizes = if args.quick {
        Sizes { pool: 500, pairs: 100, repetitions: 10, seed: args.seed }
    } else {
        Sizes { pool: 5000, pairs: 500, repetitions: 100, seed: args.seed }
    };
    fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot create the folder {}", args.out.display()))?;
    let names: &[&str] = match args.experiment {
        Experiment::Variance => &["variance-plain", "variance-gaussian"],
        Experiment::Correlation => &["correlation-plain", "correlation-gaussian"],
        Experiment::Classification => &["classification"],
        Experiment::Agreement => &["agreement"],
        Experiment::Pool => &["pool"],
    };
    for name in names {
        for ending in ENDINGS {
            check_target(&args.out.join(format!("{name}.{ending}")), args.force)?;
        }
    }
    let (figures, numbers) = match args.experiment {
        Experiment::Variance => variance(&sizes)?,
        Experiment::Correlation => correlation(&sizes)?,
        Experiment::Classification => classification(&sizes)?,
        Experiment::Agreement => agreement(&sizes)?,
        Experiment::Pool => pool(&sizes)?,
    };
    for figure in &figures {
        figure.write(&args.out, args.force)?;
    }
    let files: Vec<String> =
        figures.iter().flat_map(|f| ENDINGS.map(|e| format!("{}.{e}", f.name))).collect();
    let report = json!({
        "experiment": names[0].split('-').next(), "quick": args.quick, "seed": args.seed,
        "files": files, "results": numbers,
    });
    output.print(&report, |out| {
        table::write(out, args.experiment, &report["results"])?;
        writeln!(out, "{} written to {}", files.join(", "), args.out.display())
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The figures of an experiment, and its results as JSON.
type Outcome = Result<(Vec<Figure>, Value)>;

/// The name of a kernel in figures, files and JSON.
fn form_name(form: Form) -> &'static str {
    if form == Form::Plain { "plain" } else { "gaussian" }
}

/// Explained variance by number of components, for 3 to 10 variables.
fn variance(sizes: &Sizes) -> Outcome {
    let (mut figures, mut numbers) = (Vec::new(), Vec::new());
    let components = 500.min(sizes.pool / 3);
    let mut progress = Progress::new("fitting embeddings", 16);
    for form in [Form::Plain, GAUSSIAN] {
        let mut series = Vec::new();
        let mut csv = String::from("variables,components,explained_variance\n");
        for n in 3..=10 {
            let curve = experiments::variance([n], sizes.pool, components, form, sizes.seed)?.remove(0);
            progress.set(series.len() + 8 * usize::from(form != Form::Plain));
            for (k, share) in (1..).zip(&curve.cumulative) {
                writeln!(csv, "{n},{k},{share:.6}")?;
            }
            let rank = curve.cumulative.len();
            let explained = |k: usize| curve.cumulative.get(k.min(rank) - 1).copied().unwrap_or(1.0);
            numbers.push(json!({ "form": form_name(form), "variables": n, "components": rank,
                "at_100": explained(100), "at_all": explained(usize::MAX) }));
            let mut points: Vec<(f64, f64)> = (1..).map(f64::from).zip(curve.cumulative).collect();
            if let Some(&(_, last)) = points.last() {
                points.push((components as f64, last)); // the curve is constant beyond the rank
            }
            series.push(Series::new(format!("n = {n}"), Mark::Line, points));
        }
        let name = form_name(form);
        let chart = Chart {
            title: format!("Explained variance of {} formulae, {name} kernel", sizes.pool),
            x_label: "components".into(),
            y_label: "share of variance".into(),
            x: 1.0..components as f64,
            axis: Axis::Log,
            y: 0.4..1.02,
            series,
        };
        figures.push(Figure { name: format!("variance-{name}"), chart, csv });
    }
    Ok((figures, json!(numbers)))
}

/// Distance of embeddings and kernel value of pairs of formulae, for 3 to 5 variables.
fn correlation(sizes: &Sizes) -> Outcome {
    const MAX_POINTS: usize = 700;
    let (mut figures, mut numbers) = (Vec::new(), Vec::new());
    for form in [Form::Plain, GAUSSIAN] {
        let mut series = Vec::new();
        let mut csv = String::from("variables,kernel,distance\n");
        let mut top: f64 = 0.0;
        for n in 3..=5 {
            let result = experiments::correlation(n, sizes.pairs, 100, form, sizes.seed)?;
            numbers.push(json!({ "form": form_name(form), "variables": n, "pairs": result.pairs.len(),
                "pearson": result.pearson, "spearman": result.spearman }));
            // Only every k-th pair is shown, to keep the figure small. The coefficients use all pairs.
            let step = result.pairs.len().div_ceil(MAX_POINTS).max(1);
            let points: Vec<(f64, f64)> = result.pairs.iter().copied().step_by(step).collect();
            for (kernel, distance) in &points {
                writeln!(csv, "{n},{kernel:.6},{distance:.6}")?;
                top = top.max(*distance);
            }
            series.push(Series::new(format!("n = {n}: r = {:.2}", result.pearson), Mark::Points, points));
        }
        let name = form_name(form);
        let chart = Chart {
            title: format!("Embedding distance and {name} kernel, {} formulae", sizes.pairs),
            x_label: "kernel value".into(),
            y_label: "distance of embeddings".into(),
            x: if form == Form::Plain { -1.02..1.02 } else { -0.02..1.02 },
            axis: Axis::Linear,
            y: 0.0..top * 1.04,
            series,
        };
        figures.push(Figure { name: format!("correlation-{name}"), chart, csv });
    }
    Ok((figures, json!(numbers)))
}

/// Accuracy of predicting whether an assignment satisfies a formula, for 3 to 10 variables.
fn classification(sizes: &Sizes) -> Outcome {
    let params = ClassificationParams {
        repetitions: sizes.repetitions,
        train: 400,
        test: 200,
        ridge: 0.1,
        form: GAUSSIAN,
    };
    let mut progress = Progress::new("training classifiers", 8);
    let mut results: Vec<Accuracy> = Vec::new();
    for n in 3..=10 {
        results.push(experiments::classification(n, &params, sizes.seed)?);
        progress.set(results.len());
    }
    let mut csv = String::from("variables,q05,q25,median,q75,q95,mean,guessing\n");
    for r in &results {
        let [a, b, c, d, e] = r.quantiles;
        writeln!(csv, "{},{a:.4},{b:.4},{c:.4},{d:.4},{e:.4},{:.4},{:.4}", r.variables, r.mean, r.guessing)?;
    }
    let median_point = |r: &Accuracy| (f64::from(r.variables), r.quantiles[2]);
    let band = |low: usize, high: usize| {
        results.iter().map(|r| (f64::from(r.variables), r.quantiles[low], r.quantiles[high])).collect()
    };
    let mut median = Series::new("median", Mark::Dotted, results.iter().map(median_point).collect());
    median.bands = vec![band(0, 4), band(1, 3)];
    let guessing = Series::new(
        "guessing",
        Mark::Line,
        results.iter().map(|r| (f64::from(r.variables), r.guessing)).collect(),
    );
    let chart = Chart {
        title: format!("Is a formula true at an assignment? {} repetitions", sizes.repetitions),
        x_label: "variables".into(),
        y_label: "accuracy (5-95 %, 25-75 %)".into(),
        x: 2.8..10.2,
        axis: Axis::Linear,
        y: 0.4..1.02,
        series: vec![median, guessing],
    };
    let numbers: Vec<Value> = results
        .iter()
        .map(|r| {
            json!({ "variables": r.variables, "quantiles": r.quantiles, "mean": r.mean,
                "guessing": r.guessing })
        })
        .collect();
    Ok((vec![Figure { name: "classification".into(), chart, csv }], json!(numbers)))
}

/// Kernel, agreement and Jaccard index of random pairs, for 5 variables.
fn agreement(sizes: &Sizes) -> Outcome {
    let pairs = experiments::agreement(5, 2 * sizes.pairs, sizes.seed)?;
    let mut csv = String::from("kernel,agreement,jaccard\n");
    for p in &pairs {
        writeln!(csv, "{},{},{:.6}", p.kernel, p.agreement, p.jaccard)?;
    }
    let deviation = pairs.iter().map(|p| (p.kernel - (2.0 * p.agreement - 1.0)).abs()).fold(0.0, f64::max);
    let chart = Chart {
        title: "Kernel, agreement and Jaccard index, n = 5".into(),
        x_label: "kernel value k".into(),
        y_label: "similarity".into(),
        x: -1.02..1.02,
        axis: Axis::Linear,
        y: -0.02..1.02,
        series: vec![
            Series::new("(k + 1) / 2", Mark::Line, vec![(-1.0, 0.0), (1.0, 1.0)]),
            Series::new("Jaccard", Mark::Points, pairs.iter().map(|p| (p.kernel, p.jaccard)).collect()),
            Series::new("agreement", Mark::Points, pairs.iter().map(|p| (p.kernel, p.agreement)).collect()),
        ],
    };
    let numbers = json!({ "pairs": pairs.len(), "largest_deviation_from_identity": deviation });
    Ok((vec![Figure { name: "agreement".into(), chart, csv }], numbers))
}

/// Mean kernel value and mean distance in a pool, for 3 to 5 variables and both kernels.
fn pool(sizes: &Sizes) -> Outcome {
    let mut csv = String::from("form,variables,mean_kernel,mean_distance,components,explained_variance\n");
    let (mut series, mut numbers) = (Vec::new(), Vec::new());
    for form in [Form::Plain, GAUSSIAN] {
        let mut points = Vec::new();
        for n in 3..=5 {
            let s = experiments::pool_statistics(n, sizes.pool, 100, form, sizes.seed)?;
            let name = form_name(form);
            writeln!(
                csv,
                "{name},{n},{:.4},{:.4},{},{:.6}",
                s.mean_kernel, s.mean_distance, s.components, s.explained_variance
            )?;
            numbers.push(json!({ "form": name, "variables": n, "mean_kernel": s.mean_kernel,
                "mean_distance": s.mean_distance, "components": s.components,
                "explained_variance": s.explained_variance }));
            points.push((f64::from(n), s.mean_distance));
        }
        series.push(Series::new(form_name(form), Mark::Dotted, points));
    }
    series.push(Series::new("paper", Mark::Dotted, vec![(5.0, 18.7325)]));
    let top = series.iter().flat_map(|s| &s.points).map(|p| p.1).fold(0.0, f64::max);
    let chart = Chart {
        title: format!("Mean distance of the embeddings of {} formulae", sizes.pool),
        x_label: "variables".into(),
        y_label: "mean distance".into(),
        x: 2.8..5.2,
        axis: Axis::Linear,
        y: 0.0..top * 1.1,
        series,
    };
    Ok((vec![Figure { name: "pool".into(), chart, csv }], json!(numbers)))
}

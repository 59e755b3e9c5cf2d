//! `logicvae mine`: a readable formula from a table.

mod live;

use std::process::ExitCode;
use std::sync::Mutex;

use anyhow::{Context, Result, bail};
use logicvae_mine::{
    Feature, MineError, MineOptions, Mined, MinedFormula, Summary, Table as Rows, TableOptions, WrongRow,
    mine, parse, wrong_rows,
};
use serde::Serialize;

use crate::args::{LimitArgs, MineArgs};
use crate::figure::{Picture, draw_front};
use crate::message::message;
use crate::output::Output;
use crate::table::Table;
use live::Live;

/// The number of formulae that are listed after the chosen one.
const LARGER: usize = 6;
/// The largest number of wrong rows that are listed.
const WRONG: usize = 100;

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    mined: &'a Mined,
    rows: u64,
    columns: usize,
    distinct: usize,
    questions: usize,
    summary: &'a Summary,
    target: &'a Feature,
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong: Option<Vec<WrongRow>>,
}

pub fn run(args: &MineArgs, output: Output) -> Result<ExitCode> {
    let picture = args.svg.as_ref().map(|file| Picture::new(file, args.force)).transpose()?;
    if args.time_limit <= 0.0 {
        bail!("--time-limit must be a number of seconds above 0");
    }
    let options = options(args)?;
    let also = options.start.as_ref().map_or(Vec::new(), |start| start.features.clone());
    let table_options = TableOptions { also, ..table_options(args) };
    let table = Rows::read(&args.rows, &table_options).map_err(|error| named(error, &args.rows))?;
    // Reading does not count.
    let budget = LimitArgs { time_limit: Some(args.time_limit) }.budget()?;
    let live = Mutex::new(Live::new(args.time_limit));
    let mined = mine(&table, &options, &budget, &|front| {
        if let Ok(mut live) = live.lock() {
            live.show(front);
        }
    })?;
    drop(live);
    let Some(chosen) = mined.chosen() else { bail!("no formula was found") };
    if let Some(picture) = picture {
        picture.write(&draw_front(&mined, &table.summary.target, &chosen.outline(&table))?)?;
    }
    if !mined.beats_guessing && (args.latex || args.python || args.svg.is_some()) {
        message(format_args!("warning: {}", mined.reason));
    }
    if args.latex || args.python {
        let text = if args.latex { chosen.latex(&table, options.operators) } else { chosen.python(&table) };
        return Output { json: false }
            .print(&(), |out| writeln!(out, "{}", text.trim_end()))
            .map(|()| ExitCode::SUCCESS);
    }
    let wrong = match args.wrong {
        true => Some(wrong_rows(&table, &chosen.expr, WRONG)?),
        false => None,
    };
    let report = Report {
        mined: &mined,
        rows: table.summary.rows,
        columns: table.summary.columns.len(),
        distinct: table.summary.distinct,
        questions: table.features.len(),
        summary: &table.summary,
        target: &table.target,
        wrong,
    };
    output.print(&report, |out| {
        describe(out, &table)?;
        if let Some(start) = &mined.start {
            writeln!(out, "start: {} nodes, {} errors: {}\n", start.size, start.errors, start.formula)?;
        }
        front(out, &mined.formulae, chosen.size)?;
        conclusions(out, &mined, chosen)?;
        for row in report.wrong.iter().flatten() {
            let (is, should) = if row.label { ("false", "true") } else { ("true", "false") };
            writeln!(out, "line {}: the formula is {is}, but should be {should}", row.line)?;
        }
        Ok(())
    })?;
    if budget.is_interrupted() {
        message("Ctrl-C ended the search: with more time, the answer may be better");
    } else if !mined.converged {
        message("the time limit ended the search: with more time, the answer may be better");
    }
    if args.folds > 1 && mined.cross_validation.is_none() {
        message(match table.summary.rows < 2 * u64::from(args.folds) {
            true => "no held-out accuracies: there are too few rows for --folds",
            false => "no held-out accuracies: there was no time for cross-validation; increase --time-limit",
        });
    }
    Ok(ExitCode::SUCCESS)
}

/// An error about a table, with the name of its file. Errors about the file itself have it already.
fn named(error: MineError, path: &std::path::Path) -> anyhow::Error {
    match error {
        MineError::File { .. } => error.into(),
        _ if error.to_string().starts_with(&path.display().to_string()) => error.into(),
        _ => anyhow::Error::from(error).context(path.display().to_string()),
    }
}

fn table_options(args: &MineArgs) -> TableOptions {
    TableOptions {
        positive: args.positive.clone(),
        weights: args.weights.clone(),
        ignore: args.ignore.clone(),
        cuts: args.cuts.into(),
        ..TableOptions::new(&args.target)
    }
}

fn options(args: &MineArgs) -> Result<MineOptions> {
    let mut options = MineOptions {
        seed: args.seed,
        max_size: args.max_size.into(),
        must: args.must.clone(),
        shape: args.shape.parse().context("--shape")?,
        folds: args.folds.into(),
        shuffles: args.significance.unwrap_or(0).into(),
        resamples: args.bootstrap.unwrap_or(0).into(),
        ..MineOptions::default()
    };
    if let Some(list) = &args.operators {
        options.operators = list.parse().context("--operators")?;
    }
    if let Some(list) = &args.engines {
        options.engines = list.parse().context("--engines")?;
    }
    if let Some(text) = &args.start {
        options.start = Some(parse(text).context("--start")?);
    }
    Ok(options)
}

fn describe(out: &mut dyn std::io::Write, table: &Rows) -> std::io::Result<()> {
    let summary = &table.summary;
    let (rows, questions) = (summary.rows, table.features.len());
    writeln!(
        out,
        "{rows} rows, {} distinct; {questions} questions about {} columns",
        summary.distinct,
        used(summary)
    )?;
    let share = 100.0 * summary.positive as f64 / rows as f64;
    writeln!(out, "{} in {} rows ({share:.1} %)", summary.target, summary.positive)?;
    let notes = [
        (summary.missing_values, "missing values: a question about one is answered with no"),
        (summary.without_target, "rows without a target are left out"),
        (summary.contradictory, "rows have the same features as others with another target"),
    ];
    for (count, note) in notes.into_iter().filter(|(count, _)| *count > 0) {
        writeln!(out, "{count} {note}")?;
    }
    let notable = |kind: &str| {
        kind.starts_with("left out")
            || kind.contains("are no numbers")
            || kind.contains("are neither true nor false")
            || kind.starts_with("a number, cut at")
    };
    for column in summary.columns.iter().filter(|column| notable(&column.kind)) {
        writeln!(out, "column {}: {}", column.name, column.kind)?;
    }
    writeln!(out)
}

fn used(summary: &Summary) -> usize {
    summary.columns.iter().filter(|column| column.questions > 0).count()
}

fn front(out: &mut dyn std::io::Write, formulae: &[MinedFormula], chosen: usize) -> std::io::Result<()> {
    let shown = formulae.partition_point(|formula| formula.size <= chosen) + LARGER;
    let mut table = Table::new(["", "size", "errors", "accuracy", "F1", "held-out accuracy", "formula"]);
    for formula in formulae.iter().take(shown) {
        let mark = match (formula.chosen, formula.front) {
            (true, _) => "*",
            (false, true) => "",
            (false, false) => "~",
        };
        let held_out = formula.cv_accuracy.zip(formula.cv_interval);
        let held_out = held_out
            .map(|(a, (low, high))| format!("{:.1} % ({:.1}-{:.1})", 100.0 * a, 100.0 * low, 100.0 * high));
        table.row([
            mark.to_owned(),
            formula.size.to_string(),
            format!("{}", (formula.errors * 1e6).round() / 1e6),
            format!("{:.1} %", 100.0 * formula.accuracy),
            format!("{:.3}", formula.f1),
            held_out.unwrap_or_default(),
            formula.formula.clone(),
        ]);
    }
    table.write(out)?;
    if formulae.len() > shown {
        writeln!(out, "… and {} larger ones: use --json", formulae.len() - shown)?;
    }
    Ok(())
}

fn conclusions(out: &mut dyn std::io::Write, mined: &Mined, chosen: &MinedFormula) -> std::io::Result<()> {
    writeln!(out)?;
    writeln!(out, "* {}", chosen.formula)?;
    writeln!(out, "  {}", mined.reason)?;
    if let Some(held_out) = &mined.cross_validation {
        let [accuracy, low, high] =
            [held_out.accuracy, held_out.interval.0, held_out.interval.1].map(|v| 100.0 * v);
        writeln!(
            out,
            "  choosing like this has a held-out accuracy of {accuracy:.1} % ({low:.1}-{high:.1})"
        )?;
    }
    if let Some(found) = &mined.significance {
        let (as_good, shuffles) = (found.as_good, found.shuffles);
        match found.p_value {
            None => writeln!(out, "  there was no time to shuffle labels")?,
            Some(p) => writeln!(
                out,
                "  shuffled labels gave an equally good formula {as_good} of {shuffles} times: p = {p:.3}"
            )?,
        }
        if (1..found.requested).contains(&shuffles) {
            writeln!(out, "  there was no time for all {} shuffles", found.requested)?;
        }
    }
    if let Some(found) = mined.stability.as_ref().filter(|found| found.resamples == 0) {
        writeln!(out, "  there was no time for {} resamples", found.requested)?;
    } else if let Some(found) = &mined.stability {
        writeln!(
            out,
            "  on resampled rows, the same formula won {} of {} times",
            found.same, found.resamples
        )?;
        let columns = found.columns.iter().take(8);
        let list: Vec<String> = columns.map(|(name, count)| format!("{name} {count}")).collect();
        writeln!(out, "  columns of the winners: {}", list.join(", "))?;
    }
    Ok(())
}

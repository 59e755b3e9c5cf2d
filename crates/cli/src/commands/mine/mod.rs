//! `logicvae mine`: a readable formula from a table.

mod live;

use std::process::ExitCode;
use std::sync::Mutex;

use anyhow::{Context, Result, bail};
use logicvae_mine::{
    Feature, MineOptions, Mined, MinedFormula, Summary, Table as Rows, TableOptions, WrongRow, mine, parse,
    wrong_rows,
};
use serde::Serialize;

use crate::args::{LimitArgs, MineArgs};
use crate::figure::{Picture, draw_front};
use crate::message::message;
use crate::output::Output;
use crate::table::Table;
use live::Live;

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
    let budget = LimitArgs { time_limit: Some(args.time_limit) }.budget()?;
    let table =
        Rows::read(&args.rows, &table_options(args)).with_context(|| args.rows.display().to_string())?;
    let live = Mutex::new(Live::new(args.time_limit));
    let mined = mine(&table, &options, &budget, &|front| {
        if let Ok(mut live) = live.lock() {
            live.show(front);
        }
    })?;
    drop(live);
    let Some(chosen) = mined.chosen() else { bail!("no formula was found") };
    if args.latex || args.python {
        let text = if args.latex { chosen.latex(&table, options.operators) } else { chosen.python(&table) };
        return Output { json: false }
            .print(&(), |out| writeln!(out, "{}", text.trim_end()))
            .map(|()| ExitCode::SUCCESS);
    }
    let wrong = match args.wrong {
        true => Some(wrong_rows(&args.rows, &table, &chosen.expr, WRONG)?),
        false => None,
    };
    if let Some(picture) = picture {
        picture.write(&draw_front(&mined, &table.summary.target, &chosen.outline(&table))?)?;
    }
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
        front(out, &mined.formulae)?;
        conclusions(out, &mined, chosen)?;
        for row in report.wrong.iter().flatten() {
            let (is, should) = if row.label { ("false", "true") } else { ("true", "false") };
            writeln!(out, "line {}: the formula is {is}, but should be {should}", row.line)?;
        }
        Ok(())
    })?;
    if !mined.converged {
        message("the time limit ended the search: with more time, the answer may be better");
    }
    Ok(ExitCode::SUCCESS)
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
    for column in summary.columns.iter().filter(|column| column.kind.starts_with("left out")) {
        writeln!(out, "column {}: {}", column.name, column.kind)?;
    }
    writeln!(out)
}

fn used(summary: &Summary) -> usize {
    summary.columns.iter().filter(|column| column.questions > 0).count()
}

fn front(out: &mut dyn std::io::Write, formulae: &[MinedFormula]) -> std::io::Result<()> {
    let mut table = Table::new(["", "size", "errors", "accuracy", "F1", "held-out accuracy", "formula"]);
    for formula in formulae {
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
    table.write(out)
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
        let (as_good, shuffles, p) = (found.as_good, found.shuffles, found.p_value);
        writeln!(
            out,
            "  shuffled labels gave an equally good formula {as_good} of {shuffles} times: p = {p:.3}"
        )?;
    }
    if let Some(found) = &mined.stability {
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

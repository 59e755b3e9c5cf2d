//! `logicvae relate`: relations within a set of formulae.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use logicvae_logic::{Entry, Relations, relations};
use serde::Serialize;

use crate::args::RelateArgs;
use crate::failure::UNKNOWN;
use crate::input::{Inputs, display_name};
use crate::message::counted;
use crate::output::Output;
use crate::place::Place;
use crate::trained::formulae;

/// The number of pairs of each kind that are shown without `--all`.
const SHOWN: usize = 20;

#[derive(Serialize)]
struct Report {
    formulae: Vec<Described>,
    tautologies: Vec<usize>,
    unsatisfiable: Vec<usize>,
    equivalent: Vec<(usize, usize)>,
    entails: Vec<(usize, usize)>,
    contradicts: Vec<(usize, usize)>,
    consistent: Option<bool>,
    core: Vec<usize>,
    core_is_smallest: bool,
    undecided: usize,
}

#[derive(Serialize)]
struct Described {
    #[serde(flatten)]
    place: Place,
    formula: String,
}

pub fn run(args: &RelateArgs, output: Output) -> Result<ExitCode> {
    let budget = args.limit.budget()?;
    let mut inputs = Inputs::new();
    let entries = inputs.entries(&args.file, None)?;
    let found = relations(&formulae(&entries), &budget);
    let described = entries.iter().map(|entry| Described {
        place: Place::new(Some(&args.file), entry),
        formula: inputs.show(&entry.formula),
    });
    let lines = |list: &[usize]| list.iter().map(|&at| entries[at].line).collect::<Vec<usize>>();
    let pairs = |list: &[(usize, usize)]| {
        list.iter().map(|&(a, b)| (entries[a].line, entries[b].line)).collect::<Vec<(usize, usize)>>()
    };
    let report = Report {
        formulae: described.collect(),
        tautologies: lines(&found.tautologies),
        unsatisfiable: lines(&found.unsatisfiable),
        equivalent: pairs(&found.equivalent),
        entails: pairs(&found.entails),
        contradicts: pairs(&found.contradicts),
        consistent: found.consistent,
        core: lines(&found.core),
        core_is_smallest: found.core_is_smallest,
        undecided: found.undecided,
    };
    output.print(&report, |out| {
        let shown = if args.all { usize::MAX } else { SHOWN };
        text(&report, &found, &entries, &display_name(&args.file), shown, out)
    })?;
    Ok(match (report.consistent, report.undecided) {
        (Some(false), _) => ExitCode::FAILURE,
        (Some(true), 0) => ExitCode::SUCCESS,
        _ => UNKNOWN.into(),
    })
}

fn text(
    report: &Report,
    found: &Relations,
    entries: &[Entry],
    file: &str,
    shown: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    // A formula in one line: its place, its label, and the formula.
    let line = |at: usize| {
        let label = entries[at].label.as_ref().map_or(String::new(), |label| format!("{label}: "));
        format!("{:>4}  {label}{}", entries[at].line, report.formulae[at].formula)
    };
    writeln!(out, "{} in {file}", counted(entries.len(), "formula"))?;
    for (title, list) in [("always true", &found.tautologies), ("never true", &found.unsatisfiable)] {
        if !list.is_empty() {
            writeln!(out, "\n{title}: {}", list.len())?;
            list.iter().take(shown).try_for_each(|&at| writeln!(out, "{}", line(at)))?;
        }
    }
    for (title, list, link) in [
        ("equivalent pairs", &found.equivalent, "is equivalent to"),
        ("pairs in which the first implies the second", &found.entails, "implies"),
        ("contradictory pairs", &found.contradicts, "contradicts"),
    ] {
        if list.is_empty() {
            continue;
        }
        writeln!(out, "\n{title}: {}", list.len())?;
        for &(a, b) in list.iter().take(shown) {
            writeln!(out, "{}\n      {link}\n{}\n", line(a), line(b))?;
        }
        if list.len() > shown {
            writeln!(out, "      … and {} more: use --all or --json", list.len() - shown)?;
        }
    }
    if found.undecided > 0 {
        writeln!(out, "\nundecided pairs: {} (no answer within the limits)", found.undecided)?;
    }
    match found.consistent {
        Some(true) => writeln!(out, "\nconsistent: all formulae can be true together"),
        None => writeln!(out, "\nconsistent: unknown (no answer within the limits)"),
        Some(false) => {
            let smallest = if found.core_is_smallest { "; no smaller conflict exists" } else { "" };
            let count = found.core.len();
            match count {
                1 => writeln!(out, "\ninconsistent: this one can never be true")?,
                _ => writeln!(out, "\ninconsistent: these {count} cannot be true together{smallest}")?,
            }
            found.core.iter().try_for_each(|&at| writeln!(out, "{}", line(at)))
        }
    }
}

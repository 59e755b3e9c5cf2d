//! The public tables: clean, with noise, with few rows, and without each engine.

use std::path::Path;

use anyhow::{Context, Result};
use logicvae_logic::mix64;
use logicvae_mine::Engines;

use super::peers::{Peers, QUICK_TOOLS, TOOLS};
use super::report::{Section, TITLES, limits, mean};
use super::{Options, f1, ours};

/// Training rows with labels, and test rows with the truth.
#[derive(Clone)]
pub struct Task {
    pub name: String,
    pub train: Vec<Vec<bool>>,
    pub labels: Vec<bool>,
    pub test: Vec<Vec<bool>>,
    pub truth: Vec<bool>,
}

/// The tables of a folder, in the order of their names.
pub fn public(folder: &Path, peers: &mut Peers) -> Result<Vec<Task>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.to_string_lossy().ends_with(".tsv.gz"));
    files.sort();
    let mut tasks = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().replace(".tsv.gz", "");
        let loaded = peers.load(&file)?;
        let rows =
            |list: Vec<Vec<u8>>| list.iter().map(|row| row.iter().map(|&v| v == 1).collect()).collect();
        let bits = |list: Vec<u8>| list.into_iter().map(|v| v == 1).collect();
        let (train, test) = (rows(loaded.train), rows(loaded.test));
        tasks.push(Task { name, train, labels: bits(loaded.labels), test, truth: bits(loaded.truth) });
    }
    Ok(tasks)
}

impl Task {
    /// Labels that are wrong with a probability.
    pub fn with_noise(&self, noise: f64, seed: u64) -> Self {
        let limit = (noise * (1u64 << 32) as f64) as u64;
        let flip = |at: usize| mix64(mix64(seed) ^ at as u64) >> 32 < limit;
        let labels = self.labels.iter().enumerate().map(|(at, label)| label ^ flip(at)).collect();
        Self { labels, ..self.clone() }
    }

    /// A share of the training rows.
    pub fn with_rows(&self, share: f64, seed: u64) -> Self {
        let mut order: Vec<usize> = (0..self.train.len()).collect();
        order.sort_by_key(|&at| mix64(mix64(seed + 1000) ^ at as u64));
        order.truncate(((share * order.len() as f64) as usize).max(2));
        let train = order.iter().map(|&at| self.train[at].clone()).collect();
        Self { train, labels: order.iter().map(|&at| self.labels[at]).collect(), ..self.clone() }
    }

    /// The test rows that are not training rows, each once.
    fn unseen(&self) -> Vec<usize> {
        let known: std::collections::BTreeSet<&Vec<bool>> = self.train.iter().collect();
        let mut seen = std::collections::BTreeSet::new();
        (0..self.test.len())
            .filter(|&at| !known.contains(&self.test[at]) && seen.insert(&self.test[at]))
            .collect()
    }
}

/// F1 on a choice of test rows.
fn f1_at(predictions: &[bool], truth: &[bool], rows: &[usize]) -> f64 {
    let pick = |list: &[bool]| rows.iter().map(|&at| list[at]).collect::<Vec<bool>>();
    f1(&pick(predictions), &pick(truth))
}

fn number(value: Option<f64>) -> String {
    value.map_or("failed".into(), |value| format!("{value:.3}"))
}

/// Clean labels: F1, literals, and F1 on distinct rows that were not in the training set.
pub fn clean(sets: &[Task], peers: &mut Peers, options: &Options) -> Result<Section> {
    let mut header = vec!["set", "training × columns", "ours", "literals", "seconds"];
    header.extend(TOOLS);
    header.extend(["espresso's literals", "half the literals", "unseen rows", "ours on unseen"]);
    header.push("best other on unseen");
    let text = format!(
        "F1 on the test rows. *Half the literals* is our best formula with at most half as many literals as \
         espresso's, where that has more than 15. {}",
        limits(options, "one run on each")
    );
    let mut section = Section::new(TITLES[1], text, &header);
    let (mut behind, mut long) = (Vec::new(), Vec::new());
    for task in sets {
        eprintln!("clean: {}", task.name);
        let own = ours(task, &Engines::default(), options.seconds)?;
        let unseen = task.unseen();
        let mut cells = vec![
            task.name.clone(),
            format!("{} × {}", task.train.len(), task.train[0].len()),
            format!("**{:.3}**", f1(&own.chosen.predictions, &task.truth)),
            own.chosen.literals.to_string(),
            format!("{:.1}", own.seconds),
        ];
        let (mut literals, mut best, mut best_unseen) = (None, 0.0f64, None::<f64>);
        for tool in TOOLS {
            let found = peers.run(tool, task)?;
            let own = found.as_ref().map(|(values, _)| f1(values, &task.truth));
            best = best.max(own.unwrap_or(0.0));
            cells.push(number(own));
            if let Some((values, count)) = found {
                if tool == "espresso" {
                    literals = Some(count);
                }
                best_unseen = Some(best_unseen.unwrap_or(0.0).max(f1_at(&values, &task.truth, &unseen)));
            }
        }
        if f1(&own.chosen.predictions, &task.truth) < best {
            behind.push(task.name.clone());
        }
        if let Some(count) = literals.filter(|&count| count > 15 && 2 * own.chosen.literals > count) {
            long.push(format!("{} ({} of {count})", task.name, own.chosen.literals));
        }
        let on_unseen = f1_at(&own.chosen.predictions, &task.truth, &unseen);
        let half = literals.filter(|&count| count > 15).and_then(|count| own.within(count / 2));
        cells.push(literals.map_or(String::new(), |count: usize| count.to_string()));
        cells.push(half.map_or(String::new(), |half| {
            format!("{:.3} ({})", f1(&half.predictions, &task.truth), half.literals)
        }));
        cells.extend([unseen.len().to_string(), format!("{on_unseen:.3}"), number(best_unseen)]);
        section.row(cells);
        section.note(format!("{}: `{}`", task.name, own.chosen.formula));
        if let Some(half) = half.filter(|half| half.formula != own.chosen.formula) {
            section.note(format!("{} with half the literals: `{}`", task.name, half.formula));
        }
    }
    section.note(match behind.is_empty() {
        true => "The F1 of ours is at or above that of every other tool on every set.".into(),
        false => format!("The F1 of ours is below that of another tool on {}.", behind.join(", ")),
    });
    if !long.is_empty() {
        let names = long.join(", ");
        section.note(format!(
            "Ours has more than half of espresso's literals, if that has more than 15, on {names}."
        ));
    }
    Ok(section)
}

/// Mean F1 of ours and all tools over changed tasks.
fn compare(
    title: &str,
    text: &str,
    sets: &[Task],
    levels: &[f64],
    change: impl Fn(&Task, f64, u64) -> Task,
    peers: &mut Peers,
    options: &Options,
) -> Result<Section> {
    let mut header = vec!["set", "share", "ours"];
    header.extend(QUICK_TOOLS);
    let text = format!("{text} {}", limits(options, &format!("means over {} seeds", options.seeds)));
    let mut section = Section::new(title, text, &header);
    let mut all: Vec<Vec<f64>> = vec![Vec::new(); QUICK_TOOLS.len() + 1];
    let (mut behind, mut sets_behind) = (Vec::new(), Vec::new());
    for task in sets {
        let first = all[0].len();
        for &level in levels {
            eprintln!("{title}: {} at {level}", task.name);
            let mut scores: Vec<Vec<f64>> = vec![Vec::new(); QUICK_TOOLS.len() + 1];
            for seed in 0..options.seeds {
                let changed = change(task, level, seed);
                let own = ours(&changed, &Engines::default(), options.seconds)?;
                scores[0].push(f1(&own.chosen.predictions, &changed.truth));
                for (at, tool) in QUICK_TOOLS.iter().enumerate() {
                    let found = peers.run(tool, &changed)?;
                    scores[at + 1].push(found.map_or(0.0, |(values, _)| f1(&values, &changed.truth)));
                }
            }
            let means: Vec<f64> = scores.iter().map(|list| mean(list)).collect();
            let share = format!("{:.0} %", 100.0 * level);
            section.row(cells(&task.name, &share, &means));
            behind.extend(behind_best(&format!("{} at {share}", task.name), &means));
            all.iter_mut().zip(means).for_each(|(list, mean)| list.push(mean));
        }
        let of_set: Vec<f64> = all.iter().map(|list| mean(&list[first..])).collect();
        section.row(cells(&task.name, "all", &of_set));
        sets_behind.extend(behind_best(&task.name, &of_set));
    }
    let of_all: Vec<f64> = all.iter().map(|list| mean(list)).collect();
    section.row(cells("all", "all", &of_all));
    for (what, behind) in [("means of sets", sets_behind), ("single rows", behind)] {
        section.note(match behind.is_empty() {
            true => format!("In {what}, ours is nowhere more than 0.01 below the best other tool."),
            false => format!(
                "In {what}, ours is more than 0.01 below the best other tool on {}.",
                behind.join(", ")
            ),
        });
    }
    Ok(section)
}

/// The cells of a row: ours is bold.
fn cells(name: &str, share: &str, means: &[f64]) -> Vec<String> {
    let numbers = means.iter().enumerate();
    let number = |(at, m): (usize, &f64)| if at == 0 { format!("**{m:.3}**") } else { format!("{m:.3}") };
    [name.to_owned(), share.to_owned()].into_iter().chain(numbers.map(number)).collect()
}

/// How far ours, the first number, is below the best other one, if that is more than 0.01.
fn behind_best(what: &str, means: &[f64]) -> Option<String> {
    let others = means[1..].iter().zip(QUICK_TOOLS);
    let (best, tool) = others.reduce(|best, other| if other.0 > best.0 { other } else { best })?;
    (*best > means[0] + 0.01).then(|| format!("{what} ({:.3} below {tool})", best - means[0]))
}

/// Flipped labels.
pub fn noise(sets: &[Task], peers: &mut Peers, options: &Options) -> Result<Section> {
    let text = "Mean F1 on clean test rows after a share of the training labels was flipped.";
    compare(TITLES[2], text, sets, &[0.05, 0.1, 0.2], Task::with_noise, peers, options)
}

/// Few rows.
pub fn few_rows(sets: &[Task], peers: &mut Peers, options: &Options) -> Result<Section> {
    let text = "Mean F1 on the test rows, with a share of the training rows.";
    compare(TITLES[3], text, sets, &[0.1, 0.25, 0.5], Task::with_rows, peers, options)
}

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
        "F1 on the test rows; the best is bold. *Half the literals* is our best formula with at most half as \
         many literals as espresso's, where that has more than 15. {}",
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
            String::new(),
            own.chosen.literals.to_string(),
            format!("{:.1}", own.seconds),
        ];
        let (mut literals, mut best_unseen) = (None, None::<f64>);
        let mut scores = vec![Some(f1(&own.chosen.predictions, &task.truth))];
        for tool in TOOLS {
            let found = peers.run(tool, task)?;
            scores.push(found.as_ref().map(|(values, _)| f1(values, &task.truth)));
            if let Some((values, count)) = found {
                if tool == "espresso" {
                    literals = Some(count);
                }
                best_unseen = Some(best_unseen.unwrap_or(0.0).max(f1_at(&values, &task.truth, &unseen)));
            }
        }
        let mut shown = marked(&scores).into_iter();
        cells[2] = shown.next().unwrap_or_default();
        cells.extend(shown);
        if scores[0] < scores.iter().copied().flatten().reduce(f64::max) {
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

/// Tables with fewer training rows vary more from seed to seed, so they have more seeds.
const SMALL: usize = 200;
const SEEDS_OF_SMALL: u64 = 4;

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
    let mut header = vec!["set", "share", "seeds", "ours"];
    header.extend(QUICK_TOOLS);
    let number = options.seeds;
    let seeds = format!("means over {number} seeds, or {} for tables of few rows", number * SEEDS_OF_SMALL);
    let mut section = Section::new(title, format!("{text} {}", limits(options, &seeds)), &header);
    let mut all: Vec<Scores> = Vec::new();
    let (mut behind, mut sets_behind) = (Vec::new(), Vec::new());
    for task in sets {
        let seeds = number * if task.train.len() < SMALL { SEEDS_OF_SMALL } else { 1 };
        let first = all.len();
        for &level in levels {
            eprintln!("{title}: {} at {level}", task.name);
            let mut scores = Scores::default();
            for seed in 0..seeds {
                let changed = change(task, level, seed);
                let own = ours(&changed, &Engines::default(), options.seconds)?;
                let mut one = vec![f1(&own.chosen.predictions, &changed.truth)];
                for tool in QUICK_TOOLS {
                    let found = peers.run(tool, &changed)?;
                    one.push(found.map_or(0.0, |(values, _)| f1(&values, &changed.truth)));
                }
                scores.0.push(one);
            }
            let share = format!("{:.0} %", 100.0 * level);
            behind.extend(behind_best(&format!("{} at {share}", task.name), std::slice::from_ref(&scores)));
            section.row(cells([&task.name, &share, &seeds.to_string()], &scores.means()));
            all.push(scores);
        }
        section.row(cells([&task.name, "all", ""], &means(&all[first..])));
        sets_behind.extend(behind_best(&task.name, &all[first..]));
    }
    section.row(cells(["all", "all", ""], &means(&all)));
    for (what, behind) in [("means of sets", sets_behind), ("single rows", behind)] {
        section.note(match behind.is_empty() {
            true => format!("In {what}, ours is nowhere more than 0.01 below the best other tool."),
            false => format!(
                "In {what}, ours is more than 0.01 below the best other tool on {}. (± two standard errors \
                 of the difference, over the seeds.)",
                behind.join(", ")
            ),
        });
    }
    Ok(section)
}

/// The F1 of ours and of all tools, for each seed.
#[derive(Default)]
struct Scores(Vec<Vec<f64>>);

impl Scores {
    fn column(&self, at: usize) -> impl Iterator<Item = f64> {
        self.0.iter().map(move |seed| seed[at])
    }

    fn means(&self) -> Vec<f64> {
        (0..=QUICK_TOOLS.len()).map(|at| mean(&self.column(at).collect::<Vec<f64>>())).collect()
    }

    /// The squared standard error of the mean difference of a tool and ours.
    fn squared_error(&self, at: usize) -> f64 {
        let differences: Vec<f64> =
            self.column(at).zip(self.column(0)).map(|(tool, own)| tool - own).collect();
        let (count, centre) = (differences.len() as f64, mean(&differences));
        let squares: f64 = differences.iter().map(|difference| (difference - centre).powi(2)).sum();
        squares / (count - 1.0).max(1.0) / count
    }
}

/// The means over several rows, each of which counts the same.
fn means(rows: &[Scores]) -> Vec<f64> {
    let of_rows: Vec<Vec<f64>> = rows.iter().map(Scores::means).collect();
    (0..=QUICK_TOOLS.len()).map(|at| mean(&of_rows.iter().map(|row| row[at]).collect::<Vec<f64>>())).collect()
}

/// The cells of a row.
fn cells(first: [&str; 3], means: &[f64]) -> Vec<String> {
    let means: Vec<Option<f64>> = means.iter().copied().map(Some).collect();
    first.into_iter().map(str::to_owned).chain(marked(&means)).collect()
}

/// Numbers as they are shown: the largest ones are bold.
fn marked(scores: &[Option<f64>]) -> Vec<String> {
    let shown: Vec<String> = scores.iter().map(|&score| number(score)).collect();
    let best = scores.iter().copied().flatten().reduce(f64::max);
    let best = number(best);
    shown.into_iter().map(|text| if text == best { format!("**{text}**") } else { text }).collect()
}

/// How far ours is below the best other tool, if that is more than 0.01.
fn behind_best(what: &str, rows: &[Scores]) -> Option<String> {
    let means = means(rows);
    let best = (1..means.len()).reduce(|best, at| if means[at] > means[best] { at } else { best })?;
    let squares: f64 = rows.iter().map(|row| row.squared_error(best)).sum();
    let twice = 2.0 * squares.sqrt() / rows.len() as f64;
    let gap = means[best] - means[0];
    (gap > 0.01).then(|| format!("{what} ({gap:.3} ± {twice:.3} below {})", QUICK_TOOLS[best - 1]))
}

/// Flipped labels.
pub fn noise(sets: &[Task], peers: &mut Peers, options: &Options) -> Result<Section> {
    let text =
        "Mean F1 on clean test rows after a share of the training labels was flipped. The best is bold.";
    compare(TITLES[2], text, sets, &[0.05, 0.1, 0.2], Task::with_noise, peers, options)
}

/// Few rows.
pub fn few_rows(sets: &[Task], peers: &mut Peers, options: &Options) -> Result<Section> {
    let text = "Mean F1 on the test rows, with a share of the training rows. The best is bold.";
    compare(TITLES[3], text, sets, &[0.1, 0.25, 0.5], Task::with_rows, peers, options)
}

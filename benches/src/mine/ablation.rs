//! What each engine contributes: the same tables, with one engine at a time switched off.

use anyhow::Result;
use logicvae_mine::{Engine, Engines};

use super::report::{Section, TITLES, limits, mean};
use super::tasks::Task;
use super::{Options, f1, ours, synthetic};

/// The random formulae: their numbers of variables; the rows and the share of flipped labels of each.
const VARIABLES: [u32; 2] = [5, 8];
const ROWS: usize = 300;
const NOISE: f64 = 0.05;

/// Public tables with clean and with flipped labels and with few rows, and random formulae.
pub fn run(sets: &[Task], options: &Options) -> Result<Section> {
    let mut header = vec!["set", "change", "all engines"];
    let names: Vec<String> = Engine::ALL.iter().map(|engine| format!("without {}", engine.name())).collect();
    header.extend(names.iter().map(String::as_str));
    let text = format!(
        "Mean F1 on the test rows (and literals) with each engine switched off, with the same time limit. {}",
        limits(options, &format!("means over {} seeds, except for clean labels", options.seeds))
    );
    let mut section = Section::new(TITLES[5], text, &header);
    let mut variants = vec![Engines::default()];
    for engine in Engine::ALL {
        let mut engines = Engines::default();
        engines.0.remove(&engine);
        variants.push(engines);
    }
    let mut all: Vec<Vec<f64>> = vec![Vec::new(); variants.len()];
    let mut row = |name: &str, change: &str, tasks: &[Task]| -> Result<()> {
        eprintln!("ablation: {name}, {change}");
        let mut cells = vec![name.to_owned(), change.to_owned()];
        for (at, engines) in variants.iter().enumerate() {
            let (mut scores, mut literals) = (Vec::new(), Vec::new());
            for task in tasks {
                let own = ours(task, engines, options.seconds)?;
                scores.push(f1(&own.chosen.predictions, &task.truth));
                literals.push(own.chosen.literals as f64);
            }
            cells.push(format!("{:.3} ({:.0})", mean(&scores), mean(&literals)));
            all[at].push(mean(&scores));
        }
        section.row(cells);
        Ok(())
    };
    let seeds = 0..options.seeds;
    for task in sets {
        row(&task.name, "clean", std::slice::from_ref(task))?;
        for noise in [0.1, 0.2] {
            let changed: Vec<Task> = seeds.clone().map(|seed| task.with_noise(noise, seed)).collect();
            row(&task.name, &format!("{:.0} % flipped", 100.0 * noise), &changed)?;
        }
        let changed: Vec<Task> = seeds.clone().map(|seed| task.with_rows(0.25, seed)).collect();
        row(&task.name, "25 % of the rows", &changed)?;
    }
    for variables in VARIABLES {
        let tasks: Result<Vec<Task>> =
            seeds.clone().map(|seed| synthetic::task(variables, ROWS, NOISE, 100 + seed)).collect();
        let name = format!("random formulae over {variables} of 20 columns");
        row(&name, &format!("{ROWS} rows, {:.0} % flipped", 100.0 * NOISE), &tasks?)?;
    }
    let mut cells = vec!["mean".to_owned(), String::new()];
    cells.extend(all.iter().map(|list| format!("**{:.4}**", mean(list))));
    section.row(cells);
    notes(&mut section, &all);
    Ok(section)
}

/// Which engines are missed, and which are not.
fn notes(section: &mut Section, all: &[Vec<f64>]) {
    let (mut useful, mut useless) = (Vec::new(), Vec::new());
    for (engine, without) in Engine::ALL.iter().zip(&all[1..]) {
        let differences: Vec<f64> =
            all[0].iter().zip(without).map(|(with, without)| with - without).collect();
        let (gain, rows) = (mean(&differences), differences.len() as f64);
        let squares: Vec<f64> = differences.iter().map(|d| (d - gain).powi(2)).collect();
        let error = (mean(&squares) / rows).sqrt();
        let text = format!("{} ({gain:+.4} ± {:.4})", engine.name(), 2.0 * error);
        if gain > 2.0 * error { useful.push(text) } else { useless.push(text) }
    }
    let list = |names: Vec<String>| if names.is_empty() { "none".into() } else { names.join(", ") };
    section.note(format!(
        "What an engine adds to the mean F1 is more than two standard errors (over the rows of this table) \
         above 0 for: {}.",
        list(useful)
    ));
    section.note(format!(
        "The other engines add nothing here that can be told from chance: {}. What one engine misses, others \
         usually find.",
        list(useless)
    ));
}

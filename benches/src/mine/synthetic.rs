//! Random formulae over some of 20 columns: how often is the formula recovered exactly?

use anyhow::Result;
use logicvae_logic::{Formula, SamplerParams, mix64};
use logicvae_mine::Engines;

use super::peers::{Peers, TOOLS};
use super::report::{Section, TITLES, limits};
use super::tasks::Task;
use super::{Options, ours};

const COLUMNS: usize = 20;
/// Fresh rows at which predictions are compared with the formula.
const TESTED: usize = 2_000;

pub fn run(peers: &mut Peers, options: &Options) -> Result<Section> {
    let mut header = vec!["variables", "rows", "labels flipped", "tables", "ours"];
    header.extend(TOOLS);
    let text = format!(
        "The share of tables for which the result equals the formula at 2,000 fresh rows. The formula has \
         some of 20 columns, the rows are random. {}",
        limits(options, &format!("{} tables in each row", options.seeds))
    );
    let mut section = Section::new(TITLES[4], text, &header);
    for variables in [3u32, 5, 7, 10] {
        for rows in [100usize, 300, 1000] {
            for noise in [0.0, 0.05, 0.1] {
                eprintln!("synthetic: {variables} variables, {rows} rows, noise {noise}");
                let mut right = vec![0usize; TOOLS.len() + 1];
                let count = options.seeds;
                for seed in 0..count {
                    let task = task(variables, rows, noise, seed)?;
                    let own = ours(&task, &Engines::default(), options.seconds)?;
                    right[0] += usize::from(own.chosen.predictions == task.truth);
                    for (at, tool) in TOOLS.iter().enumerate() {
                        let found = peers.run(tool, &task)?;
                        right[at + 1] += usize::from(found.is_some_and(|(values, _)| values == task.truth));
                    }
                }
                let mut cells = vec![
                    variables.to_string(),
                    rows.to_string(),
                    format!("{:.0} %", 100.0 * noise),
                    count.to_string(),
                ];
                cells.extend(right.iter().map(|&r| format!("{:.0} %", 100.0 * r as f64 / count as f64)));
                section.row(cells);
            }
        }
    }
    Ok(section)
}

/// A table whose labels follow a random formula in which every one of the variables occurs.
pub fn task(variables: u32, rows: usize, noise: f64, seed: u64) -> Result<Task> {
    let limit = 2 * variables as usize + 6;
    let params = SamplerParams { all_variables: true, max_nodes: limit, ..SamplerParams::new(variables) };
    let list = params.check()?.distinct(9_000 + seed, 20)?;
    let balanced = |formula: &&Formula| {
        let table = formula.truth_table(variables as usize);
        table.is_ok_and(|table| {
            let ones = (0..table.len()).filter(|&i| table.get(i)).count() as f64 / table.len() as f64;
            (0.15..=0.85).contains(&ones)
        })
    };
    let formula = list.iter().find(balanced).unwrap_or(&list[0]).clone();
    let place = |var: usize| (var * 7 + seed as usize) % COLUMNS;
    let table = formula.truth_table(variables as usize)?;
    let bit =
        |row: usize, column: usize| mix64(mix64(seed) ^ (row as u64) << 8 ^ column as u64) >> 40 & 1 == 1;
    let value = |row: &[bool]| {
        let index = (0..variables as usize).map(|var| usize::from(row[place(var)]) << var).sum::<usize>();
        table.get(index)
    };
    let make = |from: usize, count: usize| -> Vec<Vec<bool>> {
        (from..from + count).map(|row| (0..COLUMNS).map(|column| bit(row, column)).collect()).collect()
    };
    let (train, test) = (make(0, rows), make(1 << 20, TESTED));
    let limit = (noise * (1u64 << 32) as f64) as u64;
    let flip = |at: usize| mix64(mix64(seed + 77) ^ at as u64) >> 32 < limit;
    let labels = train.iter().enumerate().map(|(at, row)| value(row) ^ flip(at)).collect();
    let truth = test.iter().map(|row| value(row)).collect();
    Ok(Task { name: format!("{variables} of {COLUMNS}"), train, labels, test, truth })
}

//! How many formulae the search judges in a second.

use anyhow::Result;
use logicvae_logic::Budget;
use logicvae_mine::{Engine, Engines, MineOptions, mine};

use super::report::{Section, TITLES};
use super::{Options, synthetic, table};
use crate::timing::seconds;

/// Formulae that are tried by gplearn with our settings of it: 500 programs in each of 20 generations.
const GPLEARN: f64 = 10_000.0;

pub fn run(options: &Options) -> Result<Section> {
    let text = "Formulae whose errors on all rows were computed exactly, by local and genetic search, with \
                all threads. Random formulae over 5 of 20 columns, 5 % of the labels flipped. gplearn judges \
                10,000 formulae in the seconds that it takes for the same table.";
    let header = ["rows", "formulae", "seconds", "per second", "gplearn: seconds", "gplearn: per second"];
    let mut section = Section::new(TITLES[7], text.into(), &header);
    let mut peers = super::peers::Peers::start(&options.python)?;
    for rows in [100, 1_000, 10_000] {
        eprintln!("speed: {rows} rows");
        let task = synthetic::task(5, rows, 0.05, 50)?;
        let table = table(&task.train, &task.labels);
        let engines = Engines([Engine::Local, Engine::Genetic].into());
        let search = MineOptions { engines, folds: 0, patience: 1000, ..MineOptions::default() };
        let (took, found) = seconds(|| mine(&table, &search, &Budget::seconds(options.seconds), &|_| {}));
        let found = found?;
        let (gplearn, _) = seconds(|| peers.run("gplearn", &task));
        section.row([
            rows.to_string(),
            format!("{:.0} million", found.evaluated as f64 / 1e6),
            format!("{took:.1}"),
            format!("**{:.1} million**", found.evaluated as f64 / took / 1e6),
            format!("{gplearn:.1}"),
            format!("{:.0}", GPLEARN / gplearn),
        ]);
    }
    Ok(section)
}

//! Mines a formula from a CSV file: `cargo run --release --example mine_csv rows.csv target`.

use logicvae_logic::Budget;
use logicvae_mine::{MineOptions, Table, TableOptions, mine};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(file), Some(target)) = (args.next(), args.next()) else {
        return Err("give a CSV file and the name of the target column".into());
    };
    let table = Table::read(file.as_ref(), &TableOptions::new(target))?;
    println!(
        "{} rows, {} distinct, {} questions",
        table.summary.rows,
        table.rows.len(),
        table.features.len()
    );
    let found = mine(&table, &MineOptions::default(), &Budget::seconds(10.0), &|_| {})?;
    for formula in &found.formulae {
        let mark = if formula.chosen { '*' } else { ' ' };
        let held_out = formula.cv_accuracy.map_or("-".into(), |accuracy| format!("{accuracy:.3}"));
        println!(
            "{mark} {:>3} {:>6} {:.3} {held_out} {}",
            formula.size, formula.errors, formula.f1, formula.formula
        );
    }
    println!("{}", found.reason);
    Ok(())
}

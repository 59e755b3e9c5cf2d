//! Large tables: time and memory by the number of rows and of distinct rows.

use std::io::{BufWriter, Write};

use anyhow::{Context, Result};
use logicvae_logic::{Budget, mix64};
use logicvae_mine::{MineOptions, Table, TableOptions, mine};

use super::Options;
use super::report::{Section, TITLES};
use crate::timing::seconds;

const COLUMNS: usize = 100;
/// Rows, and how many of them are different.
const SIZES: [(usize, usize); 6] = [
    (20_000, 1_000),
    (200_000, 1_000),
    (2_000_000, 1_000),
    (2_000_000, 20_000),
    (2_000_000, 200_000),
    (2_000_000, 2_000_000),
];

pub fn run(options: &Options) -> Result<Section> {
    let text = format!(
        "CSV files with {COLUMNS} columns of 0 and 1. The target is `c1 & c2 | c3 & !c4`, and one label in \
         50 is wrong. *Reading* includes counting the distinct rows. *Searching* ends by itself, at the \
         latest after {} s. *Memory* is the peak of the process while it reads and searches.",
        options.seconds
    );
    let header = ["rows", "distinct", "file", "reading", "searching", "memory", "found"];
    let mut section = Section::new(TITLES[6], text, &header);
    for (rows, distinct) in SIZES {
        eprintln!("large tables: {rows} rows, {distinct} distinct");
        let file = written(rows, distinct)?;
        let megabytes = file.as_file().metadata()?.len() as f64 / 1e6;
        reset_peak();
        let (reading, table) = seconds(|| Table::read(file.path(), &TableOptions::new("y")));
        let table = table?;
        let search = MineOptions { folds: 0, ..MineOptions::default() };
        let (searching, found) =
            seconds(|| mine(&table, &search, &Budget::seconds(options.seconds), &|_| {}));
        let found = found?;
        section.row([
            rows.to_string(),
            table.rows.len().to_string(),
            format!("{megabytes:.0} MB"),
            format!("{reading:.1} s"),
            format!("{searching:.1} s"),
            peak_memory().map_or("unknown".into(), |bytes| format!("{:.0} MB", bytes / 1e6)),
            found
                .chosen()
                .map_or(String::new(), |chosen| format!("`{}`", chosen.formula.replace('|', "\\|"))),
        ]);
    }
    Ok(section)
}

/// A file with this many rows, drawn from as many as should be distinct.
fn written(rows: usize, distinct: usize) -> Result<tempfile::NamedTempFile> {
    let file = tempfile::Builder::new().suffix(".csv").tempfile()?;
    let mut out = BufWriter::new(file.as_file());
    let names: Vec<String> = (1..=COLUMNS).map(|column| format!("c{column}")).collect();
    writeln!(out, "{},y", names.join(","))?;
    let mut line = vec![b','; 2 * COLUMNS + 2];
    for row in 0..rows {
        let kind = (row % distinct) as u64;
        let bit =
            |column: usize| mix64(mix64(kind ^ 0x5eed) ^ (column / 64) as u64) >> (column % 64) & 1 == 1;
        for column in 0..COLUMNS {
            line[2 * column] = b'0' + u8::from(bit(column));
        }
        let wrong = mix64(row as u64 ^ 0xf11b).is_multiple_of(50);
        let label = (bit(0) && bit(1) || bit(2) && !bit(3)) ^ wrong;
        line[2 * COLUMNS] = b'0' + u8::from(label);
        line[2 * COLUMNS + 1] = b'\n';
        out.write_all(&line)?;
    }
    out.flush().context("cannot write a table")?;
    drop(out);
    Ok(file)
}

/// Starts a new measurement of the peak of memory, on Linux.
fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The largest memory of the process since then, in bytes.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<f64>().ok().map(|kilobytes| kilobytes * 1024.0)
}

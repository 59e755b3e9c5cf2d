//! `cargo xtask attack`: the attacks that SECURITY.md reports. It damages files, gives crafted input, kills
//! trainings and fills disks, and counts what must never happen: silent changes, panics, aborts and losses.

mod bench;
mod crafted;
mod flips;
mod full_disk;
mod kills;
mod table;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::shell::{cargo, root, run_step};
use bench::Bench;
use table::Row;
pub use table::write as write_table;

/// Attack the program: flipped bits, crafted inputs, kills and full disks. Writes the figures into
/// SECURITY.md.
#[derive(clap::Args)]
pub struct Args {
    /// The number of flipped bits, over all kinds of files.
    #[arg(long, value_name = "N", default_value_t = 13_500)]
    flips: usize,
    /// The number of killed trainings.
    #[arg(long, value_name = "N", default_value_t = 100)]
    kills: usize,
    /// Only some of the parts; for the others, the figures of their last run under target/attack are used.
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Part>,
    /// Attack this program instead of building one.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Run nothing, and report the figures of the last run of each part.
    #[arg(long)]
    report: bool,
    /// Print the figures, but do not write them into SECURITY.md.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Flips,
    Crafted,
    Kills,
    FullDisk,
}

const PARTS: [Part; 4] = [Part::Flips, Part::Crafted, Part::Kills, Part::FullDisk];

impl Part {
    /// The file with the figures of its last run.
    fn file(self, folder: &Path) -> PathBuf {
        folder.join(format!("{self:?}.json").to_lowercase())
    }
}

pub fn run(args: &Args) -> Result<()> {
    let folder = crate::shell::target().join("attack");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    if !args.report {
        attack(args, &folder)?;
    }
    report(args, &folder)
}

fn attack(args: &Args, folder: &Path) -> Result<()> {
    let program = match &args.program {
        Some(program) => std::path::absolute(program)?,
        None => {
            // With debug assertions, so that errors that they find count as panics.
            run_step("building logicvae", cargo().args(["build", "--package", "logicvae-cli"]))?;
            crate::shell::target().join("debug").join(format!("logicvae{}", std::env::consts::EXE_SUFFIX))
        }
    };
    let bench = Bench::new(program)?;
    for part in PARTS.into_iter().filter(|part| args.only.is_empty() || args.only.contains(part)) {
        let rows = match part {
            Part::Crafted => crafted::run(&bench)?,
            Part::FullDisk => full_disk::run(&bench)?,
            Part::Kills => kills::run(&bench, args.kills)?,
            Part::Flips => flips::run(&bench, args.flips)?,
        };
        fs::write(part.file(folder), serde_json::to_vec(&rows)?).context("cannot write the figures")?;
    }
    Ok(())
}

fn report(args: &Args, folder: &Path) -> Result<()> {
    // The parts may run one by one; the table has the last figures of each.
    let mut rows: Vec<Row> = Vec::new();
    let mut missing = Vec::new();
    for part in PARTS {
        match fs::read(part.file(folder)) {
            Ok(json) => rows.extend(serde_json::from_slice::<Vec<Row>>(&json)?),
            Err(_) => missing.push(part),
        }
    }
    let text = table::markdown(&rows);
    println!("{text}");
    for row in rows.iter().filter(|row| row.is_bad()) {
        row.notes.iter().for_each(|note| eprintln!("{}: {note}", row.what));
    }
    if !args.dry_run {
        ensure!(missing.is_empty(), "SECURITY.md reports all attacks, but {missing:?} have not been run yet");
        write_table(&root().join("SECURITY.md"), "attack", &text)?;
    }
    ensure!(!rows.iter().any(Row::is_bad), "the program did not withstand the attack");
    Ok(())
}

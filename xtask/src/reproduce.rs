//! `cargo xtask reproduce`: the paper's numbers, as far as the crates reach.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::shell::{self, cargo, command, output, root, target};

/// Reproduce the paper: every part that exists, compared with what the paper reports.
#[derive(clap::Args)]
pub struct Args {
    /// quick: reduced sizes, into target/reproduce. paper: the paper's sizes, into results/.
    #[arg(long, value_enum, default_value_t = Scale::Quick)]
    scale: Scale,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Scale {
    Quick,
    Paper,
}

/// Mean nodes and depth that the paper reports; it has no dataset of 10 variables.
const DATASETS: [(&str, Option<(f64, f64)>); 4] = [
    ("paper-3", Some((10.2955, 5.4687))),
    ("paper-4", Some((13.6632, 8.5132))),
    ("paper-5", Some((17.7475, 9.4419))),
    ("paper-10", None),
];

pub fn run(args: &Args) -> Result<()> {
    shell::run(cargo().args(["build", "--release", "--quiet", "--package", "logicvae-cli"]))?;
    let binary = target().join("release/logicvae");
    let scratch = target().join("reproduce");
    fs::create_dir_all(&scratch)?;
    println!("{}", datasets(&binary, &scratch)?);
    let figures = if args.scale == Scale::Paper { root().join("results/kernel") } else { scratch.join("kernel") };
    println!("{}", kernel(&binary, &figures, args.scale)?);
    println!("Not there yet: the models and their tables. This command grows with the crates.");
    Ok(())
}

/// The kernel's experiments: figures and data in a folder, the main numbers as text.
fn kernel(binary: &Path, folder: &Path, scale: Scale) -> Result<String> {
    let run = |name: &str| -> Result<Value> {
        eprintln!("experiment {name} ...");
        let mut experiment = command(binary);
        experiment.args(["experiment", name, "--json", "--force", "--out"]).arg(folder);
        if scale == Scale::Quick {
            experiment.arg("--quick");
        }
        Ok(serde_json::from_str::<Value>(&output(&mut experiment)?)?["results"].clone())
    };
    let sizes = if scale == Scale::Quick { "a tenth of the paper's sizes" } else { "the paper's sizes" };
    let mut text = format!("The kernel (appendix B), {sizes}\n\n");
    let number = |row: &Value, key: &str| row[key].as_f64().unwrap_or(f64::NAN);
    let whole = |row: &Value, key: &str| row[key].as_u64().unwrap_or_default();

    writeln!(text, "{:<10} {:>9} {:>13} {:>15} {:>11}", "pool", "variables", "mean kernel", "mean distance", "components")?;
    for row in run("pool")?.as_array().into_iter().flatten() {
        let (kernel, distance) = (number(row, "mean_kernel"), number(row, "mean_distance"));
        let form = row["form"].as_str().unwrap_or_default();
        writeln!(
            text,
            "{form:<10} {:>9} {kernel:>13.4} {distance:>15.2} {:>11}",
            whole(row, "variables"),
            whole(row, "components")
        )?;
    }
    writeln!(text, "{:<10} {:>9} {:>13.4} {:>15.2} {:>11}\n", "paper", 5, 0.1695, 18.7325, 100)?;

    if scale == Scale::Quick {
        text.push_str("Distances grow with the square root of the pool's size: only --scale paper compares with the paper's.\n\n");
    }
    writeln!(text, "{:<12} {:>9} {:>14} {:>10}", "correlation", "variables", "Pearson", "Spearman")?;
    for row in run("correlation")?.as_array().into_iter().flatten() {
        let form = row["form"].as_str().unwrap_or_default();
        writeln!(
            text,
            "{form:<12} {:>9} {:>14.3} {:>10.3}",
            whole(row, "variables"),
            number(row, "pearson"),
            number(row, "spearman")
        )?;
    }
    writeln!(text, "\n{:<12} {:>9} {:>14} {:>14}", "variance", "variables", "100 comp.", "all fitted")?;
    for row in run("variance")?.as_array().into_iter().flatten() {
        let form = row["form"].as_str().unwrap_or_default();
        writeln!(
            text,
            "{form:<12} {:>9} {:>14.4} {:>14.4}",
            whole(row, "variables"),
            number(row, "at_100"),
            number(row, "at_all")
        )?;
    }
    writeln!(text, "\n{:<12} {:>9} {:>14} {:>10} {:>10}", "satisfaction", "variables", "median", "mean", "guessing")?;
    for row in run("classification")?.as_array().into_iter().flatten() {
        let median = row["quantiles"][2].as_f64().unwrap_or(f64::NAN);
        writeln!(
            text,
            "{:<12} {:>9} {median:>14.3} {:>10.3} {:>10.3}",
            "",
            whole(row, "variables"),
            number(row, "mean"),
            number(row, "guessing")
        )?;
    }
    let agreement = run("agreement")?;
    let deviation = number(&agreement, "largest_deviation_from_identity");
    writeln!(text, "\nk = 2 · agreement - 1 holds to {deviation:e} over {} pairs.", agreement["pairs"])?;
    writeln!(text, "Figures and data: {}", folder.display())?;
    Ok(text)
}

/// Makes the datasets anew, compares them with the committed ones byte for byte, and sets their sizes beside the paper's.
fn datasets(binary: &Path, folder: &Path) -> Result<String> {
    let mut table = String::from("Datasets (training formulae; depth counts edges)\n\n");
    writeln!(table, "{:<10} {:>8} {:>16} {:>16} {:>12}", "", "formulae", "nodes (paper)", "depth (paper)", "tautologies")?;
    for (name, paper) in DATASETS {
        for split in ["train", "valid", "test"] {
            let made = folder.join(format!("{name}-{split}.txt"));
            let flags = ["sample", "--preset", name, "--split", split, "--json", "--force", "--out"];
            output(command(binary).args(flags).arg(&made))?;
            let committed = root().join(format!("datasets/{name}/{split}.txt"));
            ensure!(fs::read(&made)? == fs::read(&committed)?, "{} is not what its preset gives", committed.display());
        }
        let train = folder.join(format!("{name}-train.txt"));
        let stats: Value = serde_json::from_str(&output(command(binary).args(["stats", "--json"]).arg(&train))?)?;
        let number = |path: &str| stats.pointer(path).and_then(Value::as_f64).with_context(|| format!("{path} in the statistics"));
        let beside = |ours: f64, paper: Option<f64>| format!("{ours:.2} ({})", paper.map_or("-".into(), |p| format!("{p:.2}")));
        writeln!(
            table,
            "{name:<10} {:>8} {:>16} {:>16} {:>10.2} %",
            number("/count")?,
            beside(number("/nodes/mean")?, paper.map(|p| p.0)),
            beside(number("/depth/mean")?, paper.map(|p| p.1)),
            100.0 * number("/tautologies")?
        )?;
    }
    table.push_str("\nAll twelve files equal the committed ones, byte for byte.\n");
    Ok(table)
}

//! `cargo xtask models`: trains and measures models, and keeps the results.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::shell::{self, cargo, root, target};

/// Train and measure models by the paper's protocol; results go to results/models.
///
/// What is done already is not done again: a training goes on where it stopped, and a result stays until its settings change.
#[derive(clap::Args)]
pub struct Args {
    /// Which; all if none are named.
    names: Vec<String>,
    /// List them and do nothing.
    #[arg(long)]
    list: bool,
    /// Where trainings are kept [default: target/runs].
    #[arg(long, value_name = "FOLDER")]
    runs: Option<PathBuf>,
}

/// One training and what it shows.
struct Experiment {
    name: &'static str,
    preset: &'static str,
    set: &'static [&'static str],
    /// What is different from the preset, or what the preset is.
    about: &'static str,
    /// The paper's accuracy and mode accuracy in percent, where it has this model.
    paper: Option<(f64, f64)>,
}

const fn experiment(name: &'static str, preset: &'static str, set: &'static [&'static str], about: &'static str) -> Experiment {
    Experiment { name, preset, set, about, paper: None }
}

/// What makes the difference for the paper's GCN: all at a fifth of the epochs, one setting changed at a time.
const SHORT: &str = "training.epochs=60";
const STEADY: &str = "training.decay=none";
const KEEP: &str = "data.children=keep";
const NO_SYMMETRIES: &str = "data.symmetries=false";

const EXPERIMENTS: &[Experiment] = &[
    experiment("best-3", "best-3", &[], "ours"),
    Experiment { paper: Some((91.76, 94.23)), ..experiment("gcn-3", "gcn-3", &[], "the paper's GCN") },
    Experiment {
        paper: Some((93.45, 96.43)),
        ..experiment("gat-3", "gat-3", &["training.epochs=150"], "the paper's GAT, 150 epochs")
    },
    experiment("gcn-3-plain", "gcn-3", &[SHORT, STEADY, KEEP, NO_SYMMETRIES], "60 epochs: 4,000 formulae as they are"),
    experiment("gcn-3-sort", "gcn-3", &[SHORT, STEADY, "data.children=sort", NO_SYMMETRIES], "60 epochs: children sorted"),
    experiment(
        "gcn-3-swap",
        "gcn-3",
        &[SHORT, STEADY, "data.children=swap", NO_SYMMETRIES],
        "60 epochs: children swapped at random",
    ),
    experiment(
        "gcn-3-symmetries",
        "gcn-3",
        &[SHORT, STEADY, "data.children=keep", "data.symmetries=true"],
        "60 epochs: variables renamed, ∧ and ∨ exchanged",
    ),
    experiment(
        "gcn-3-both",
        "gcn-3",
        &[SHORT, STEADY, "data.children=sort", "data.symmetries=true"],
        "60 epochs: sorted, renamed and exchanged",
    ),
    experiment(
        "gcn-3-noise",
        "gcn-3",
        &[SHORT, STEADY, KEEP, NO_SYMMETRIES, "model.noise=1.0"],
        "60 epochs: noise scale 1 instead of 0.01",
    ),
    experiment(
        "gcn-3-decay",
        "gcn-3",
        &[SHORT, STEADY, KEEP, NO_SYMMETRIES, "training.weight_decay=0.1"],
        "60 epochs: weight decay 0.1",
    ),
    experiment("gcn-3-fresh", "gcn-3", &[SHORT, STEADY, KEEP, NO_SYMMETRIES, "data.fresh=true"], "60 epochs: fresh formulae"),
    experiment(
        "gcn-3-end",
        "gcn-3",
        &[SHORT, STEADY, KEEP, NO_SYMMETRIES, "model.encoder.readout=end"],
        "60 epochs: read-out of the end node",
    ),
    experiment(
        "gcn-3-recurrent",
        "gcn-3",
        &[SHORT, STEADY, KEEP, NO_SYMMETRIES, "model.graph_state=recurrent"],
        "60 epochs: recurrent graph state",
    ),
];

pub fn run(args: &Args) -> Result<()> {
    if args.list {
        EXPERIMENTS.iter().for_each(|e| println!("{:<20}{}", e.name, e.about));
        return Ok(());
    }
    for name in &args.names {
        if !EXPERIMENTS.iter().any(|e| e.name == name) {
            bail!("there is no model `{name}`: `cargo xtask models --list` shows them");
        }
    }
    let runs = args.runs.clone().unwrap_or_else(|| target().join("runs"));
    fs::create_dir_all(&runs)?;
    // The program runs in another folder.
    let runs = std::path::absolute(runs)?;
    shell::run(cargo().args(["build", "--release", "--quiet", "--package", "logicvae-cli"]))?;
    for experiment in EXPERIMENTS.iter().filter(|e| args.names.is_empty() || args.names.iter().any(|n| n == e.name)) {
        let result = results().join(format!("{}.json", experiment.name));
        let config = experiment.config()?;
        match finished(&result, &config) {
            true => eprintln!("{}: done already", experiment.name),
            false => {
                let found = experiment.run(&runs.join(experiment.name), &config)?;
                write(&result, &(serde_json::to_string_pretty(&found)? + "\n"))?;
            }
        }
        write(&root().join("results/models.md"), &table()?)?;
    }
    Ok(())
}

fn results() -> PathBuf {
    root().join("results/models")
}

/// Whether there is a result of these settings.
fn finished(result: &Path, config: &str) -> bool {
    let text = fs::read_to_string(result).unwrap_or_default();
    serde_json::from_str::<Value>(&text).is_ok_and(|found| found["config"] == config)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let temporary = path.with_extension("part");
    fs::write(&temporary, text)?;
    fs::rename(&temporary, path).with_context(|| format!("cannot write {}", path.display()))
}

fn program() -> Command {
    shell::command(target().join("release/logicvae"))
}

impl Experiment {
    /// All settings, as TOML.
    fn config(&self) -> Result<String> {
        let mut show = program();
        show.args(["train", "--show", "--preset", self.preset]);
        for set in self.set {
            show.args(["--set", set]);
        }
        shell::output(&mut show)
    }

    /// Trains, or goes on training, and measures.
    fn run(&self, folder: &Path, config: &str) -> Result<Value> {
        eprintln!("{}: training in {}", self.name, folder.display());
        let mut train = program();
        train.args(["train", "--json", "--out"]).arg(folder);
        let begun = fs::read_to_string(folder.join("config.toml"));
        if begun.is_ok_and(|begun| begun == config) {
            train.arg("--resume");
        } else {
            train.args(["--force", "--preset", self.preset]);
            for set in self.set {
                train.args(["--set", set]);
            }
        }
        let training: Value = serde_json::from_str(&shell::output(&mut train)?)?;
        eprintln!("{}: measuring", self.name);
        let start = Instant::now();
        let mut evaluate = program();
        evaluate.args(["evaluate", "--json", "--refine"]).arg(folder);
        let measures: Value = serde_json::from_str(&shell::output(&mut evaluate)?)?;
        let measured = start.elapsed().as_secs_f64();
        let metrics = fs::read_to_string(folder.join("metrics.jsonl"))?;
        let last: Value = serde_json::from_str(metrics.lines().last().unwrap_or("null"))?;
        Ok(json!({
            "name": self.name,
            "config": config,
            "training": training,
            "formulae": last["formulae"],
            "training_nll": last["nll"],
            "training_seconds": last["seconds"],
            "measuring_seconds": measured,
            "measures": measures,
        }))
    }
}

/// All results that there are.
fn table() -> Result<String> {
    let mut out = String::from(
        "# Models\n\n\
         By `cargo xtask models`, which trains and measures each by the paper's protocol: 300 test formulae, all different from\n\
         those trained on, 10 encodings of each, 10 decodings of each; 1,000 prior samples, 10 decodings of each. What is drawn\n\
         or changed in training differs from the test formulae up to the order of children too, unless the model is told that\n\
         order. *Seen* counts training formulae with repetitions, in thousands; *ordered* takes the order of children into\n\
         account; *meaning* asks for equivalence; *refined* is the share of formulae whose refined encoding decodes greedily to\n\
         them, as ordered trees. Rows with 60 epochs of a steady learning rate differ in what they name alone.\n\n\
         | model | | seen | training nll | accuracy | paper | mode | paper | ordered | meaning | validity | unique | novel | refined | minutes |\n\
         |---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for experiment in EXPERIMENTS {
        let Ok(text) = fs::read_to_string(results().join(format!("{}.json", experiment.name))) else { continue };
        let found: Value = serde_json::from_str(&text)?;
        let m = &found["measures"];
        let percent = |key: &str| m[key].as_f64().map_or("-".into(), |share| format!("{:.2}", 100.0 * share));
        let paper = |value: Option<f64>| value.map_or("-".into(), |v| format!("{v:.2}"));
        writeln!(
            out,
            "| {} | {} | {:.0} | {:.3} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1} |",
            experiment.name,
            experiment.about,
            found["formulae"].as_f64().unwrap_or(f64::NAN) / 1e3,
            found["training_nll"].as_f64().unwrap_or(f64::NAN),
            percent("accuracy"),
            paper(experiment.paper.map(|p| p.0)),
            percent("mode_accuracy"),
            paper(experiment.paper.map(|p| p.1)),
            percent("ordered_accuracy"),
            percent("semantic_accuracy"),
            percent("validity"),
            percent("uniqueness"),
            percent("novelty"),
            percent("refined"),
            found["training_seconds"].as_f64().unwrap_or(f64::NAN) / 60.0,
        )?;
    }
    Ok(out)
}

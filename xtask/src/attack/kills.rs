//! Killed trainings: they resume, and end with the weights and metrics of a training that was not killed.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::bench::{Bench, Numbers, SMALL, Verdict};
use super::table::Row;

const EPOCHS: &str = "--epochs=40";
/// How often one training is killed before it may end.
const KILLS_EACH: usize = 4;

fn fresh(out: &str) -> Vec<&str> {
    [&["train", "--preset", "cvae-best-3", "--out", out, EPOCHS], &SMALL[..]].concat()
}

pub fn run(bench: &Bench, kills: usize) -> Result<Vec<Row>> {
    eprintln!("── killed trainings");
    let whole = bench.text("whole");
    let start = Instant::now();
    bench.done(&fresh(&whole))?;
    let longest = start.elapsed();
    let wanted = left(Path::new(&whole))?;
    let (mut row, mut numbers) = (Row::new("kills of a training"), Numbers(1));
    let mut killed = 0;
    while killed < kills {
        let out = bench.text(&format!("killed-{killed}"));
        let folder = Path::new(&out);
        let mut done = 0;
        while done < KILLS_EACH && killed < kills {
            let wait = longest.mul_f64(numbers.below(1000) as f64 / 1000.0);
            let ended = kill_after(bench, &out, wait)?;
            if ended {
                break;
            }
            done += 1;
            killed += 1;
        }
        // The last part runs to its end.
        let ran = bench.run(&next_args(folder, &out))?;
        let verdict = match ran.verdict() {
            Verdict::Unharmed if left(folder)? == wanted => Verdict::Unharmed,
            Verdict::Unharmed => Verdict::Silent,
            Verdict::Refused => Verdict::Lost,
            other => other,
        };
        for _ in 0..done {
            row.count(verdict, || format!("{out}: {}", ran.describe()));
        }
        eprintln!("killed trainings: {killed} of {kills}");
        fs::remove_dir_all(folder).ok();
    }
    Ok(vec![row])
}

fn next_args<'a>(folder: &Path, out: &'a str) -> Vec<&'a str> {
    let begun =
        [folder.join("config.toml"), folder.join(".next/config.toml")].iter().any(|path| path.exists());
    if begun { vec!["train", "--resume", "--out", out, EPOCHS] } else { fresh(out) }
}

/// Starts or resumes a training and kills it. Returns whether it ended before that.
fn kill_after(bench: &Bench, out: &str, wait: Duration) -> Result<bool> {
    let mut command = bench.command();
    command.args(next_args(Path::new(out), out)).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let start = Instant::now();
    while start.elapsed() < wait {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        std::thread::park_timeout(Duration::from_millis(1));
    }
    let ended = child.try_wait()?.is_some();
    child.kill().ok();
    child.wait()?;
    Ok(ended)
}

/// The weights and the state of a run, and its metrics without times.
fn left(folder: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        if name.ends_with(".safetensors") || name == "last.state" || name.starts_with('.') {
            all.push((name, fs::read(&path).unwrap_or_default()));
        } else if name == "metrics.jsonl" {
            let text = fs::read_to_string(&path)?;
            let lines = text.lines().map(|line| line.split(",\"seconds\"").next().unwrap_or_default());
            all.push((name, lines.collect::<Vec<_>>().join("\n").into_bytes()));
        }
    }
    all.sort();
    Ok(all)
}

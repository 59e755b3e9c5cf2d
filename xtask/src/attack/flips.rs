//! Flipped bits: each file of a run, of an export and of the program's other formats is damaged in one bit,
//! and read by a command that needs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail, ensure};

use super::bench::{Bench, Numbers, Ran, Verdict, copy};
use super::table::Row;

/// A kind of file, and the command that reads it.
struct Target {
    what: &'static str,
    /// The folder that is copied, and the file in it that is damaged.
    folder: &'static str,
    file: String,
    /// The arguments, in which `@` is the damaged copy.
    args: Vec<&'static str>,
    /// Whether the format has a checksum: without one, a flipped bit is another input.
    protected: bool,
}

const ENCODE: &[&str] = &["encode", "x1 & (x2 | !x3)", "--model", "@", "--json"];
const BEST: &[&str] = &["encode", "x1 & (x2 | !x3)", "--model", "@", "--weights", "best", "--json"];
const MAP: &[&str] = &["evaluate", "@", "--quick", "--json"];
const RESUME: &[&str] = &["train", "--resume", "--out", "@", "--epochs", "4", "--json"];

fn targets(bench: &Bench) -> Result<Vec<Target>> {
    let weights = fs::read_dir(bench.path("run"))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .find(|name| name.starts_with("last-"))
        .context("the run has no checkpoint")?;
    let target = |what, folder, file: &str, args: &[&'static str], protected| Target {
        what,
        folder,
        file: file.to_owned(),
        args: args.to_vec(),
        protected,
    };
    let mut all = Vec::new();
    for (what, file, args) in [
        ("settings of a run", "config.toml", ENCODE),
        ("record of a run (run.json)", "run.json", ENCODE),
        ("manifest of a run", "manifest.json", RESUME),
        ("formulae of a run", "train.txt", RESUME),
        ("formulae of a run", "valid.txt", RESUME),
        ("formulae of a run", "test.txt", MAP),
        ("semantic embedding of a run", "context.bin", ENCODE),
        ("weights of a run", "best.safetensors", BEST),
        ("weights of a run", &weights, ENCODE),
        ("training state", "last.state", ENCODE),
        ("metrics of a run", "metrics.jsonl", RESUME),
    ] {
        all.push(target(what, "run", file, args, true));
    }
    for (what, file, args) in [
        ("settings of an export", "config.toml", ENCODE),
        ("record of an export (run.json)", "run.json", ENCODE),
        ("manifest of an export", "manifest.json", ENCODE),
        ("formulae of an export", "test.txt", MAP),
        ("semantic embedding of an export", "context.bin", ENCODE),
        ("weights of an export", "model.safetensors", ENCODE),
    ] {
        all.push(target(what, "export", file, args, true));
    }
    all.push(target("binary formulae", "files", "f.bin", &["stats", "@/f.bin", "--json"], true));
    let embed: &[&str] =
        &["embed", "@/f.txt", "--pool", "@/e.bin", "--out", "@/out.npy", "--force", "--json"];
    all.push(target("saved embeddings", "files", "e.bin", embed, true));
    let decode: &[&str] = &["decode", "--z", "@/v.npy", "--json"];
    all.push(target("vectors (.npy, without a checksum)", "files", "v.npy", decode, false));
    let other = "other formats (without checksums)";
    for (file, args) in [("f.json", ["stats", "@/f.json"]), ("f.smt2", ["stats", "@/f.smt2"])] {
        all.push(target(other, "files", file, &args, false));
    }
    all.push(target("text formulae (without a checksum)", "files", "f.txt", &["stats", "@/f.txt"], false));
    let packed: &[&str] = &["predict", "a & !b", "@/t.csv.gz", "--json"];
    all.push(target("compressed tables (.csv.gz)", "files", "t.csv.gz", packed, true));
    let table: &[&str] = &["predict", "a & !b", "@/t.csv", "--json"];
    all.push(target("tables (without a checksum)", "files", "t.csv", table, false));
    let result: &[&str] = &["predict", "@/result.json", "@/t.csv", "--json"];
    all.push(target("results of mining (without a checksum)", "files", "result.json", result, false));
    Ok(all)
}

fn prepare(bench: &Bench) -> Result<()> {
    bench.train(&bench.text("run"), 4)?;
    bench.done(&["export", &bench.text("run"), "--out", &bench.text("export"), "--no-card"])?;
    fs::create_dir_all(bench.path("files"))?;
    let file = |name: &str| bench.text(&format!("files/{name}"));
    bench.done(&["sample", "--vars", "4", "--count", "60", "--out", &file("f.txt")])?;
    let binary = ["sample", "--vars", "4", "--count", "60", "--format", "binary", "--out", &file("f.bin")];
    bench.done(&binary)?;
    let embed = ["embed", &file("f.txt"), "--pool", &file("f.txt"), "--components", "5", "--save"];
    bench.done(&[&embed[..], &[&file("e.bin"), "--out", &file("out.npy")]].concat())?;
    bench.done(&["encode", &file("f.txt"), "--out", &file("v.npy")])?;
    for other in ["f.json", "f.smt2"] {
        bench.done(&["convert", &file("f.txt"), "--out", &file(other)])?;
    }
    let row = |at: usize| format!("{},{},{}\n", at & 1, at >> 1 & 1, u8::from(at & 3 == 1));
    fs::write(file("t.csv"), format!("a,b,y\n{}", (0..40).map(row).collect::<String>()))?;
    let packed = Command::new("gzip").args(["--keep", "--no-name"]).arg(file("t.csv")).status();
    ensure!(packed.is_ok_and(|status| status.success()), "gzip cannot compress a table");
    let mined = bench.done(&["mine", &file("t.csv"), "--target", "y", "--folds", "0", "--json"])?;
    fs::write(file("result.json"), mined)?;
    Ok(())
}

/// What a command leaves: its output and, for a training, its weights and metrics.
fn result(ran: &Ran, copy: &Path, args: &[&str]) -> String {
    let mut text = ran.out.replace(&copy.display().to_string(), "@");
    if args.contains(&"train") {
        let mut files: Vec<PathBuf> = fs::read_dir(copy)
            .map(|all| all.filter_map(|e| Some(e.ok()?.path())).collect())
            .unwrap_or_default();
        files.sort();
        for path in files.iter().filter(|path| path.extension().is_some_and(|e| e == "safetensors")) {
            text += &format!("{path:?} {:?}", fs::read(path).map(|bytes| crc32fast::hash(&bytes)));
        }
        text += &fs::read_to_string(copy.join("metrics.jsonl")).unwrap_or_default();
        text = text.replace(&copy.display().to_string(), "@");
    }
    if args.contains(&"embed") {
        text += &format!("{:?}", fs::read(copy.join("out.npy")).ok());
    }
    text
}

pub fn run(bench: &Bench, flips: usize) -> Result<Vec<Row>> {
    eprintln!("── flipped bits");
    prepare(bench)?;
    let targets = targets(bench)?;
    let next = AtomicUsize::new(0);
    let rows: Vec<Mutex<Row>> = targets.iter().map(|target| Mutex::new(Row::new(target.what))).collect();
    // More than cores: each waits for its files for a part of the time.
    let workers = 4 * std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let work: Vec<_> = (0..workers)
            .map(|worker| {
                let (targets, rows, next) = (&targets, &rows, &next);
                scope.spawn(move || -> Result<()> {
                    let here = bench.path(&format!("flip-{worker}"));
                    let mut wanted: Vec<Option<String>> = vec![None; targets.len()];
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= flips {
                            return Ok(());
                        }
                        if number % 500 == 0 {
                            eprintln!("flipped bits: {number} of {flips}");
                        }
                        let at = number % targets.len();
                        let target = &targets[at];
                        let clean = match &wanted[at] {
                            Some(clean) => clean.clone(),
                            None => {
                                let (ran, text) = read(bench, target, &here, None)?;
                                if !ran.succeeded() {
                                    bail!("{} without damage: {}", target.what, ran.describe());
                                }
                                wanted[at].insert(text).clone()
                            }
                        };
                        let (ran, text) = read(bench, target, &here, Some(number as u64))?;
                        let verdict = match ran.verdict() {
                            Verdict::Unharmed if target.protected && text != clean => Verdict::Silent,
                            verdict => verdict,
                        };
                        let note = || format!("{}, flip {number}: {}", target.file, ran.describe());
                        if let Ok(mut row) = rows[at].lock() {
                            row.count(verdict, note);
                        }
                    }
                })
            })
            .collect();
        work.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(_) => bail!("a thread of the attack panicked"),
        })
    })?;
    let mut merged: Vec<Row> = Vec::new();
    for mut row in rows.into_iter().map(|row| row.into_inner().unwrap_or_default()) {
        row.what = format!("bit flips: {}", row.what);
        match merged.iter_mut().find(|other| other.what == row.what) {
            Some(other) => other.add(row),
            None => merged.push(row),
        }
    }
    Ok(merged)
}

/// Copies the target's folder, flips a bit of its file, and runs its command.
fn read(bench: &Bench, target: &Target, here: &Path, seed: Option<u64>) -> Result<(Ran, String)> {
    fs::remove_dir_all(here).ok();
    copy(&bench.path(target.folder), here).with_context(|| format!("cannot copy {}", target.folder))?;
    if let Some(seed) = seed {
        let path = here.join(&target.file);
        let mut bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let bit = Numbers(seed).below(8 * bytes.len());
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, bytes)?;
    }
    let args: Vec<String> =
        target.args.iter().map(|arg| arg.replace('@', &here.display().to_string())).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let ran = bench.run(&args)?;
    let text = result(&ran, here, &args);
    Ok((ran, text))
}

//! Full disks: every command that writes replaces what it wrote before, on a disk without room. It must say
//! so, and what was there must stay.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use super::bench::{Bench, Numbers, SMALL, Verdict, copy};
use super::table::Row;

/// A small file system of its own, or a limit for the size of files where mounting is not allowed.
struct Disk {
    folder: PathBuf,
    mounted: bool,
}

impl Disk {
    fn new(bench: &Bench) -> Result<Self> {
        let folder = bench.path("disk");
        fs::create_dir_all(&folder)?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=4m,nr_inodes=4096", "tmpfs"]).arg(&folder);
        let mounted = cfg!(target_os = "linux") && mount.output().is_ok_and(|output| output.status.success());
        if !mounted {
            eprintln!(
                "a small file system cannot be mounted, which needs root on Linux: the size of files is \
                 limited instead"
            );
        }
        Ok(Self { folder, mounted })
    }

    /// Uses all that is left.
    fn fill(&self) -> Result<()> {
        if self.mounted {
            let filler = self.folder.join("filler");
            let mut size = 1 << 20;
            let mut content = Vec::new();
            while size > 0 {
                content.resize(content.len() + size, 0u8);
                if fs::write(&filler, &content).is_err() {
                    content.truncate(content.len() - size);
                    fs::write(&filler, &content)?;
                    size /= 2;
                }
            }
        }
        Ok(())
    }

    fn free(&self) {
        fs::remove_file(self.folder.join("filler")).ok();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if self.mounted {
            Command::new("umount").arg(&self.folder).output().ok();
        }
    }
}

/// Every command that writes, with `@` for the disk and `#` for files elsewhere. The first time it runs,
/// there is room.
fn commands() -> Vec<(&'static str, Vec<&'static str>)> {
    let train = |more: &[&'static str]| {
        [&["train", "--preset", "cvae-best-3", "--out", "@/run", "--force"], more, &SMALL[..]].concat()
    };
    vec![
        ("sample", vec!["sample", "--vars", "5", "--count", "300", "--out", "@/f.txt", "--force"]),
        (
            "sample, binary",
            vec![
                "sample", "--vars", "5", "--count", "9", "--format", "binary", "--out", "@/f.bin", "--force",
            ],
        ),
        ("convert", vec!["convert", "#/f.txt", "--out", "@/f.json", "--force"]),
        ("kernel", vec!["kernel", "#/f.txt", "--out", "@/k.npy", "--force"]),
        (
            "embed",
            vec!["embed", "#/f.txt", "--pool", "#/f.txt", "--components", "4", "--out", "@/y.npy", "--force"],
        ),
        (
            "embed --save",
            vec![
                "embed",
                "#/f.txt",
                "--pool",
                "#/f.txt",
                "--components",
                "4",
                "--out",
                "@/y.npy",
                "--save",
                "@/e.bin",
                "--force",
            ],
        ),
        ("encode", vec!["encode", "#/f.txt", "--out", "@/v.npy", "--force"]),
        ("encode, .csv", vec!["encode", "#/f.txt", "--out", "@/v.csv", "--force"]),
        ("draw", vec!["draw", "x1 & (x2 | !x3)", "--out", "@/t.svg", "--force"]),
        ("draw, .png", vec!["draw", "x1 & (x2 | !x3)", "--out", "@/t.png", "--force"]),
        ("map", vec!["map", "--in", "#/f.txt", "--out", "@/m.svg", "--force"]),
        ("cluster", vec!["cluster", "#/f.txt", "--out", "@/c.svg", "--force"]),
        ("interpolate", vec!["interpolate", "x1 & x2", "x3 | x4", "--out", "@/i.svg", "--force"]),
        ("plot", vec!["plot", "#/chart.json", "--out", "@/p.svg", "--force"]),
        ("experiment", vec!["experiment", "pool", "--quick", "--out", "@/x", "--force"]),
        ("man", vec!["man", "--out", "@/man", "--force"]),
        ("mine", vec!["mine", "#/t.csv", "--target", "y", "--folds", "0", "--svg", "@/n.svg", "--force"]),
        ("train", train(&["--epochs=2"])),
        ("train --resume", vec!["train", "--resume", "--out", "@/run", "--epochs", "3"]),
        ("export", vec!["export", "#/run", "--out", "@/export", "--no-card", "--force"]),
        ("export in its place", vec!["export", "@/export", "--quick", "--force"]),
        ("export with a card", vec!["export", "#/run", "--out", "@/export", "--quick", "--force"]),
    ]
}

const CHART: &str = r#"{"kind": "lines", "title": "A", "x": "x", "y": "y", "series": [
    {"name": "a", "points": [[0, 1], [1, 2]]}]}"#;

pub fn run(bench: &Bench) -> Result<Vec<Row>> {
    eprintln!("── full disks");
    let disk = Disk::new(bench)?;
    let elsewhere = bench.path("room");
    fs::create_dir_all(&elsewhere)?;
    let f = elsewhere.join("f.txt").display().to_string();
    bench.done(&["sample", "--vars", "3", "--count", "12", "--max-nodes", "12", "--out", &f])?;
    fs::write(elsewhere.join("chart.json"), CHART)?;
    fs::write(elsewhere.join("t.csv"), "a,b,y\n1,0,1\n0,1,0\n1,1,1\n0,0,0\n")?;
    bench.train(&elsewhere.join("run").display().to_string(), 2)?;
    let mut row = Row::new("full disk, every writing command");
    let mut numbers = Numbers(7);
    for (name, args) in commands() {
        let place = |arg: &str| {
            arg.replace('@', &disk.folder.display().to_string())
                .replace('#', &elsewhere.display().to_string())
        };
        let args: Vec<String> = args.iter().map(|arg| place(arg)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let first = bench.run(&args)?;
        ensure!(first.succeeded(), "{name} with room: {}", first.describe());
        // Full to the last block, and with a little room left at different moments.
        for attempt in 0..6 {
            let before = content(&disk.folder)?;
            disk.fill()?;
            if attempt > 0 && disk.mounted {
                let filler = disk.folder.join("filler");
                let length = fs::metadata(&filler)?.len();
                let room = 4096 * (1 + numbers.below(1 << attempt) as u64);
                fs::File::options().write(true).open(&filler)?.set_len(length.saturating_sub(room))?;
            }
            let ran = if disk.mounted { bench.run(&args)? } else { bench.run_limited(&args)? };
            disk.free();
            let after = content(&disk.folder)?;
            let verdict = match ran.verdict() {
                // A command that succeeds writes the same again, so its files are checked as well.
                kept @ (Verdict::Unharmed | Verdict::Refused) => {
                    match usable(bench, &disk, &before, &after, name, kept == Verdict::Unharmed)? {
                        true => kept,
                        false => Verdict::Lost,
                    }
                }
                other => other,
            };
            row.count(verdict, || {
                let names =
                    |all: &BTreeMap<String, Vec<u8>>| all.keys().cloned().collect::<Vec<_>>().join(" ");
                format!("{name}: {}; before: {}; after: {}", ran.describe(), names(&before), names(&after))
            });
        }
        eprintln!("full disk: {name}");
    }
    Ok(vec![row])
}

/// Whether nothing was lost: all files are the old ones or complete new ones, and runs and exports can be
/// read.
fn usable(
    bench: &Bench,
    disk: &Disk,
    before: &BTreeMap<String, Vec<u8>>,
    after: &BTreeMap<String, Vec<u8>>,
    name: &str,
    succeeded: bool,
) -> Result<bool> {
    // Commands with several files replace one after another, and a training adds to its own files.
    let several = ["experiment", "man", "embed --save", "train --resume"].contains(&name);
    let temporary = after.keys().any(|path| path.contains(".tmp"));
    let in_folder = |path: &str| path.starts_with("run/") || path.starts_with("export/");
    // A new run or export has other files than the one that it replaces.
    let may_go = |path: &str| succeeded && in_folder(path);
    if temporary || before.keys().any(|path| !(after.contains_key(path) || may_go(path))) {
        return Ok(false);
    }
    let same =
        before.iter().filter(|(path, _)| !in_folder(path)).all(|(path, old)| after.get(path) == Some(old));
    for folder in ["run", "export"] {
        let path = disk.folder.join(folder);
        if path.exists() {
            // Read from a copy elsewhere, so that reading needs no room here.
            let read = bench.path("read");
            fs::remove_dir_all(&read).ok();
            copy(&path, &read)?;
            let read = read.display().to_string();
            if !bench.run(&["encode", "x1 & x2", "--model", &read])?.succeeded() {
                return Ok(false);
            }
        }
    }
    Ok(same || several)
}

/// All files below a folder.
fn content(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut all = BTreeMap::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(next) = todo.pop() {
        for entry in fs::read_dir(&next)? {
            let path = entry?.path();
            if path.is_dir() {
                todo.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            if !(name == "filler" || name.ends_with("lock")) {
                all.insert(name, fs::read(&path)?);
            }
        }
    }
    Ok(all)
}

//! Reads arbitrary bytes as one of the files of a run folder that other targets do not read: its manifest,
//! its record, its metrics or its formulae. The first byte selects the file. The folder has no manifest
//! otherwise, so that no hash stops the damage.

#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use logicvae_vae::{MetricsLog, Run};

/// The files of a run, with what is in them otherwise.
const FILES: [(&str, &str); 5] = [
    ("manifest.json", ""),
    ("run.json", include_str!("../seeds/run/record.json")),
    ("metrics.jsonl", ""),
    ("train.txt", "x1 & x2\n"),
    ("config.toml", include_str!("../seeds/config/gcn-5.toml")),
];

/// The folder of the run. Processes that run at the same time have one each.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("logicvae-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
});

fuzz_target!(|bytes: &[u8]| {
    let Some((selected, content)) = bytes.split_first() else { return };
    let selected = usize::from(*selected) % (FILES.len() - 1);
    for (at, (name, usual)) in FILES.into_iter().enumerate() {
        let (path, content) = (FOLDER.join(name), if at == selected { content } else { usual.as_bytes() });
        match content.is_empty() {
            true => drop(std::fs::remove_file(path)),
            false => std::fs::write(path, content).unwrap(),
        }
    }
    let Ok(run) = Run::open(&*FOLDER) else { return };
    run.dataset().ok();
    run.epochs().ok();
    if let Ok(log) = MetricsLog::open(&run, 3) {
        assert!(log.lines().iter().all(|line| line.epoch.epoch <= 3));
    }
});

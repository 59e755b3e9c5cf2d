//! Facts about the machine that the suite runs on.

use std::fs;
use std::process::Command;

use crate::layout::root;

/// The value behind a key in one of the system's text files, such as `/proc/cpuinfo`.
fn system_value(file: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(value.trim_start_matches([':', ' ', '\t']).trim().to_owned())
}

/// The name of the processor, or its architecture where the system does not tell the name.
pub fn processor() -> String {
    system_value("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.into())
}

/// The number of cores that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The number of cores that Slurm gave this job, or else that this process may use.
pub fn allocated_cores() -> usize {
    let given = std::env::var("SLURM_CPUS_PER_TASK").ok().and_then(|text| text.parse().ok());
    given.filter(|&cores| cores > 0).unwrap_or_else(cores)
}

/// Memory in GiB, where the system tells it.
pub fn memory() -> Option<f64> {
    let kib = system_value("/proc/meminfo", "MemTotal")?;
    Some(kib.trim_end_matches(" kB").parse::<f64>().ok()? / f64::from(1 << 20))
}

/// The version of the Rust compiler.
pub fn compiler() -> Option<String> {
    printed_by("rustc", &["--version"])
}

/// The current commit of the repository.
pub fn commit() -> Option<String> {
    printed_by("git", &["rev-parse", "--short", "HEAD"])
}

/// What a program prints, if it succeeds.
fn printed_by(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(root()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

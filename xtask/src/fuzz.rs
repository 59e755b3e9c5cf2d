//! `cargo xtask fuzz`: bounded runs of the fuzz targets.

use anyhow::{Result, bail};

use crate::shell::{self, command, exists, root};

/// Fuzz the parser and the file readers for a while. Needs cargo-fuzz and a nightly compiler.
#[derive(clap::Args)]
pub struct Args {
    /// Seconds for each target.
    #[arg(long, default_value_t = 60)]
    seconds: u32,
}

const TARGETS: [&str; 2] = ["parse", "files"];

pub fn run(args: &Args) -> Result<()> {
    if !exists("cargo-fuzz", "--version") {
        bail!("cargo-fuzz is not installed: cargo install cargo-fuzz");
    }
    for target in TARGETS {
        let mut fuzz = command("cargo");
        fuzz.args([
            "+nightly",
            "fuzz",
            "run",
            target,
            "--",
            "-timeout=10",
            "-rss_limit_mb=1024",
            "-max_len=4096",
        ]);
        fuzz.arg(format!("-max_total_time={}", args.seconds));
        // The toolchain of `cargo xtask` must not leak into the nightly run.
        fuzz.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO").current_dir(root());
        shell::run(&mut fuzz)?;
    }
    Ok(())
}

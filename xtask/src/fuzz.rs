//! `cargo xtask fuzz`: runs the fuzz targets for a limited time.

use anyhow::{Result, bail};

use crate::shell::{self, command, exists, root};

/// Fuzz the parser and the file readers for a limited time. Needs cargo-fuzz and a nightly compiler.
#[derive(clap::Args)]
pub struct Args {
    /// The time per target in seconds.
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
        // Removes the toolchain of `cargo xtask` from the environment of the nightly compiler.
        fuzz.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO").current_dir(root());
        shell::run(&mut fuzz)?;
    }
    Ok(())
}

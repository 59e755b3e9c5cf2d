//! `cargo xtask test`: every gate, the cheapest first.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::cuda;
use crate::shell::{self, cargo, command, exists};

/// Run formatting, lints, tests, docs, and cargo-deny where it is installed.
#[derive(clap::Args)]
pub struct Args {
    /// Run the kernel's conformance suite with the feature `lapack` instead; installs libopenblas-dev where it can.
    #[arg(long)]
    lapack: bool,
    /// Compile, link and test the feature `cuda` with a real nvcc instead; installs one under target/. Needs no GPU.
    #[arg(long, conflicts_with = "lapack")]
    cuda: bool,
}

/// Runs a program as a named step, with its time.
pub fn run_step(name: &str, command: &mut std::process::Command) -> Result<()> {
    eprintln!("── {name}");
    let start = Instant::now();
    shell::run(command).with_context(|| format!("{name} did not pass"))?;
    eprintln!("── {name}: passed in {:.1} s\n", start.elapsed().as_secs_f64());
    Ok(())
}

pub fn run(args: &Args) -> Result<()> {
    if args.lapack {
        return lapack();
    }
    if args.cuda {
        return cuda::run();
    }
    run_step("formatting", cargo().args(["fmt", "--all", "--", "--check"]))?;
    run_step("lints", cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    run_step("tests", cargo().args(["test", "--workspace"]))?;
    run_step(
        "docs",
        cargo()
            .args(["doc", "--workspace", "--no-deps", "--document-private-items"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )?;
    if exists("cargo-deny", "--version") {
        // Advisories need a database from outside; the GitHub workflow checks them.
        run_step("dependencies", cargo().args(["deny", "check", "bans", "licenses", "sources"]))?;
    } else {
        eprintln!("── dependencies: not checked, cargo-deny is not installed\n");
    }
    eprintln!("All gates passed.");
    Ok(())
}

/// The same suite on both backends of linear algebra.
fn lapack() -> Result<()> {
    if !exists("pkg-config", "--version") || !pkg_config_knows_openblas() {
        eprintln!("── installing libopenblas-dev");
        let install = "apt-get update && apt-get install --yes pkg-config libopenblas-dev";
        shell::run(command("sh").args(["-c", install]))
            .context("OpenBLAS is needed: install libopenblas-dev and pkg-config")?;
    }
    let kernel = ["--package", "logicvae-kernel", "--features", "lapack"];
    run_step("lints", cargo().arg("clippy").args(kernel).args(["--all-targets", "--", "-D", "warnings"]))?;
    run_step("tests", cargo().arg("test").args(kernel))
}

fn pkg_config_knows_openblas() -> bool {
    command("pkg-config").args(["--exists", "openblas"]).status().is_ok_and(|s| s.success())
}

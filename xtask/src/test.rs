//! `cargo xtask test`: every gate, the cheapest first.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::shell::{self, cargo, exists};

/// Run formatting, lints, tests, docs, and cargo-deny where it is installed.
#[derive(clap::Args)]
pub struct Args {}

fn run_step(name: &str, command: &mut std::process::Command) -> Result<()> {
    eprintln!("── {name}");
    let start = Instant::now();
    shell::run(command).with_context(|| format!("{name} did not pass"))?;
    eprintln!("── {name}: passed in {:.1} s\n", start.elapsed().as_secs_f64());
    Ok(())
}

pub fn run(_: &Args) -> Result<()> {
    run_step("formatting", cargo().args(["fmt", "--all", "--", "--check"]))?;
    run_step("lints", cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    run_step("tests", cargo().args(["test", "--workspace"]))?;
    run_step(
        "docs",
        cargo().args(["doc", "--workspace", "--no-deps", "--document-private-items"]).env("RUSTDOCFLAGS", "-D warnings"),
    )?;
    if exists("cargo-deny", "--version") {
        // Advisories need the network; the GitHub workflow checks them.
        run_step("dependencies", cargo().args(["deny", "--offline", "check", "bans", "licenses", "sources"]))?;
    } else {
        eprintln!("── dependencies: not checked, cargo-deny is not installed\n");
    }
    eprintln!("All gates passed.");
    Ok(())
}

//! `cargo xtask test`: all checks and tests, the fastest first.

use anyhow::{Context, Result, ensure};

use crate::shell::{self, cargo, command, exists, output, run_step, step, target};
use crate::{checks, cuda, slurm};

/// Run formatting, the checks of `cargo xtask check`, lints, tests, docs and, if installed, cargo-deny.
#[derive(clap::Args)]
pub struct Args {
    /// Run only the tests of the kernel crate with the feature `lapack`. Installs libopenblas-dev if
    /// necessary and possible.
    #[arg(long)]
    lapack: bool,
    /// Only compile, link and test the feature `cuda` with a real nvcc, which is installed under target/.
    /// Needs no GPU.
    #[arg(long, conflicts_with = "lapack")]
    cuda: bool,
    /// Build and run the program in tests/external instead, which uses the crates from outside the workspace.
    #[arg(long, conflicts_with_all = ["lapack", "cuda"])]
    external: bool,
    /// Run a part of the quick suite on a real Slurm with two nodes on this machine, let one fail, and
    /// compare the results with a run without Slurm. Installs slurm-wlm and munge if necessary, as root.
    #[arg(long, conflicts_with_all = ["lapack", "cuda", "external"])]
    slurm: bool,
}

/// The packages that are built and tested: all on Linux, and the default members elsewhere. These exclude the
/// host tests of the CUDA kernels, which need the fibers of Linux.
const MEMBERS: &[&str] = if cfg!(target_os = "linux") { &["--workspace"] } else { &[] };

pub fn run(args: &Args) -> Result<()> {
    if args.lapack {
        return lapack();
    }
    if args.cuda {
        return cuda::run();
    }
    if args.external {
        return step("a program outside the workspace", external);
    }
    if args.slurm {
        return slurm::run();
    }
    run_step("formatting", cargo().args(["fmt", "--all", "--", "--check"]))?;
    step("paths, links, modules and line width", checks::run)?;
    let mut clippy = cargo();
    clippy.arg("clippy").args(MEMBERS).args(["--all-targets", "--", "-D", "warnings"]);
    run_step("lints", &mut clippy)?;
    run_step("tests", cargo().arg("test").args(MEMBERS))?;
    let mut doc = cargo();
    doc.arg("doc").args(MEMBERS).args(["--no-deps", "--document-private-items"]);
    run_step("docs", doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    if exists("cargo-deny", "--version") {
        // Advisories need a database from the network; the GitHub workflow checks them.
        run_step("dependencies", cargo().args(["deny", "check", "bans", "licenses", "sources"]))?;
    } else {
        eprintln!("── dependencies: skipped, because cargo-deny is not installed\n");
    }
    eprintln!("All checks passed.");
    Ok(())
}

/// Runs the lints and tests of the kernel crate with the LAPACK backend.
fn lapack() -> Result<()> {
    if !exists("pkg-config", "--version") || !pkg_config_knows_openblas() {
        eprintln!("── installing libopenblas-dev");
        let install = "apt-get update && apt-get install --yes pkg-config libopenblas-dev";
        shell::run(command("sh").args(["-c", install]))
            .context("OpenBLAS is missing: install libopenblas-dev and pkg-config")?;
    }
    let kernel = ["--package", "logicvae-kernel", "--features", "lapack"];
    run_step("lints", cargo().arg("clippy").args(kernel).args(["--all-targets", "--", "-D", "warnings"]))?;
    run_step("tests", cargo().arg("test").args(kernel))
}

/// A program that depends on `logicvae-vae` alone reconstructs a formula with a model of the repository.
fn external() -> Result<()> {
    const FORMULA: &str = "x1 & (x2 | !x3) & (x4 | x5)";
    let mut program = cargo();
    program.args(["run", "--locked", "--manifest-path", "tests/external/Cargo.toml", "--"]);
    program.args(["models/best-5", FORMULA]).env("CARGO_TARGET_DIR", target().join("external"));
    let printed = output(&mut program)?;
    ensure!(printed.trim() == FORMULA, "the model decodes {FORMULA} to {}", printed.trim());
    Ok(())
}

fn pkg_config_knows_openblas() -> bool {
    command("pkg-config").args(["--exists", "openblas"]).status().is_ok_and(|s| s.success())
}

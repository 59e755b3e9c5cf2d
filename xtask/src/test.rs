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
    /// Run the tests of the numeric crates with AddressSanitizer and ThreadSanitizer, and some under Miri,
    /// instead. Needs a nightly compiler; what its toolchain lacks is skipped with a note.
    #[arg(long, conflicts_with_all = ["lapack", "cuda", "external"])]
    sanitize: bool,
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
    if args.sanitize {
        return sanitize();
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
        run_step("dependencies", cargo().args(["deny", "check", "bans", "licenses", "sources"]))?;
        advisories()?;
    } else {
        eprintln!("── dependencies: skipped, because cargo-deny is not installed\n");
    }
    eprintln!("All checks passed.");
    Ok(())
}

/// Checks advisories, whose database is fetched from the network.
fn advisories() -> Result<()> {
    if !command("cargo").args(["deny", "fetch", "db"]).output().is_ok_and(|output| output.status.success()) {
        eprintln!("── advisories: skipped, because their database cannot be fetched\n");
        return Ok(());
    }
    run_step("advisories", cargo().args(["deny", "check", "advisories"]))
}

/// Runs test suites with the sanitizers of a nightly compiler, and some of them under Miri.
fn sanitize() -> Result<()> {
    const NIGHTLY: &str = "+nightly";
    ensure!(
        command("rustc")
            .args([NIGHTLY, "--version"])
            .env_remove("RUSTUP_TOOLCHAIN")
            .output()?
            .status
            .success(),
        "sanitizers need a nightly compiler: rustup toolchain install nightly"
    );
    let nightly = |arguments: &[&str]| {
        let mut cargo = command("cargo");
        cargo.arg(NIGHTLY).args(arguments).env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
        cargo
    };
    let host = output(nightly(&["--version", "--verbose"]).stdin(std::process::Stdio::null()))?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).context("cargo names no host")?;
    let packages = ["logic", "compute", "kernel", "gnn"].map(|name| format!("--package=logicvae-{name}"));
    for sanitizer in ["address", "thread"] {
        let mut test = nightly(&["test", "--lib", "--tests", "--target", host]);
        test.args(&packages).env("RUSTFLAGS", format!("-Zsanitizer={sanitizer}"));
        if sanitizer == "thread" {
            // The standard library must be instrumented as well, or its locks look like races.
            test.args(["-Zbuild-std"]);
            if !has_component("rust-src") {
                eprintln!(
                    "── {sanitizer} sanitizer: skipped: rustup component add rust-src --toolchain nightly\n"
                );
                continue;
            }
        }
        test.env("CARGO_TARGET_DIR", target().join(sanitizer));
        run_step(&format!("{sanitizer} sanitizer"), &mut test)?;
    }
    if !has_component("miri") {
        eprintln!("── Miri: skipped: rustup component add miri --toolchain nightly\n");
        return Ok(());
    }
    // What Miri can run: no vector instructions, no threads, no large inputs.
    for (package, tests) in
        [("logicvae-logic", "io::"), ("logicvae-compute", "amx::tests::rows_of_the_model")]
    {
        let mut miri = nightly(&["miri", "test", "--lib", "--package", package, tests]);
        run_step(&format!("Miri: {package}"), miri.env("MIRIFLAGS", "-Zmiri-disable-isolation"))?;
    }
    Ok(())
}

/// Whether the nightly toolchain has a component.
fn has_component(name: &str) -> bool {
    let list =
        command("rustup").args(["component", "list", "--installed", "--toolchain", "nightly"]).output();
    list.is_ok_and(|list| String::from_utf8_lossy(&list.stdout).lines().any(|line| line.starts_with(name)))
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

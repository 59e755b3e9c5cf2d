//! `cargo xtask reproduce`: builds the experiment suite and runs it.

use std::ffi::OsString;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::shell::{self, cargo, root, target};

/// Reproduce every table and figure of the paper, with a report.
///
/// All arguments go to the `logicvae-suite` program: see `cargo xtask reproduce --help`.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct Args {
    /// Arguments of `logicvae-suite`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

/// The time between two lines that say that the build is at work.
const PAUSE: Duration = Duration::from_secs(20);

/// Builds `logicvae` and `logicvae-suite`, then runs the suite in the caller's current folder.
pub fn run(args: &Args) -> Result<()> {
    let packages = ["--package", "logicvae-cli", "--package", "logicvae-suite"];
    let what = "building logicvae and logicvae-suite (several minutes the first time)";
    shell::run_long(what, PAUSE, cargo().args(["build", "--release"]).args(packages))?;
    let program = format!("logicvae-suite{}", std::env::consts::EXE_SUFFIX);
    let mut suite = Command::new(root().join(target()).join("release").join(program));
    suite.args(&args.arguments);
    replace_process(&mut suite)
}

/// Replaces this process by the suite, so that Ctrl-C and other signals reach it directly.
#[cfg(unix)]
fn replace_process(suite: &mut Command) -> Result<()> {
    use anyhow::Context;
    use std::os::unix::process::CommandExt;

    let error = suite.exec();
    Err(error).with_context(|| format!("cannot start {suite:?}"))
}

/// Runs the suite and exits with its exit code.
#[cfg(not(unix))]
fn replace_process(suite: &mut Command) -> Result<()> {
    use anyhow::Context;

    let status = suite.status().with_context(|| format!("cannot start {suite:?}"))?;
    std::process::exit(status.code().unwrap_or(1))
}

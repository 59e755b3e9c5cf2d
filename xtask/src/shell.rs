//! Running other programs from the root of the repository.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// The target folder of cargo.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The cargo that started this program.
pub fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

pub fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Runs a program. An exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    if !status.success() {
        bail!("failed ({status}): {command:?}");
    }
    Ok(())
}

/// Runs a program as a named step, and prints how long it took.
pub fn run_step(name: &str, command: &mut Command) -> Result<()> {
    step(name, || run(command))
}

/// Runs a function as a named step, and prints how long it took.
pub fn step(name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    eprintln!("── {name}");
    let start = Instant::now();
    work().with_context(|| format!("{name} failed"))?;
    eprintln!("── {name}: passed in {:.1} s\n", start.elapsed().as_secs_f64());
    Ok(())
}

/// The standard output of a program.
pub fn output(command: &mut Command) -> Result<String> {
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("failed ({}): {command:?}", output.status);
    }
    String::from_utf8(output.stdout).context("the output is not text")
}

/// Redirects the standard output of a program to standard error, so that ours contains only results.
pub fn print_to_stderr(command: &mut Command) -> &mut Command {
    command.stdout(io::stderr())
}

/// Makes a file executable. Does nothing on Windows, which has no such permission.
pub fn make_executable(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Creates a symbolic link.
pub fn symlink(original: &Path, link: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(original, link);
    #[cfg(not(unix))]
    return Err(io::Error::new(
        io::ErrorKind::Unsupported,
        format!("cannot link {} to {}: links are only supported on Unix", link.display(), original.display()),
    ));
}

/// Whether a program can be started.
pub fn exists(program: &str, argument: &str) -> bool {
    command(program)
        .arg(argument)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success())
}

//! Running other programs from the root of the repository.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

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

/// Runs a program that takes long, and says so. On a terminal the program shows its own progress; elsewhere
/// there is a line after every `pause`.
pub fn run_long(what: &str, pause: Duration, command: &mut Command) -> Result<()> {
    eprintln!("{what}");
    if io::stderr().is_terminal() {
        return run(command);
    }
    run_with_signs(pause, command, |elapsed| eprintln!("{what}: {} s so far", elapsed.as_secs()))
}

/// Runs a program, and calls `sign` after every `pause` with the time so far.
fn run_with_signs(pause: Duration, command: &mut Command, sign: impl Fn(Duration) + Sync) -> Result<()> {
    let start = Instant::now();
    let (done, wait) = mpsc::channel::<()>();
    let sign = &sign;
    thread::scope(|scope| {
        scope.spawn(move || {
            // The program has ended when the other side is dropped.
            while wait.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                sign(start.elapsed());
            }
        });
        let result = run(command);
        drop(done);
        result
    })
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

#[cfg(all(test, unix))]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_long_program_gives_signs_until_it_ends() {
        let times = Mutex::new(Vec::new());
        let pause = Duration::from_millis(50);
        run_with_signs(pause, command("sleep").arg("0.5"), |time| times.lock().unwrap().push(time)).unwrap();
        let times = times.into_inner().unwrap();
        assert!(times.len() >= 2 && times.is_sorted(), "{times:?}");
        // A failure is reported at once.
        let start = Instant::now();
        assert!(run_with_signs(Duration::from_secs(60), &mut command("false"), |_| {}).is_err());
        assert!(start.elapsed() < Duration::from_secs(30));
    }
}

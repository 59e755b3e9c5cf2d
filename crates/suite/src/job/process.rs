//! Running `logicvae` as a supervised process.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use serde::de::DeserializeOwned;

use super::Halt;

/// Runs a program to its end and parses the JSON that it prints. Its messages are appended to the log. `tick`
/// is called several times per second while it runs.
pub fn run_json<T: DeserializeOwned>(
    command: &mut Command,
    log: &Path,
    stop: &AtomicBool,
    tick: impl Fn(),
) -> Result<T, Halt> {
    if stop.load(Ordering::Relaxed) {
        return Err(Halt::Stopped);
    }
    let mut log_file = File::options().create(true).append(true).open(log).context("cannot open the log")?;
    writeln!(log_file, "$ {command:?}").context("cannot write the log")?;
    let log_start = log_file.metadata().map_or(0, |m| m.len());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log_file);
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    // This pipe stays open as long as we live. When we are killed it closes, and a training saves its state
    // and exits.
    let mut input = child.stdin.take();
    let mut output = child.stdout.take().context("no standard output")?;
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        // Standard output ends when the program does.
        send.send(output.read_to_string(&mut text).map(|_| text)).ok();
    });
    let text = loop {
        match receive.recv_timeout(Duration::from_millis(200)) {
            Ok(text) => break text.context("cannot read standard output")?,
            Err(_) => tick(),
        }
        if stop.load(Ordering::Relaxed) {
            input = None;
        }
    };
    let status = child.wait().context("cannot wait for the program")?;
    drop(input);
    if status.success() {
        return Ok(serde_json::from_str(&text).with_context(|| format!("unexpected output of {command:?}"))?);
    }
    if stop.load(Ordering::Relaxed) || was_interrupted(status) {
        return Err(Halt::Stopped);
    }
    let reason = error_message(log, log_start);
    Err(Halt::Failed(anyhow!("{reason} ({status}; more in {})", log.display())))
}

/// The error in the part of the log that begins at this byte, or else its last line.
fn error_message(log: &Path, start: u64) -> String {
    let bytes = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(bytes.get(start as usize..).unwrap_or_default()).into_owned();
    let is_error = |line: &&str| line.starts_with("logicvae:") || line.starts_with("error");
    text.lines().rfind(is_error).or_else(|| text.lines().last()).unwrap_or("no message").to_owned()
}

/// Whether the user interrupted the program: a terminal sends Ctrl-C to all its processes.
fn was_interrupted(status: ExitStatus) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        const SIGINT: i32 = 2;
        if status.signal() == Some(SIGINT) {
            return true;
        }
    }
    status.code() == Some(130)
}

/// Waits until nobody holds a lock. A training whose supervisor was killed needs a moment to save and exit.
/// If it stays for more than a minute, the next training reports the conflict.
pub fn wait_for_lock(path: &Path) {
    let Ok(file) = File::open(path) else { return };
    let (send, receive) = channel();
    std::thread::spawn(move || {
        file.lock().ok();
        // The training must be able to take the lock. Closing the file is not enough: a process that another
        // job is just starting has it open too, for a moment.
        file.unlock().ok();
        send.send(()).ok();
    });
    receive.recv_timeout(Duration::from_secs(60)).ok();
}

//! The program under attack, and how its runs are judged.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use logicvae_logic::{GOLDEN_GAMMA, mix64};

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// With an error code and a message.
    Refused,
    /// With the result of an undamaged run.
    Unharmed,
    /// With another result, and without an error.
    Silent,
    /// With a panic.
    Panic,
    /// By a signal, without an end, or with an exit code that is not documented.
    Abort,
    /// With the loss of something that was there before.
    Lost,
}

/// What a run of the program left.
pub struct Ran {
    pub status: Option<ExitStatus>,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// Whether it ended as it should: with a documented exit code and, for errors, a message.
    pub fn verdict(&self) -> Verdict {
        let Some(code) = self.status.and_then(|status| status.code()) else { return Verdict::Abort };
        match code {
            101 => Verdict::Panic,
            _ if self.err.contains("panicked at") => Verdict::Panic,
            0 => Verdict::Unharmed,
            1..=3 if !(self.err.trim().is_empty() && self.out.trim().is_empty()) => Verdict::Refused,
            _ => Verdict::Abort,
        }
    }

    pub fn describe(&self) -> String {
        let lines: Vec<&str> = self.err.lines().rev().take(3).collect();
        format!("{:?}: {}", self.status, lines.into_iter().rev().collect::<Vec<_>>().join(" / "))
    }
}

/// The program, and a folder for everything that is written.
pub struct Bench {
    program: PathBuf,
    folder: PathBuf,
}

/// No attempt may take longer, or more memory.
const LONGEST: Duration = Duration::from_secs(120);
const MEMORY_KIB: u64 = 6 << 20;

impl Bench {
    pub fn new(program: PathBuf) -> Result<Self> {
        ensure!(program.is_file(), "{} does not exist", program.display());
        let folder = std::env::temp_dir().join(format!("logicvae-attack-{}", std::process::id()));
        fs::create_dir_all(&folder).context("cannot create a temporary folder")?;
        Ok(Self { program, folder })
    }

    /// A path in the folder of the attack.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    pub fn command(&self) -> Command {
        self.command_with("")
    }

    /// The program after these commands of the shell, such as limits.
    fn command_with(&self, before: &str) -> Command {
        let mut command = if cfg!(unix) {
            let mut shell = Command::new("sh");
            let script = format!("{before} ulimit -v {MEMORY_KIB}; exec \"$@\"");
            shell.args(["-c", &script, "sh"]).arg(&self.program);
            shell
        } else {
            Command::new(&self.program)
        };
        command.args(["--threads", "1"]).current_dir(&self.folder).stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &[&str]) -> Result<Ran> {
        finish(self.command().args(args))
    }

    /// Runs the program, which cannot write files of more than a kilobyte.
    pub fn run_limited(&self, args: &[&str]) -> Result<Ran> {
        finish(self.command_with("trap '' XFSZ; ulimit -f 2;").args(args))
    }

    /// Runs the program, which must succeed.
    pub fn done(&self, args: &[&str]) -> Result<String> {
        let ran = self.run(args)?;
        ensure!(ran.succeeded(), "{args:?}: {}", ran.describe());
        Ok(ran.out)
    }

    /// A small conditional model in this run folder.
    pub fn train(&self, out: &str, epochs: usize) -> Result<()> {
        let epochs = format!("--epochs={epochs}");
        self.done(&[&["train", "--preset", "cvae-best-3", "--out", out, &epochs], &SMALL[..]].concat())
            .map(drop)
    }
}

/// Runs a command to its end, or until it has taken too long.
fn finish(command: &mut Command) -> Result<Ran> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("cannot start the program")?;
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let start = Instant::now();
    std::thread::scope(|scope| {
        let out = scope.spawn(move || read(&mut out));
        let err = scope.spawn(move || read(&mut err));
        let status = loop {
            match child.try_wait().context("cannot wait for the program")? {
                Some(status) => break Some(status),
                None if start.elapsed() > LONGEST => {
                    child.kill().ok();
                    child.wait().ok();
                    break None;
                }
                None => std::thread::park_timeout(Duration::from_millis(3)),
            }
        };
        let join = |text: std::thread::ScopedJoinHandle<'_, String>| text.join().unwrap_or_default();
        Ok(Ran { status, out: join(out), err: join(err) })
    })
}

/// Settings that make a training short.
pub const SMALL: [&str; 10] = [
    "--set=data.fresh=false",
    "--set=model.hidden=8",
    "--set=model.latent=6",
    "--set=context.pool=60",
    "--set=context.components=6",
    "--set=data.set.train=64",
    "--set=data.set.valid=10",
    "--set=data.set.test=10",
    "--set=training.checkpoint_every=1",
    "--set=training.validate_every=1",
];

impl Drop for Bench {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.folder).ok();
    }
}

fn read(stream: &mut Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        stream.read_to_end(&mut bytes).ok();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Copies the files of a folder, without folders inside it.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        if let (true, Some(name)) = (path.is_file(), path.file_name()) {
            fs::copy(&path, to.join(name)).with_context(|| format!("cannot copy {}", path.display()))?;
        }
    }
    Ok(())
}

/// Numbers that look random and are the same in every run: SplitMix64.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        let number = mix64(self.0);
        self.0 = self.0.wrapping_add(GOLDEN_GAMMA);
        number
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

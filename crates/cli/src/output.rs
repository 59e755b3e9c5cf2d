//! Results as text or JSON on standard output, and files that are written completely or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use logicvae_logic::write_atomic;
use serde::Serialize;

use crate::input::is_standard;
use crate::plain::Plain;

/// The format of results on standard output.
#[derive(Clone, Copy)]
pub struct Output {
    pub json: bool,
}

impl Output {
    /// Prints a result as one JSON object, or as the text written by `text`.
    pub fn print(
        self,
        result: &impl Serialize,
        text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        let mut out = BufWriter::new(io::stdout().lock());
        let print = || -> io::Result<()> {
            if self.json {
                serde_json::to_writer(&mut out, result).map_err(io::Error::from)?;
                writeln!(out)?;
            } else {
                let mut out = Plain::new(&mut out);
                text(&mut out)?;
                out.flush()?;
            }
            out.flush()
        };
        match print() {
            // The reader has closed standard output, as in `| head`. The answer is the same.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            printed => Ok(printed?),
        }
    }
}

/// Checks whether a file can be written, before any work is done for it. An existing file is an error without
/// `force`.
pub fn check_target(path: &Path, force: bool) -> Result<()> {
    if is_standard(path) {
        return Ok(());
    }
    if path.is_dir() {
        bail!("{} is a folder: give the name of a file", path.display());
    }
    if is_stream(path) {
        return Ok(());
    }
    if path.is_symlink() && !path.exists() {
        bail!("{} is a broken symbolic link: remove it, or choose another file", path.display());
    }
    if path.exists() && !force {
        bail!("{} exists already: choose another name, or overwrite it with --force", path.display());
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            bail!("the folder {} does not exist: create it first", folder.display())
        }
        _ => Ok(()),
    }
}

/// Whether a path is a pipe or a device such as /dev/null, which is written to and never replaced.
fn is_stream(path: &Path) -> bool {
    path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir())
}

/// Writes a file through a temporary file in the same folder, so that it exists completely or not at all.
/// Pipes, devices and standard output are written to directly.
pub fn write_file(
    path: &Path,
    force: bool,
    content: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    check_target(path, force)?;
    if is_standard(path) {
        let mut out = BufWriter::new(io::stdout().lock());
        content(&mut out)?;
        return Ok(out.flush()?);
    }
    let failed = || format!("cannot write {}", path.display());
    if is_stream(path) {
        let mut out = BufWriter::new(File::create(path).with_context(failed)?);
        content(&mut out)?;
        return out.flush().with_context(failed);
    }
    write_atomic(path, force, content).with_context(failed)
}

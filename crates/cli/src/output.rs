//! Text or JSON on standard output; files that are whole or not there.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use logicvae_logic::write_atomic;
use serde::Serialize;

use crate::input::is_standard;

/// How results are printed.
#[derive(Clone, Copy)]
pub struct Output {
    pub json: bool,
}

impl Output {
    /// Prints a result: as one JSON object, or as the text that `text` writes.
    pub fn print(
        self,
        result: &impl Serialize,
        text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        let mut out = BufWriter::new(io::stdout().lock());
        if self.json {
            serde_json::to_writer(&mut out, result).map_err(io::Error::from)?;
            writeln!(out)?;
        } else {
            text(&mut out)?;
        }
        Ok(out.flush()?)
    }
}

/// Refuses to replace a file, unless told to, before any work is done for it.
pub fn check_target(path: &Path, force: bool) -> Result<()> {
    if is_standard(path) {
        return Ok(());
    }
    if path.is_dir() {
        bail!("{} is a folder: name a file to write", path.display());
    }
    if is_stream(path) {
        return Ok(());
    }
    if path.is_symlink() && !path.exists() {
        bail!("{} is a link to nothing: remove it, or name another file", path.display());
    }
    if path.exists() && !force {
        bail!("{} exists: choose another name, or replace it with --force", path.display());
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            bail!("there is no folder {}", folder.display())
        }
        _ => Ok(()),
    }
}

/// Something that is there to be written to, such as a pipe or /dev/null, and not to be replaced.
fn is_stream(path: &Path) -> bool {
    path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir())
}

/// Writes a file through a temporary one beside it, so that it is there whole or not at all.
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

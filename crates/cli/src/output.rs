//! Text or JSON on standard output; files that are whole or not there.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::input::is_standard;

/// How results are printed.
#[derive(Clone, Copy)]
pub struct Output {
    pub json: bool,
}

impl Output {
    /// Prints a result: as one JSON object, or as the text that `text` writes.
    pub fn print(self, result: &impl Serialize, text: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
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
    if path.exists() && !force {
        bail!("{} exists: choose another name, or replace it with --force", path.display());
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => bail!("there is no folder {}", folder.display()),
        _ => Ok(()),
    }
}

/// Writes a file through a temporary one beside it, so that it is there whole or not at all.
pub fn write_file(path: &Path, force: bool, content: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    check_target(path, force)?;
    if is_standard(path) {
        let mut out = BufWriter::new(io::stdout().lock());
        content(&mut out)?;
        return Ok(out.flush()?);
    }
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || -> Result<()> {
        let mut file = NamedTempFile::new_in(folder)?;
        let mut buffered = BufWriter::new(file.as_file_mut());
        content(&mut buffered)?;
        buffered.flush()?;
        drop(buffered);
        readable_by_all(file.as_file())?;
        file.as_file().sync_all()?;
        let kept = if force { file.persist(path) } else { file.persist_noclobber(path) };
        kept.map_err(|e| e.error)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Temporary files are private; results are not.
#[cfg(unix)]
fn readable_by_all(file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_all(_: &std::fs::File) -> io::Result<()> {
    Ok(())
}

//! Atomic file writes.

use std::collections::BTreeSet;
use std::fs::Permissions;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

/// Writes a file through a temporary file in the same folder. After a crash or an error, the file has its old
/// content (or does not exist), never a part of the new content. If `path` is a symbolic link, its target is
/// replaced and the link is kept. With `replace = false`, an existing file is an error.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("note.txt");
/// logicvae_logic::write_atomic(&path, false, |out| out.write_all(b"hello"))?;
/// assert!(logicvae_logic::write_atomic(&path, false, |out| out.write_all(b"again")).is_err());
/// assert_eq!(std::fs::read(&path)?, b"hello");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_atomic<E: From<io::Error>>(
    path: &Path,
    replace: bool,
    content: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let path = if path.exists() { path.canonicalize()? } else { path.to_owned() };
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = temporary(folder)?;
    let _listed = Listed::new(file.path());
    let mut buffered = BufWriter::new(file.as_file_mut());
    content(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    if let Ok(old) = path.metadata() {
        let permissions: Permissions = old.permissions();
        file.as_file().set_permissions(permissions)?;
    }
    file.as_file().sync_all()?;
    let kept = if replace { file.persist(&path) } else { file.persist_noclobber(&path) };
    kept.map_err(|e| e.error)?;
    Ok(())
}

/// The temporary files of writes that are not finished.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file that is in the list until this is dropped.
struct Listed(PathBuf);

impl Listed {
    fn new(path: &Path) -> Self {
        unfinished().insert(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

/// Removes the temporary files of writes that are not finished, for programs that exit because of a signal.
pub fn remove_unfinished_files() {
    for path in unfinished().iter() {
        std::fs::remove_file(path).ok();
    }
}

/// Creates a temporary file with the permissions that the user's umask allows; by default, temporary files
/// are readable only by their owner.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

//! Atomic file writes.

use std::fs::Permissions;
use std::io::{self, BufWriter, Write};
use std::path::Path;

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

//! Files that are written completely or not at all.

use std::fs::Permissions;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes a file through a temporary file beside it: after a crash or an error, the old content (or no file) is there,
/// never a part of the new one. A symbolic link stays a link, and the file that it points to is replaced. With
/// `replace = false` an existing file is an error.
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

/// A temporary file that others may read as far as the user's umask allows; temporary files are private by default.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

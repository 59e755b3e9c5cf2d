//! The lock of a run folder.

use std::fs::{self, File, OpenOptions};
use std::path::Path;

use super::files::{LOCK, file_error, is_real_file};
use super::replace::finish;
use crate::error::VaeError;

/// Keeps two trainings out of one folder. It is released when the process ends, however it ends.
pub struct Lock {
    file: File,
}

impl Lock {
    /// Locks a folder, and finishes a replacement of its content that was interrupted. It is an error if
    /// another training has the lock.
    pub fn take(folder: &Path) -> Result<Self, VaeError> {
        let path = folder.join(LOCK);
        loop {
            if path.symlink_metadata().is_ok() && !is_real_file(&path) {
                // A link leads out of the folder, and a pipe would never open.
                let message = format!("{} is not a regular file: remove it", path.display());
                return Err(VaeError::Run(message));
            }
            let open = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
            let file = open.map_err(file_error("write", &path))?;
            if file.try_lock().is_err() {
                let message = format!(
                    "another training or export is using {}: wait for it, or stop it",
                    folder.display()
                );
                return Err(VaeError::Run(message));
            }
            // Another process may have removed the file before we had the lock.
            if is_at(&file, &path) {
                finish(folder)?;
                return Ok(Self { file });
            }
        }
    }

    /// Releases the lock and removes its file.
    pub(super) fn remove(self, folder: &Path) {
        // Removed first, where that is possible: whoever has the file open notices that it is gone.
        let path = folder.join(LOCK);
        if fs::remove_file(&path).is_err() {
            drop(self.file);
            fs::remove_file(path).ok();
        }
    }
}

/// Whether a path still leads to a file that is open.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let id = |about: fs::Metadata| (about.dev(), about.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(there)) => id(open) == id(there),
        _ => false,
    }
}

/// Open files cannot be removed on other systems.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

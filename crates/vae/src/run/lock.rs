//! The lock of a run folder.

use std::fs::{File, OpenOptions};
use std::path::Path;

use super::files::{LOCK, file_error};
use super::replace::finish;
use crate::error::VaeError;

/// Keeps two trainings out of one folder. It is released when the process ends, however it ends.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks a folder, and finishes a replacement of its content that was interrupted. It is an error if
    /// another training has the lock.
    pub fn take(folder: &Path) -> Result<Self, VaeError> {
        let path = folder.join(LOCK);
        let open = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let file = open.map_err(file_error("write", &path))?;
        if file.try_lock().is_err() {
            let message =
                format!("another training is running in {}: wait for it, or stop it", folder.display());
            return Err(VaeError::Run(message));
        }
        finish(folder)?;
        Ok(Self { _file: file })
    }
}

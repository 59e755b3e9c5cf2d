//! Replacing the whole content of a run folder at once.
//!
//! New files are written to a temporary folder inside the run folder. Renaming that folder to `.next` is the
//! moment of the replacement: from then on, files are looked for there first. They are then moved to their
//! places, the manifest last. A full disk or a kill at any moment leaves the old content or the new one, and
//! whoever next has the folder's lock finishes the moves. Unlike an exchange of two folders, this works for
//! mount points, for symbolic links and on every system.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::files::{LOCK, MANIFEST, NEXT, file_error, is_real_folder, locate, remove, sync, write};
use super::manifest::{Digest, Manifest};
use crate::error::VaeError;

/// New content of a folder. Unless it is [committed](Self::commit), nothing of it stays.
pub(super) struct Replacement<'a> {
    folder: &'a Path,
    staged: TempDir,
    manifest: Manifest,
}

impl<'a> Replacement<'a> {
    /// The caller must have the folder's lock.
    pub fn new(folder: &'a Path) -> Result<Self, VaeError> {
        let staged = tempfile::Builder::new().prefix(".tmp-next").tempdir_in(folder);
        let staged = staged.map_err(file_error("write", folder))?;
        Ok(Self { folder, staged, manifest: Manifest::default() })
    }

    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), VaeError> {
        // A message names the file that the user knows.
        write(&self.staged.path().join(name), bytes).map_err(|error| match error {
            VaeError::File { action, source, .. } => {
                VaeError::File { action, path: self.folder.join(name), source }
            }
            other => other,
        })?;
        self.manifest.replace(name, Digest::of(bytes));
        Ok(())
    }

    /// Puts the new content in the place of the old.
    pub fn commit(self) -> Result<Manifest, VaeError> {
        let Self { folder, staged, manifest } = self;
        write(&staged.path().join(MANIFEST), &manifest.to_json().map_err(VaeError::Run)?)?;
        sync(staged.path())?;
        // The user's umask decides who may read a run; temporary folders belong to their owner only.
        if let Ok(like) = fs::metadata(folder) {
            fs::set_permissions(staged.path(), like.permissions()).ok();
        }
        let next = folder.join(NEXT);
        fs::rename(staged.path(), &next).map_err(file_error("write", &next))?;
        // It has another name now, so there is nothing to remove.
        drop(staged.keep());
        sync(folder)?;
        finish(folder)?;
        Ok(manifest)
    }
}

/// Finishes a replacement that was interrupted. The caller must have the folder's lock.
pub(super) fn finish(folder: &Path) -> Result<(), VaeError> {
    let next = folder.join(NEXT);
    if next.symlink_metadata().is_err() {
        return Ok(());
    }
    if !is_real_folder(&next) {
        // Its files would be moved here from where a link leads.
        let message = format!("{} is not a folder, as our programs make it: remove it", next.display());
        return Err(VaeError::Run(message));
    }
    let path = locate(folder, MANIFEST);
    let damaged = |reason: String| VaeError::Run(reason).within(path.display().to_string());
    let manifest = Manifest::read(&path)?.ok_or_else(|| damaged("the file is missing".into()))?;
    if next.join(MANIFEST).exists() {
        for name in manifest.names().filter(|name| next.join(name).exists()) {
            let to = folder.join(name);
            fs::rename(next.join(name), &to).map_err(file_error("write", &to))?;
        }
        remove(folder, |name| !(manifest.lists(name) || [LOCK, NEXT, MANIFEST].contains(&name)))?;
        let to = folder.join(MANIFEST);
        fs::rename(next.join(MANIFEST), &to).map_err(file_error("write", &to))?;
    }
    fs::remove_dir_all(&next).map_err(file_error("remove", &next))?;
    sync(folder)
}

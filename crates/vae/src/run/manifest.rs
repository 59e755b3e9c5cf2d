//! `manifest.json`: every file of a run folder that is read, with its length and its SHA-256.
//!
//! While a file is being replaced, the manifest lists its old content as well, so that a program that is
//! killed at any moment leaves a folder in which every file is one that the manifest knows. `metrics.jsonl`
//! only grows during training: its digest covers the lines up to the last checkpoint, since resuming drops
//! later ones.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::files::{METRICS, read};
use crate::error::VaeError;

/// The version of the manifest's own layout.
const FORMAT: u32 = 1;

/// The largest manifest that is read, in bytes. Ours have a few kilobytes.
const LONGEST: u64 = 1 << 20;

/// How much `metrics.jsonl` may grow between checkpoints, in bytes.
const GROWTH: u64 = 1 << 28;

/// The length and the hash of a file's content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Digest {
    bytes: u64,
    /// Lower-case hexadecimal digits.
    sha256: String,
}

impl Digest {
    pub fn of(content: &[u8]) -> Self {
        Self::new(content.len(), Sha256::new_with_prefix(content))
    }

    /// The digest of content that was hashed piece by piece.
    pub fn new(bytes: usize, hasher: Sha256) -> Self {
        Self { bytes: bytes as u64, sha256: format!("{:x}", hasher.finalize()) }
    }

    fn is_of(&self, content: &[u8]) -> bool {
        self.bytes == content.len() as u64 && *self == Self::of(content)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    bytes: u64,
    sha256: String,
    /// The content that is being replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<Digest>,
    /// Whether the file is being written for the first time, so that it may be missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    new: bool,
}

/// Every file with its content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    files: BTreeMap<String, Entry>,
}

/// The content of `manifest.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sealed {
    format: u32,
    files: BTreeMap<String, Entry>,
    /// The SHA-256 of the fields above, as JSON without spaces: a damaged name would otherwise look like a
    /// file that does not exist.
    sha256: String,
}

impl Sealed {
    fn seal(&self) -> Result<String, String> {
        let text = serde_json::to_vec(&(self.format, &self.files)).map_err(|e| e.to_string())?;
        Ok(Digest::of(&text).sha256)
    }
}

/// Whether a name is that of a file in the folder itself. Those that begin with a dot are our own temporary
/// ones.
fn is_file_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    !name.is_empty() && name.len() <= 255 && !name.starts_with('.') && name.chars().all(plain)
}

impl Manifest {
    /// Reads a manifest; `None` if there is no such file.
    pub fn read(path: &Path) -> Result<Option<Self>, VaeError> {
        let json = match read(path, Some(LONGEST)) {
            Err(VaeError::File { source, .. }) if source.kind() == ErrorKind::NotFound => return Ok(None),
            json => json?,
        };
        let damaged = |reason| {
            let message = format!("the manifest is damaged: {reason}; restore it from a copy");
            VaeError::Run(message).within(path.display().to_string())
        };
        Self::from_json(&json).map(Some).map_err(damaged)
    }

    pub fn from_json(json: &[u8]) -> Result<Self, String> {
        let found: Sealed = serde_json::from_slice(json).map_err(|e| e.to_string())?;
        if found.format != FORMAT {
            let other = found.format;
            return Err(format!("its layout version is {other}, but this program supports {FORMAT}"));
        }
        if found.seal()? != found.sha256 {
            return Err("its own SHA-256 differs".into());
        }
        // Files are written under these names, so they must stay within the folder.
        if let Some(name) = found.files.keys().find(|name| !is_file_name(name)) {
            return Err(format!("it lists `{}`, which is not the name of a file", name.escape_debug()));
        }
        Ok(Self { files: found.files })
    }

    pub fn to_json(&self) -> Result<Vec<u8>, String> {
        let mut sealed = Sealed { format: FORMAT, files: self.files.clone(), sha256: String::new() };
        sealed.sha256 = sealed.seal()?;
        let mut json = serde_json::to_vec_pretty(&sealed).map_err(|e| e.to_string())?;
        json.push(b'\n');
        Ok(json)
    }

    pub fn lists(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    /// The largest number of bytes that a file may have. `metrics.jsonl` grows until the next checkpoint.
    pub fn longest(&self, name: &str) -> Option<u64> {
        let entry = self.files.get(name)?;
        let known = entry.before.as_ref().map_or(0, |before| before.bytes).max(entry.bytes);
        Some(if name == METRICS { known.saturating_add(GROWTH) } else { known })
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Whether content is what the manifest lists under a name.
    pub fn accepts(&self, name: &str, content: &[u8]) -> bool {
        let Some(Entry { bytes, sha256, before, .. }) = self.files.get(name) else { return false };
        let now = Digest { bytes: *bytes, sha256: sha256.clone() };
        std::iter::once(&now).chain(before).any(|digest| match name {
            // Lines may follow those of the last checkpoint.
            METRICS => {
                let length = usize::try_from(digest.bytes).unwrap_or(usize::MAX);
                content.get(..length).is_some_and(|start| digest.is_of(start))
            }
            _ => digest.is_of(content),
        })
    }

    /// Lists new content. Until [`settle`](Self::settle), the old content is accepted as well.
    pub fn replace(&mut self, name: &str, Digest { bytes, sha256 }: Digest) {
        let old = self.files.get(name).map(|old| Digest { bytes: old.bytes, sha256: old.sha256.clone() });
        let (before, new) = (old.clone().filter(|old| old.sha256 != sha256), old.is_none());
        self.files.insert(name.to_owned(), Entry { bytes, sha256, before, new });
    }

    /// Whether a file may be missing, because it was being written for the first time.
    pub fn may_be_missing(&self, name: &str) -> bool {
        self.files.get(name).is_some_and(|entry| entry.new)
    }

    /// The files that were being written when a program was killed.
    pub fn unsettled(&self) -> Vec<String> {
        let open = self.files.iter().filter(|(_, entry)| entry.new || entry.before.is_some());
        open.map(|(name, _)| name.clone()).collect()
    }

    /// Keeps that digest of a file that its content has; `None` if there is no such file.
    pub fn resolve(&mut self, name: &str, content: Option<&[u8]>) {
        let Some(mut entry) = self.files.remove(name) else { return };
        let Some(content) = content else {
            if !entry.new {
                self.files.insert(name.to_owned(), entry);
            }
            return;
        };
        let before = entry.before.take();
        entry.new = false;
        self.files.insert(name.to_owned(), entry.clone());
        if let (false, Some(Digest { bytes, sha256 })) = (self.accepts(name, content), before) {
            self.files.insert(name.to_owned(), Entry { bytes, sha256, before: None, new: false });
        }
    }

    /// Forgets replaced content, and the files that `keep` does not select.
    pub fn settle(&mut self, keep: impl Fn(&str) -> bool) {
        self.files.retain(|name, _| keep(name));
        for entry in self.files.values_mut() {
            (entry.before, entry.new) = (None, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_within_the_folder() {
        for name in ["../victim", "a/b", "..", ".hidden", "", "a\u{0}", "C:\\x"] {
            let mut manifest = Manifest::default();
            manifest.replace(name, Digest::of(b"content"));
            let error = Manifest::from_json(&manifest.to_json().unwrap()).unwrap_err();
            assert!(error.contains("not the name of a file"), "{name}: {error}");
        }
    }

    #[test]
    fn replaced_content_is_accepted_until_it_is_settled() {
        let mut manifest = Manifest::default();
        manifest.replace("a", Digest::of(b"old"));
        assert!(manifest.accepts("a", b"old") && !manifest.accepts("a", b"new"));
        assert!(!manifest.accepts("b", b"old"));
        manifest.replace("a", Digest::of(b"new"));
        assert!(manifest.accepts("a", b"old") && manifest.accepts("a", b"new"));
        let manifest_again = Manifest::from_json(&manifest.to_json().unwrap()).unwrap();
        assert_eq!(manifest_again, manifest);
        manifest.settle(|_| true);
        assert!(!manifest.accepts("a", b"old") && manifest.accepts("a", b"new"));
        manifest.settle(|name| name != "a");
        assert!(!manifest.lists("a"));
    }

    #[test]
    fn what_a_kill_left_is_found_by_its_content() {
        let mut manifest = Manifest::default();
        for name in ["a", "b"] {
            manifest.replace(name, Digest::of(b"old"));
        }
        manifest.settle(|_| true);
        for name in ["a", "b", "c", "d"] {
            manifest.replace(name, Digest::of(b"new"));
        }
        assert_eq!(manifest.unsettled(), ["a", "b", "c", "d"]);
        assert!(manifest.may_be_missing("c") && !manifest.may_be_missing("a"));
        manifest.resolve("a", Some(b"old"));
        manifest.resolve("b", Some(b"new"));
        manifest.resolve("c", None);
        manifest.resolve("d", Some(b"new"));
        assert!(manifest.unsettled().is_empty());
        assert!(manifest.accepts("a", b"old") && !manifest.accepts("a", b"new"));
        assert!(manifest.accepts("b", b"new") && !manifest.accepts("b", b"old"));
        assert!(!manifest.lists("c") && manifest.accepts("d", b"new"));
    }

    #[test]
    fn only_metrics_may_grow() {
        let mut manifest = Manifest::default();
        for name in ["a", METRICS] {
            manifest.replace(name, Digest::of(b"1\n"));
            assert!(manifest.accepts(name, b"1\n") && !manifest.accepts(name, b"1"));
        }
        assert!(manifest.accepts(METRICS, b"1\n2\n") && !manifest.accepts(METRICS, b"2\n2\n"));
        assert!(!manifest.accepts("a", b"1\n2\n"));
    }

    #[test]
    fn a_manifest_of_another_version_is_refused() {
        let text = r#"{"format": 2, "files": {}, "sha256": ""}"#;
        assert!(Manifest::from_json(text.as_bytes()).unwrap_err().contains("version is 2"));
        assert!(Manifest::from_json(br#"{"format": 1, "files": {}, "sha256": "", "more": 1}"#).is_err());
    }

    #[test]
    fn a_damaged_name_is_noticed() {
        let mut manifest = Manifest::default();
        manifest.replace("last.state", Digest::of(b"state"));
        let json = String::from_utf8(manifest.to_json().unwrap()).unwrap();
        assert_eq!(Manifest::from_json(json.as_bytes()).unwrap().to_json().unwrap(), json.as_bytes());
        let damaged = json.replace("last.state", "last/state");
        assert!(Manifest::from_json(damaged.as_bytes()).unwrap_err().contains("SHA-256"));
        assert!(Manifest::from_json(json.replace("  ", " ").as_bytes()).is_ok(), "spaces do not matter");
    }
}

//! `manifest.json`: every file of a run folder that is read, with its length and its SHA-256.
//!
//! While a file is being replaced, the manifest lists its old content as well, so that a program that is killed
//! at any moment leaves a folder in which every file is one that the manifest knows. `metrics.jsonl` only grows
//! during training: its digest covers the lines up to the last checkpoint, since resuming drops later ones.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::files::METRICS;

/// The version of the manifest's own layout.
const FORMAT: u32 = 1;

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
}

/// The content of `manifest.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    format: u32,
    files: BTreeMap<String, Entry>,
}

impl Default for Manifest {
    fn default() -> Self {
        Self { format: FORMAT, files: BTreeMap::new() }
    }
}

impl Manifest {
    pub fn from_json(json: &[u8]) -> Result<Self, String> {
        let found: Self = serde_json::from_slice(json).map_err(|e| e.to_string())?;
        match found.format {
            FORMAT => Ok(found),
            other => Err(format!("its layout version is {other}, but this program supports {FORMAT}")),
        }
    }

    pub fn to_json(&self) -> Result<Vec<u8>, String> {
        let mut json = serde_json::to_vec_pretty(self).map_err(|e| e.to_string())?;
        json.push(b'\n');
        Ok(json)
    }

    pub fn lists(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Whether content is what the manifest lists under a name.
    pub fn accepts(&self, name: &str, content: &[u8]) -> bool {
        let Some(Entry { bytes, sha256, before }) = self.files.get(name) else { return false };
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
        let before = old.filter(|old| old.sha256 != sha256);
        self.files.insert(name.to_owned(), Entry { bytes, sha256, before });
    }

    /// Forgets replaced content, and the files that `keep` does not select.
    pub fn settle(&mut self, keep: impl Fn(&str) -> bool) {
        self.files.retain(|name, _| keep(name));
        self.files.values_mut().for_each(|entry| entry.before = None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let text = r#"{"format": 2, "files": {}}"#;
        assert!(Manifest::from_json(text.as_bytes()).unwrap_err().contains("version is 2"));
        assert!(Manifest::from_json(br#"{"format": 1, "files": {}, "more": 1}"#).is_err());
    }
}

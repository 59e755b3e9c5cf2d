//! The files of the repository, as the checks see them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Files and folders by their path from the root, with `/` between the parts on every system. Looking paths
/// up here rather than on the disk keeps the case of letters significant on macOS and Windows too.
pub struct Tree {
    root: PathBuf,
    files: BTreeSet<String>,
    folders: BTreeSet<String>,
}

impl Tree {
    /// All files below the root except those that .gitignore names. Nothing needs git, so that an unpacked
    /// archive of the source can be checked too.
    pub fn of_repository(root: &Path) -> Result<Self> {
        let ignored = fs::read_to_string(root.join(".gitignore")).context("cannot read .gitignore")?;
        let mut names = Vec::new();
        walk(root, "", &ignored.lines().collect::<Vec<_>>(), &mut names)?;
        Ok(Self::new(root, names.iter().map(String::as_str)))
    }

    pub fn new<'a>(root: &Path, names: impl IntoIterator<Item = &'a str>) -> Self {
        let files: BTreeSet<String> = names.into_iter().map(str::to_owned).collect();
        let mut folders = BTreeSet::from([String::new()]);
        for file in &files {
            folders.extend(file.match_indices('/').map(|(end, _)| file[..end].to_owned()));
        }
        Self { root: root.to_owned(), files, folders }
    }

    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Files whose names end this way.
    pub fn files_ending(&self, end: &str) -> impl Iterator<Item = &str> {
        self.files().filter(move |file| file.ends_with(end))
    }

    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.folders.iter().map(String::as_str)
    }

    pub fn is_file(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    pub fn is_folder(&self, path: &str) -> bool {
        self.folders.contains(path)
    }

    pub fn read(&self, path: &str) -> Result<String> {
        fs::read_to_string(self.root.join(path)).with_context(|| format!("cannot read {path}"))
    }
}

/// Adds the files of a folder and of all folders in it. Of the patterns that git knows, ours are of two
/// kinds: `/path` from the root, and `name` anywhere.
fn walk(root: &Path, folder: &str, ignored: &[&str], names: &mut Vec<String>) -> Result<()> {
    let entries =
        fs::read_dir(root.join(folder)).with_context(|| format!("cannot read the folder {folder}"))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let is_ignored = ignored.iter().any(|pattern| *pattern == name || *pattern == format!("/{path}"));
        if name == ".git" || is_ignored {
            continue;
        }
        if entry.file_type()?.is_dir() {
            walk(root, &path, ignored, names)?;
        } else {
            names.push(path);
        }
    }
    Ok(())
}

/// Joins a path to the folder that it is relative to, and resolves `.` and `..`. `None` if it leaves the
/// repository.
pub fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folder that a file is in.
pub fn folder_of(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The number of the line that a byte of a text is in, from 1.
pub fn line_at(text: &str, byte: usize) -> usize {
    1 + text.as_bytes()[..byte].iter().filter(|&&b| b == b'\n').count()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A folder with these files in it, and the tree of it.
    pub fn tree_of(files: &[(&str, &str)]) -> (tempfile::TempDir, Tree) {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let tree = Tree::new(folder.path(), files.iter().map(|(name, _)| *name));
        (folder, tree)
    }

    #[test]
    fn folders_are_those_above_files() {
        let (_folder, tree) = tree_of(&[("a/b/c.rs", ""), ("d.md", "text")]);
        assert_eq!(tree.folders().collect::<Vec<_>>(), ["", "a", "a/b"]);
        assert!(tree.is_file("d.md") && !tree.is_file("D.md"));
        assert_eq!(tree.read("d.md").unwrap(), "text");
    }

    #[test]
    fn ignored_files_are_left_out() {
        let files = [
            (".gitignore", "/out\ncache\n"),
            ("out/a", ""),
            ("b/out", ""),
            ("b/cache/c", ""),
            (".git/d", ""),
        ];
        let (folder, _) = tree_of(&files);
        let tree = Tree::of_repository(folder.path()).unwrap();
        assert_eq!(tree.files().collect::<Vec<_>>(), [".gitignore", "b/out"]);
    }

    #[test]
    fn paths_are_joined_and_stay_inside() {
        assert_eq!(join("a/b", "../c/./d.md").as_deref(), Some("a/c/d.md"));
        assert_eq!(join("", "a/").as_deref(), Some("a"));
        assert_eq!(join("a", "../../b"), None);
    }
}
